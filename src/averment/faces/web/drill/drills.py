"""Drills: the list of them, a new one, the sample, and the page of one, which leads to wherever it stands."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from typing import Annotated
from uuid import UUID

from fastapi import Path, Query, Request
from starlette.responses import Response

from averment.errors import AvermentError
from averment.faces.web.drill.answers import STARTERS
from averment.faces.web.drill.draft import Drafts, DrillDraft
from averment.faces.web.drill.drill_view import drill_view
from averment.faces.web.drill.live import LANES
from averment.faces.web.shell.page_access import Bench, Fields, HomeOperations
from averment.faces.web.shell.pages import Pages, go, show, wants_part
from averment.records.drilldown.session import Session
from averment.store.storage.configured import open_files
from averment.workbench import Workbench

router = Pages()

SessionId = Annotated[UUID, Path()]
Number = Annotated[int, Query(ge=1, le=1_000)]
SHOWN = 30
SAMPLES = {
    "orders.csv": "One row an order: its day, who bought, by which channel, and for how much.",
    "customers.csv": "One row a customer, with the country.",
}
SAMPLE_DRAFT = DrillDraft(
    metric="SUM(amount)", baseline=("2024-01-01", "2024-01-28"), comparison=("2024-01-29", "2024-02-25")
)


@dataclass(frozen=True)
class DrillLine:
    """One drill in the list."""

    session: Session
    title: str
    answer: str


@router.get("/drill")
def list_drills(request: Request, workbench: Bench) -> Response:
    """The drills of this home, the newest first."""
    lines = [_line(workbench, session) for session in workbench.sessions.list(limit=SHOWN)]
    return show(request, "drill/list.html", lines=lines)


@router.acts("/drill")
def begin_drill(workbench: Bench) -> Response:
    """Open a new session, and go to its files."""
    return go(f"/drill/{workbench.sessions.create().session_id}/files")


@router.acts("/drill/sample")
def take_sample(workbench: Bench) -> Response:
    """Open a session with the sample files, everything filled in."""
    sessions = workbench.sessions
    session_id = sessions.create().session_id
    folder = resources.files("averment.faces.web").joinpath("samples")
    for name, description in SAMPLES.items():
        sessions.add_file(session_id, [folder.joinpath(name).read_bytes()], name, description=description)
    Drafts(workbench.settings).keep(session_id, SAMPLE_DRAFT)
    return go(f"/drill/{session_id}/model")


@router.get("/drill/{session_id}")
def show_drill(request: Request, workbench: Bench, archive: HomeOperations, session_id: SessionId) -> Response:
    """A drill as it stands: the next step of what is to be filled in, or the investigation with all it found."""
    run_id = workbench.sessions.run_of(str(session_id))
    if run_id is None:
        return go(next_step(workbench, str(session_id)))
    view = drill_view(workbench, archive, str(session_id), run_id)
    template = "drill/report.html" if view.report is not None else "drill/live.html"
    return show(request, template, view=view, run=view.run, lanes=LANES, starters=STARTERS)


@router.acts("/drill/{session_id}/cancel")
def cancel_drill(workbench: Bench, session_id: SessionId) -> Response:
    """Ask the investigation to stop."""
    run_id = workbench.sessions.run_of(str(session_id))
    if run_id is not None:
        workbench.runs.cancel(run_id)
    return go(f"/drill/{session_id}")


@router.acts("/drill/{session_id}/again")
def drill_again(workbench: Bench, session_id: SessionId) -> Response:
    """Change some of the choices and start once more: of a drill that failed in its own session, else in a new one."""
    sessions, drafts = workbench.sessions, Drafts(workbench.settings)
    if sessions.get(str(session_id)).status == "failed":
        return go(f"/drill/{session_id}/metric")
    fresh = sessions.create().session_id
    kept = open_files(workbench.settings)
    try:
        for file in sessions.files(str(session_id)):
            with kept.open_file(file.path) as stream:
                sessions.add_file(fresh, stream, file.original_name, description=file.description)
    except AvermentError:
        sessions.delete(fresh)
        raise
    drafts.keep(fresh, drafts.get(str(session_id)))
    return go(f"/drill/{fresh}/metric")


@router.get("/drill/{session_id}/compare")
def compare_drills(
    request: Request, workbench: Bench, session_id: SessionId, first: Number = 1, second: Number = 2
) -> Response:
    """Two investigations of a session side by side."""
    sessions = workbench.sessions
    return show(
        request,
        "drill/compare.html",
        session_id=session_id,
        listed=[one for one in sessions.investigations(str(session_id)) if one.status == "completed"],
        found=sessions.compare(str(session_id), first, second),
    )


@router.acts("/drill/{session_id}/delete")
def delete_drill(workbench: Bench, session_id: SessionId) -> Response:
    """Take a drill away with its files; its ledger entries stay."""
    workbench.sessions.delete(str(session_id))
    return go("/drill")


@router.post("/drill/{session_id}/ask")
def ask(request: Request, workbench: Bench, archive: HomeOperations, session_id: SessionId, fields: Fields) -> Response:
    """Ask about a finished drill."""
    sessions = workbench.sessions
    sessions.chat(str(session_id), fields.get("message") or fields.get("starter", ""))
    if not wants_part(request):
        return go(f"/drill/{session_id}#questions")
    view = drill_view(workbench, archive, str(session_id), str(sessions.run_of(str(session_id))))
    return show(request, "drill/questions.html", view=view, starters=STARTERS)


def next_step(workbench: Workbench, session_id: str) -> str:
    """Where a drill that has not been started is to be filled in next."""
    draft = Drafts(workbench.settings).get(session_id)
    if not workbench.sessions.files(session_id):
        return f"/drill/{session_id}/files"
    if draft.links is None:
        return f"/drill/{session_id}/model"
    return f"/drill/{session_id}/{'periods' if draft.metric else 'metric'}"


def _line(workbench: Workbench, session: Session) -> DrillLine:
    if session.status == "expired":
        return DrillLine(session, "A drill whose time is over", "")
    run_id = workbench.sessions.run_of(session.session_id)
    if run_id is not None:
        run = workbench.show(run_id)
        return DrillLine(session, run.intent, run.answer or "")
    metric = Drafts(workbench.settings).get(session.session_id).metric
    return DrillLine(session, f"Why did {metric} change?" if metric else "A drill that is being prepared", "")
