"""``/v1/chat`` and ``/v1/conversations``: say something, look back, answer a question, forget."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Query
from starlette.responses import Response

from averment.agents.assistant.agui_events import question_card
from averment.agents.assistant.sources import uploads_only
from averment.faces.http.access import Bench, Routes
from averment.faces.http.chat_documents import (
    AnswerRequest,
    ChatDocument,
    ChatRequest,
    ConversationDocument,
    ConversationId,
    ConversationList,
)
from averment.faces.http.failures import json_response
from averment.faces.http.links import run_links
from averment.records.base import iso_z, new_id
from averment.records.chat import AgentResponse, Conversation
from averment.store.storage.configured import open_files
from averment.workbench import Workbench

router = Routes(tags=["chat"])


@router.acts("post", "/v1/chat", ChatDocument, 400, 404, 409, 413)
def chat(workbench: Bench, asked: ChatRequest) -> Response:
    """Send a message to the assistant; it uses its own record of the conversation, never a history from the client."""
    message_id = asked.message_id or new_id()
    conversation_id = asked.conversation_id or workbench.assistant.conversation_id_for(message_id)
    if asked.files:
        files = open_files(workbench.settings)
        uploads_only(workbench.settings.home, files=files, owns=workbench.home.owns_upload)(asked.files)
        # By their references: where they lie on this machine is nobody's business.
        workbench.assistant.attach(asked.files, conversation_id=conversation_id)
    reply = workbench.assistant.turn(asked.message, conversation_id=conversation_id, message_id=message_id)
    return _reply(workbench, reply, message_id)


@router.looks("/v1/conversations", ConversationList)
def list_conversations(workbench: Bench, limit: Annotated[int, Query(ge=1, le=1000)] = 50) -> Response:
    """List the conversations of the last thirty days, newest first."""
    found = workbench.assistant.conversations.list(limit=limit)
    return json_response({"conversations": [_summary(conversation) for conversation in found]})


@router.looks("/v1/conversations/{conversation_id}", ConversationDocument, 404)
def show_conversation(workbench: Bench, conversation_id: ConversationId) -> Response:
    """Show a conversation with its latest messages."""
    conversation = workbench.assistant.conversations.get(conversation_id)
    document = {
        **_summary(conversation),
        "user_id": conversation.user_id,
        "messages": [message.model_dump(mode="json") for message in conversation.messages],
        "metadata": None if conversation.metadata is None else conversation.metadata.model_dump(mode="json"),
        "question": _question(workbench, conversation_id),
    }
    return json_response(document)


@router.acts("delete", "/v1/conversations/{conversation_id}", None, 404, status_code=204)
def forget_conversation(workbench: Bench, conversation_id: ConversationId) -> Response:
    """Delete a conversation; the tasks and runs it created are kept."""
    workbench.assistant.conversations.delete(conversation_id)
    return Response(status_code=204)


@router.acts("post", "/v1/conversations/{conversation_id}/answers", ChatDocument, 400, 404, 409)
def answer_question(workbench: Bench, conversation_id: ConversationId, given: AnswerRequest) -> Response:
    """Answer the open question once; an answer to any other question is refused and changes nothing."""
    message_id = given.message_id or new_id()
    reply = workbench.assistant.answer(
        given.question_id, given.answer, conversation_id=conversation_id, message_id=message_id
    )
    return _reply(workbench, reply, message_id)


def _reply(workbench: Workbench, reply: AgentResponse, message_id: str) -> Response:
    question = _question(workbench, reply.conversation_id)
    body = {**reply.model_dump(mode="json"), "message_id": message_id, "question": question, "runs": _runs(reply)}
    return json_response(body)


def _runs(reply: AgentResponse) -> list[dict[str, Any]]:
    """The runs that a reply rests on, with the addresses of what it names."""
    found: dict[str, dict[str, Any]] = {}
    for call in reply.tool_calls:
        told = call.result or {}
        run_id = told.get("run_id")
        if not isinstance(run_id, str) or "findings" not in told:
            continue
        place = run_links(run_id)
        found[run_id] = {
            "id": run_id,
            **{name: told[name] for name in ("kind", "status", "columns", "rows", "row_count")},
            "charts": [f"{place['self']}/artifacts/{quote(name)}" for name in told["charts"] if name.endswith(".png")],
            "report": place["report"],
            "proof": place["verify"],
        }
    return list(found.values())


def _question(workbench: Workbench, conversation_id: str) -> dict[str, Any] | None:
    waiting = workbench.assistant.question(conversation_id)
    return None if waiting is None else question_card(waiting)


def _summary(conversation: Conversation) -> dict[str, Any]:
    return {
        "id": conversation.id,
        "created_at": iso_z(conversation.created_at),
        "updated_at": iso_z(conversation.updated_at),
    }
