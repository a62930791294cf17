"""The list of runs, and one run: how it was read, where it stands, what it found."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from averment.agents.assistant.sources import sent_suffixes
from averment.faces.web.runs.run_view import view_of
from averment.faces.web.shell.access import Bench, Find, HomeOperations, PageNumber, RunId
from averment.faces.web.shell.pages import Pages, show
from averment.records.analysis import ENDED, RUN_STATES
from averment.records.base import new_id
from averment.runtime.outcome import Run

router = Pages()

SHOWN = 30
SEARCHED = 2_000
"""So many of the newest runs are looked through for words."""
KINDS = ("analysis", "drilldown", "research")


@router.get("/runs")
def list_runs(
    request: Request,
    workbench: Bench,
    status: Annotated[str, Query(max_length=40)] = "",
    kind: Annotated[str, Query(max_length=40)] = "",
    find: Find = "",
    page: PageNumber = 1,
) -> Response:
    """The library: runs, the newest first, all or those of a status, of a kind, or with some words in them."""
    start = (page - 1) * SHOWN
    if kind or find.strip():
        fitting = [run for run in workbench.runs.list(limit=SEARCHED, status=status or None) if _fits(run, kind, find)]
        found = fitting[start : start + SHOWN + 1]
    else:
        found = workbench.runs.list(limit=SHOWN + 1, offset=start, status=status or None)
    return show(
        request,
        "runs.html",
        runs=found[:SHOWN],
        more=len(found) > SHOWN,
        page=page,
        wanted=status,
        kind=kind,
        kinds=KINDS,
        find=find,
        states=sorted(RUN_STATES.states),
    )


def _fits(run: Run, kind: str, find: str) -> bool:
    words = find.casefold().split()
    said = f"{run.intent} {run.answer or ''} {' '.join(run.sources)}".casefold()
    return (not kind or run.kind == kind) and all(word in said for word in words)


@router.get("/runs/{run_id}")
def show_run(request: Request, workbench: Bench, archive: HomeOperations, run_id: RunId) -> Response:
    """A run as it stands now; a script that follows it asks for the live part alone."""
    view = view_of(workbench, archive, run_id)
    return show(
        request,
        "run.html",
        view=view,
        run=view.run,
        ended=view.run.status in ENDED,
        message_id=new_id(),
        accepted=",".join(sent_suffixes()),
    )
