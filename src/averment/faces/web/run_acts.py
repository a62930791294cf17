"""What can be done with a run: check it, stop it, let it go on, run it again, ask about the same data."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from averment.errors import NoSources
from averment.faces.web.access import Bench, Fields, Kept, Resuming, RunId
from averment.faces.web.pages import PageRoute, go, show

router = APIRouter(route_class=PageRoute, include_in_schema=False)


@router.post("/runs/{run_id}/verify")
def verify(request: Request, workbench: Bench, run_id: RunId, fields: Fields) -> Response:
    """Check a run against the ledger and recompute every number it tells."""
    _ = fields
    run = workbench.show(run_id)
    return show(request, "verdict.html", run=run, verdict=workbench.verify(run.id))


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
    """Ask another question about the same data."""
    run = workbench.show(run_id)
    sources = archive.sources_of(archive.row(run.id))
    if not sources:
        raise NoSources("The run has no tables to ask about again.")
    return go(f"/runs/{workbench.submit(fields.get('question', ''), sources)}")
