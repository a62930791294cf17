"""What can be done with a run: check it, stop it, let it go on, run it again, ask about the same data, forget it."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from averment.errors import InvalidRequest, NoSources
from averment.faces.web.access import Bench, Fields, Kept, Resuming, RunId
from averment.faces.web.pages import PageRoute, go, show

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.post("/runs/{run_id}/verify")
def verify(request: Request, workbench: Bench, archive: Kept, run_id: RunId, fields: Fields) -> Response:
    """Check a run against the ledger and recompute every number it tells."""
    _ = fields
    run = workbench.look_up(run_id)
    verdict = workbench.verify(run.id)
    return show(request, "verdict.html", run=run, verdict=verdict, at=archive.keep_check(verdict).at)


@router.post("/runs/{run_id}/cancel")
def cancel(workbench: Bench, run_id: RunId, fields: Fields) -> Response:
    """Ask a run to stop."""
    _ = fields
    run = workbench.show(run_id)
    workbench.cancel(run.id)
    return go(f"/runs/{run.id}")


@router.post("/runs/{run_id}/resume")
def resume(workbench: Bench, going_on: Resuming, run_id: RunId, fields: Fields) -> Response:
    """Let a run that was stopped, failed or interrupted go on."""
    _ = fields
    run = workbench.show(run_id)
    going_on.begin(run.id)
    return go(f"/runs/{run.id}")


@router.post("/runs/{run_id}/replay")
def replay(request: Request, workbench: Bench, run_id: RunId, fields: Fields) -> Response:
    """Run the recorded plan again, and say what differs."""
    _ = fields
    run = workbench.show(run_id)
    again, differences = workbench.replay(run.id)
    return show(request, "replay.html", run=run, again=again, differences=differences)


@router.post("/runs/{run_id}/again")
def ask_again(workbench: Bench, archive: Kept, run_id: RunId, fields: Fields) -> Response:
    """Ask another question about the same data, or of the same sources."""
    row = workbench.row(run_id)
    question = fields.get("question", "")
    if row.kind == "research":
        depth = str(row.request["request"].get("depth_level", "standard"))
        return go(f"/runs/{workbench.submit_research(question, depth=depth)}")
    sources = archive.sources_of(row)
    if not sources:
        raise NoSources("The run has no tables to ask about again.")
    return go(f"/runs/{workbench.submit(question, sources)}")


@router.post("/runs/{run_id}/forget")
def forget(workbench: Bench, archive: Kept, run_id: RunId, fields: Fields) -> Response:
    """Take a run away with its files and rows, once that was said in so many words; the ledger keeps its entries."""
    run = workbench.show(run_id)
    if fields.get("sure") != "yes":
        raise InvalidRequest("Forgetting a run cannot be taken back.", hint="Say that you are sure.")
    archive.forget(run.id)
    return go("/runs")
