"""``/v1/research``: ask what the archived documents say, and look at what was found."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.errors import InvalidRequest
from averment.faces.http.access import DOING, LOOKING, Bench, RunId, errors
from averment.faces.http.documents import RunReceipt
from averment.faces.http.failures import json_response
from averment.faces.http.links import receipt, run_links

router = APIRouter(tags=["research"])


class ResearchBody(BaseModel):
    """A question to the archived documents, and how far to go for it."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(min_length=10, max_length=500, description="The question, in plain words.")
    depth: Literal["quick", "standard", "comprehensive"] = "standard"
    providers: list[str] = Field(default_factory=lambda: ["corpus"], max_length=10, description="Where to search.")
    timeout_seconds: int | None = Field(default=None, ge=1, le=3600, description="Without it the depth decides.")


class ResearchDocument(BaseModel):
    """What a research found: its answer, the places it rests on, what is absent, and where sources disagree."""

    id: str
    status: str
    answer: str | None
    citations: list[dict[str, Any]]
    absent: dict[str, Any] | None
    discrepancies: list[dict[str, Any]]


@router.post(
    "/v1/research",
    status_code=202,
    response_model=RunReceipt,
    responses=errors(400, 507),
    dependencies=DOING,
    operation_id="research",
)
async def research(workbench: Bench, body: Annotated[ResearchBody, Body()]) -> Response:
    """Begin a research over the archived documents of this home, or over the providers that are named."""

    def submit() -> str:
        return workbench.submit_research(
            body.query, depth=body.depth, providers=tuple(body.providers), timeout=body.timeout_seconds
        )

    run_id = await run_in_threadpool(submit)
    return json_response(receipt(run_id, "submitted"), 202, {"Location": run_links(run_id)["self"]})


@router.get(
    "/v1/research/{run_id}",
    response_model=ResearchDocument,
    responses=errors(400, 404),
    dependencies=LOOKING,
    operation_id="show_research",
)
def show_research(workbench: Bench, run_id: RunId) -> Response:
    """The answer of a research as data."""
    run = workbench.show(run_id)
    if workbench.row(run.id).kind != "research":
        raise InvalidRequest("This run is no research.", hint="GET /v1/runs/{id} shows any run.")
    return json_response(
        {
            "id": run.id,
            "status": run.status,
            "answer": run.answer,
            "citations": run.citations,
            "absent": run.absent,
            "discrepancies": run.discrepancies,
        }
    )
