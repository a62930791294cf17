"""``/v1/research``: ask what the archived documents say, and look at what was found."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Body
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.errors import RunNotFound
from averment.faces.http.access import Bench, Routes, RunId
from averment.faces.http.documents import RunReceipt
from averment.faces.http.failures import json_response
from averment.faces.http.links import receipt, run_links
from averment.records.base import picked
from averment.runtime.outcome import Run

router = Routes(tags=["research"])


class ResearchBody(BaseModel):
    """A question about the archived documents, and the depth of the search."""

    model_config = ConfigDict(extra="forbid")

    query: str = Field(min_length=10, max_length=500, description="The question, in plain words.")
    corpora: list[Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_.-]{0,63}$")]] = Field(
        default=[], max_length=50, description="The corpora to search; by default the one named default."
    )
    depth: Literal["quick", "standard", "comprehensive"] = "standard"
    timeout_seconds: int | None = Field(default=None, ge=1, le=3600, description="By default, the depth decides.")


class ResearchTree(BaseModel):
    """The questions of a research run: its plan, its follow-up questions and the outcome of each."""

    id: str
    status: str
    questions: list[dict[str, Any]]


class ResearchFacts(BaseModel):
    """The sentences that a research run found, each with its location."""

    id: str
    status: str
    facts: list[dict[str, Any]]


class ResearchDocument(BaseModel):
    """The result of a research run: its answer, its sources, what is missing, and where sources disagree."""

    id: str
    status: str
    answer: str | None
    citations: list[dict[str, Any]]
    absent: dict[str, Any] | None
    discrepancies: list[dict[str, Any]]


@router.acts("post", "/v1/research", RunReceipt, 400, 507, status_code=202)
async def research(workbench: Bench, body: Annotated[ResearchBody, Body()]) -> Response:
    """Start research over the archived documents of this home; nothing leaves the machine."""

    def submit() -> str:
        return workbench.runs.start.research(
            body.query, corpora=body.corpora, depth=body.depth, timeout=body.timeout_seconds
        )

    run_id = await run_in_threadpool(submit)
    return json_response(receipt(run_id, "submitted"), 202, {"Location": run_links(run_id)["self"]})


@router.looks("/v1/research/{run_id}", ResearchDocument, 404)
def show_research(workbench: Bench, run_id: RunId) -> Response:
    """Show the answer of a research run as data."""
    run = _shown(workbench, run_id)
    return json_response(picked(run, "id", "status", "answer", "citations", "absent", "discrepancies"))


@router.looks("/v1/research/{run_id}/tree", ResearchTree, 404, operation_id="show_research_tree")
def show_tree(workbench: Bench, run_id: RunId) -> Response:
    """List the questions of a research run with their parents and their outcomes."""
    run = _shown(workbench, run_id)
    return json_response({"id": run.id, "status": run.status, "questions": run.questions})


@router.looks("/v1/research/{run_id}/facts", ResearchFacts, 404, operation_id="show_research_facts")
def show_facts(workbench: Bench, run_id: RunId) -> Response:
    """List the sentences a research run found, with their spans in the archived texts."""
    run = _shown(workbench, run_id)
    return json_response({"id": run.id, "status": run.status, "facts": run.facts})


def _shown(workbench: Bench, run_id: str) -> Run:
    run = workbench.show(run_id)
    if workbench.runs.row(run.id).kind != "research":
        raise RunNotFound("This run is not a research run.", hint="GET /v1/runs/{id} shows any run.")
    return run
