"""The list of runs, and one run: how it was read, where it stands, what it found."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from averment.faces.web.access import Bench, Kept, RunId
from averment.faces.web.pages import PageRoute, show
from averment.faces.web.view import view_of
from averment.records.analysis import ENDED, RUN_STATES

router = APIRouter(route_class=PageRoute, include_in_schema=False)

SHOWN = 30


@router.get("/runs")
def list_runs(
    request: Request,
    workbench: Bench,
    status: Annotated[str, Query(max_length=40)] = "",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> Response:
    """Runs, the newest first, all or those of one status."""
    found = workbench.list(limit=SHOWN + 1, offset=(page - 1) * SHOWN, status=status or None)
    states = sorted(RUN_STATES.states)
    return show(
        request, "runs.html", runs=found[:SHOWN], more=len(found) > SHOWN, page=page, wanted=status, states=states
    )


@router.get("/runs/{run_id}")
def show_run(request: Request, workbench: Bench, archive: Kept, run_id: RunId) -> Response:
    """A run as it stands now; a script that follows it asks for the live part alone."""
    view = view_of(workbench, archive, run_id)
    checked = archive.last_check(view.run.id)
    return show(request, "run.html", view=view, run=view.run, ended=view.run.status in ENDED, checked=checked)
