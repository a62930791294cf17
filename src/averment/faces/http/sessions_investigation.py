"""``/v1/sessions/{id}/…``: start the investigation, watch it, read what it found, ask about it."""

from __future__ import annotations

from typing import Annotated

from fastapi import Query
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.agents.driller.sessions import Sessions
from averment.errors import InvestigationNotComplete
from averment.faces.http.access import Bench, HomeResumptions, Routes
from averment.faces.http.failures import json_response
from averment.faces.http.sessions_access import CodedRoute, HomeSessions, SessionId
from averment.faces.http.sessions_documents import ExplanationList, InvestigationList, IterationList, MessageList
from averment.faces.http.stream import After, LastEvent, follow_run, follows
from averment.records.drilldown.api import (
    ChatRequest,
    ChatResponse,
    InvestigationOrder,
    InvestigationResponse,
    ReportResponse,
)
from averment.records.drilldown.past import Comparison

Number = Annotated[int, Query(ge=1, le=1_000, description="The number of an investigation in the session's list.")]

router = Routes(tags=["sessions"], route_class=CodedRoute)


@router.acts(
    "post",
    "/v1/sessions/{session_id}/investigate",
    InvestigationResponse,
    400,
    404,
    409,
    410,
    415,
    422,
    507,
    status_code=202,
)
def investigate(sessions: HomeSessions, session_id: SessionId, body: InvestigationOrder) -> Response:
    """Start an investigation of the session; its events report progress.

    The metric, its joins and both sides are checked against the files first. A metric that cannot be computed is
    refused here, and the session does not change. ``groups`` compares two values of a column instead of two periods.
    """
    run_id = sessions.start(
        str(session_id),
        body.model_dump(exclude={"column_roles", "relations"}),
        column_roles=dict(body.column_roles),
        relations=body.relations,
    )
    links = {
        "Location": f"/v1/sessions/{session_id}/investigation",
        "Link": f'</v1/runs/{run_id}>; rel="related"',
    }
    return json_response(_standing(sessions, str(session_id)), 202, links)


@router.looks("/v1/sessions/{session_id}/investigation", InvestigationResponse, 404, 409, 410)
def show_investigation(sessions: HomeSessions, session_id: SessionId) -> Response:
    """Show the state of the session's investigation."""
    return json_response(_standing(sessions, str(session_id)))


@router.looks("/v1/sessions/{session_id}/investigations", InvestigationList, 404, 410)
def list_investigations(sessions: HomeSessions, session_id: SessionId) -> Response:
    """List the investigations of the session, the current one last."""
    found = sessions.investigations(str(session_id))
    return json_response({"investigations": [one.model_dump(mode="json") for one in found]})


@router.looks("/v1/sessions/{session_id}/compare", Comparison, 404, 409, 410)
def compare_investigations(sessions: HomeSessions, session_id: SessionId, first: Number, second: Number) -> Response:
    """Compare two completed investigations: shared and separate findings, and values that moved differently."""
    return json_response(sessions.compare(str(session_id), first, second).model_dump(mode="json"))


@router.looks("/v1/sessions/{session_id}/events", None, 404, 409, 410, **follows("The investigation"))
async def follow_session(
    workbench: Bench,
    going_on: HomeResumptions,
    sessions: HomeSessions,
    session_id: SessionId,
    after: After = 0,
    last_event_id: LastEvent = None,
) -> Response:
    """Stream the past and new events of the investigation until it ends."""
    run_id = await run_in_threadpool(sessions.run_of, str(session_id))
    if run_id is None:
        raise _not_started()
    return await follow_run(workbench, going_on, run_id, after, last_event_id)


@router.looks("/v1/sessions/{session_id}/report", ReportResponse, 404, 409, 410)
def read_session_report(sessions: HomeSessions, session_id: SessionId) -> Response:
    """Return the report of a completed investigation as Markdown."""
    report = sessions.report(str(session_id))
    return json_response(report.model_dump(mode="json", exclude={"session_id"}))


@router.looks("/v1/sessions/{session_id}/explanations", ExplanationList, 404, 409, 410)
def list_explanations(sessions: HomeSessions, session_id: SessionId) -> Response:
    """List the ranked explanations of a completed investigation with their evidence."""
    found = sessions.explanations(str(session_id))
    return json_response({"explanations": [one.model_dump(mode="json") for one in found]})


@router.looks("/v1/sessions/{session_id}/iterations", IterationList, 404, 410)
def list_iterations(sessions: HomeSessions, session_id: SessionId) -> Response:
    """List every step so far, also while the investigation is running."""
    iterations = sessions.iterations(str(session_id))
    hypotheses = sessions.hypotheses(str(session_id))
    return json_response(
        {
            "iterations": [one.model_dump(mode="json") for one in iterations],
            "hypotheses": [one.model_dump(mode="json") for one in hypotheses],
        }
    )


@router.acts("post", "/v1/sessions/{session_id}/chat", ChatResponse, 400, 404, 409, 410, 507)
def ask_session(sessions: HomeSessions, session_id: SessionId, body: ChatRequest) -> Response:
    """Ask a question about a completed investigation."""
    answer = sessions.chat(str(session_id), body.message)
    return json_response({"response": answer.content, "artifacts_referenced": list(answer.artifacts_referenced)})


@router.looks("/v1/sessions/{session_id}/chat", MessageList, 404, 410)
def list_messages(sessions: HomeSessions, session_id: SessionId) -> Response:
    """List the questions and answers so far."""
    return json_response({"messages": [one.model_dump(mode="json") for one in sessions.history(str(session_id))]})


def _standing(sessions: Sessions, session_id: str) -> dict[str, str]:
    session, sentence = sessions.status(session_id)
    if session.status not in {"running", "completed", "failed"}:
        raise _not_started()
    return {"status": session.status, "message": sentence}


def _not_started() -> InvestigationNotComplete:
    return InvestigationNotComplete("The session's investigation has not been started.")
