"""``/v1/runs``: look at runs, stop them, let them go on, verify them, forget them."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from pydantic.json_schema import SkipJsonSchema
from starlette.responses import Response

from averment.faces.http.access import Bench, HomeResumptions, Limit, Offset, Routes, RunId
from averment.faces.http.documents import RunDocument, RunList, RunReceipt, VerificationDocument
from averment.faces.http.failures import json_response
from averment.faces.http.links import receipt
from averment.operations import Operations
from averment.records.analysis import RunStatus
from averment.records.base import picked

router = Routes(tags=["runs"])

# Plain functions, not coroutines: FastAPI runs each in a thread, so that the event loop never waits for the workbench.


@router.looks("/v1/runs", RunList)
def list_runs(
    workbench: Bench,
    limit: Limit = 50,
    offset: Offset = 0,
    status: Annotated[RunStatus | SkipJsonSchema[None], Query(description="Only runs with this status.")] = None,
) -> Response:
    """List runs, newest first."""
    runs = [
        picked(run, "id", "status", "intent", "created_at", "answer")
        for run in workbench.runs.list(limit=limit, offset=offset, status=status)
    ]
    return json_response({"runs": runs})


@router.looks("/v1/runs/{run_id}", RunDocument, 404)
def show_run(workbench: Bench, run_id: RunId) -> Response:
    """Show the current state of a run."""
    return json_response(workbench.show(run_id).as_dict())


@router.acts("delete", "/v1/runs/{run_id}", None, 404, 409, status_code=204)
def forget_run(workbench: Bench, run_id: RunId) -> Response:
    """Delete a finished run with its rows and files; the ledger keeps its entries."""
    Operations(workbench).forget(workbench.runs.row(run_id).run_id)
    return Response(status_code=204)


@router.acts("post", "/v1/runs/{run_id}/cancel", RunReceipt, 404, status_code=202)
def cancel_run(workbench: Bench, run_id: RunId) -> Response:
    """Stop a run; a finished run does not change."""
    workbench.runs.cancel(run_id)
    run = workbench.show(run_id)
    return json_response(receipt(run.id, run.status), 202)


@router.acts("post", "/v1/runs/{run_id}/resume", RunReceipt, 404, status_code=202)
def resume_run(workbench: Bench, going_on: HomeResumptions, run_id: RunId) -> Response:
    """Continue an interrupted, failed or cancelled run; its events report progress."""
    run = workbench.show(run_id)
    going_on.begin(run.id)
    return json_response(receipt(run.id, run.status), 202)


@router.acts("post", "/v1/runs/{run_id}/choice", RunReceipt, 400, 404, status_code=202)
def choose_reading(
    workbench: Bench,
    run_id: RunId,
    number: Annotated[int, Query(ge=1, le=20, description="The number of the offered reading, starting at 1.")],
) -> Response:
    """Start one of the readings that a run offered; the choice is remembered."""
    begun = workbench.runs.start.choice(workbench.show(run_id).id, number)
    return json_response(receipt(begun, "submitted"), 202)


@router.acts("post", "/v1/runs/{run_id}/verify", VerificationDocument, 404, 409)
def verify_run(workbench: Bench, run_id: RunId) -> Response:
    """Check a run against the ledger and recompute every number; ``ok`` is true if every check passes."""
    verdict = workbench.verify(workbench.runs.row(run_id).run_id)
    return json_response({**verdict.model_dump(mode="json"), "ok": verdict.ok})
