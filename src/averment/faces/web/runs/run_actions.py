"""What can be done with a run: check it, stop it, let it go on, run it again, choose a reading, forget it."""

from __future__ import annotations

from fastapi import Request
from starlette.responses import Response

from averment.errors import InvalidRequest
from averment.faces.web.shell.page_access import Bench, Fields, HomeOperations, Resuming, RunId
from averment.faces.web.shell.pages import Pages, go, show

router = Pages()


@router.acts("/runs/{run_id}/verify")
def verify(request: Request, workbench: Bench, run_id: RunId) -> Response:
    """Check a run against the ledger and recompute every number it tells."""
    run = workbench.runs.look_up(run_id)
    return show(request, "verdict.html", run=run, verdict=workbench.verify(run.id))


@router.acts("/runs/{run_id}/cancel")
def cancel(workbench: Bench, run_id: RunId) -> Response:
    """Ask a run to stop."""
    run = workbench.show(run_id)
    workbench.runs.cancel(run.id)
    return go(f"/runs/{run.id}")


@router.acts("/runs/{run_id}/resume")
def resume(workbench: Bench, going_on: Resuming, run_id: RunId) -> Response:
    """Let a run that was stopped, failed or interrupted go on."""
    run = workbench.show(run_id)
    going_on.begin(run.id)
    return go(f"/runs/{run.id}")


@router.acts("/runs/{run_id}/replay")
def replay(request: Request, workbench: Bench, run_id: RunId) -> Response:
    """Run the recorded plan again, and say what differs."""
    run = workbench.show(run_id)
    again, differences = workbench.runs.replay(run.id)
    return show(request, "replay.html", run=run, again=again, differences=differences)


@router.post("/runs/{run_id}/choose")
def choose(workbench: Bench, run_id: RunId, fields: Fields) -> Response:
    """Carry out one of the readings that a run offered."""
    given = fields.get("number", "")
    if not (given.isascii() and given.isdecimal() and len(given) < 3):
        raise InvalidRequest("That reading was not offered.")
    return go(f"/runs/{workbench.runs.start.choice(workbench.show(run_id), int(given))}")


@router.post("/runs/{run_id}/forget")
def forget(workbench: Bench, archive: HomeOperations, run_id: RunId, fields: Fields) -> Response:
    """Take a run away with its files and rows, once that was said in so many words; the ledger keeps its entries."""
    run = workbench.show(run_id)
    if fields.get("sure") != "yes":
        raise InvalidRequest("Forgetting a run cannot be taken back.", hint="Say that you are sure.")
    archive.forget(run.id)
    return go("/runs")
