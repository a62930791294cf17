"""Talking to the assistant: conversations, its questions as buttons, and the tasks at the side."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.responses import Response

from averment.errors import InvalidRequest
from averment.faces.web.access import Bench, Fields, Kept
from averment.faces.web.archive import Archive
from averment.faces.web.pages import PageRoute, go, show, wants_part
from averment.records.base import new_id
from averment.workbench import Workbench

router = APIRouter(route_class=PageRoute, include_in_schema=False)

ConversationId = Annotated[str, Path(max_length=100)]


@router.get("/chat")
def list_conversations(request: Request, workbench: Bench, archive: Kept) -> Response:
    """A new conversation beside the earlier ones."""
    return _page(request, workbench, archive, None)


@router.get("/chat/{conversation_id}")
def show_conversation(request: Request, workbench: Bench, archive: Kept, conversation_id: ConversationId) -> Response:
    """One conversation with what waits for an answer in it."""
    return _page(request, workbench, archive, conversation_id)


@router.post("/chat")
def say(request: Request, workbench: Bench, archive: Kept, fields: Fields) -> Response:
    """Say something; the same form sent twice is one message."""
    answered = workbench.chat(
        fields.get("message", ""),
        conversation_id=fields.get("conversation_id") or None,
        message_id=fields.get("message_id") or None,
    )
    return _after(request, workbench, archive, answered.conversation_id)


@router.post("/chat/{conversation_id}/answer")
def answer(
    request: Request, workbench: Bench, archive: Kept, conversation_id: ConversationId, fields: Fields
) -> Response:
    """Answer the open question by one of its buttons."""
    given = fields.get("answer", "")
    values: dict[str, bool | int | None] = {"yes": True, "no": False, "none": None}
    if given not in values and not (given.isascii() and given.isdecimal() and len(given) < 4):
        raise InvalidRequest("That is no answer to the question.")
    workbench.assistant.answer(
        fields.get("question_id", ""),
        values[given] if given in values else int(given),
        conversation_id=conversation_id,
        message_id=fields.get("message_id") or new_id(),
    )
    return _after(request, workbench, archive, conversation_id)


@router.post("/chat/{conversation_id}/forget")
def forget(workbench: Bench, conversation_id: ConversationId, fields: Fields) -> Response:
    """Delete a conversation with all it holds."""
    _ = fields
    workbench.assistant.conversations.delete(conversation_id)
    return go("/chat")


def _after(request: Request, workbench: Workbench, archive: Archive, conversation_id: str) -> Response:
    if wants_part(request):
        return _page(request, workbench, archive, conversation_id)
    return go(f"/chat/{conversation_id}")


def _page(request: Request, workbench: Workbench, archive: Archive, conversation_id: str | None) -> Response:
    conversation = None if conversation_id is None else workbench.assistant.conversations.get(conversation_id)
    question = None if conversation_id is None else workbench.assistant.question(conversation_id)
    return show(
        request,
        "chat.html",
        conversation=conversation,
        question=question,
        conversations=workbench.assistant.conversations.list(limit=20),
        tasks=[kept.task for kept in archive.tasks().list("pending")],
        message_id=new_id(),
    )
