"""Talking to the assistant: conversations, its questions as buttons, and the tasks at the side."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.archive import Archive
from averment.errors import AvermentError, InvalidRequest
from averment.faces.web.access import Bench, Fields, Kept, Taking
from averment.faces.web.dropped import DOCUMENTS, Dropped
from averment.faces.web.forms import Folder, Uploads
from averment.faces.web.home import TABLES, keep_documents
from averment.faces.web.pages import PageRoute, check_form, go, read_fields, show, wants_part
from averment.faces.web.talk import headed, talk_of
from averment.records.base import new_id
from averment.workbench import Workbench

router = APIRouter(route_class=PageRoute, include_in_schema=False)

ConversationId = Annotated[str, Path(max_length=100)]
LISTED = 20


@router.get("/chat")
def list_conversations(request: Request, workbench: Bench) -> Response:
    """A new conversation beside the earlier ones."""
    return _page(request, workbench, None)


@router.get("/chat/{conversation_id}")
def show_conversation(request: Request, workbench: Bench, conversation_id: ConversationId) -> Response:
    """One conversation with what waits for an answer in it."""
    return _page(request, workbench, conversation_id)


@router.post("/chat")
async def say(request: Request, workbench: Bench, archive: Kept, uploads: Taking) -> Response:
    """Say something, with files or without; the same form sent twice is one message."""
    fields, folder = await _read(request, uploads)
    conversation_id = await run_in_threadpool(_say, workbench, archive, fields, folder)
    return _after(request, conversation_id)


@router.post("/chat/open")
def open_conversation(workbench: Bench, fields: Fields) -> Response:
    """Open a conversation before anything is said in it, so that a window can listen from the first word on."""
    opened = workbench.assistant.conversations.open(fields.get("conversation_id") or None)
    return Response(status_code=204, headers={"X-Location": f"/chat/{opened.id}"})


@router.post("/chat/{conversation_id}/answer")
def answer(request: Request, workbench: Bench, conversation_id: ConversationId, fields: Fields) -> Response:
    """Answer the open question by one of its buttons."""
    given = fields.get("answer", "")
    values: dict[str, bool | int | None] = {"yes": True, "no": False, "none": None}
    if given not in values and not (given.isascii() and given.isdecimal() and len(given) < 4):
        raise InvalidRequest("That is not an answer to the question.")
    workbench.assistant.answer(
        fields.get("question_id", ""),
        values[given] if given in values else int(given),
        conversation_id=conversation_id,
        message_id=fields.get("message_id") or new_id(),
    )
    return _after(request, conversation_id)


@router.post("/chat/{conversation_id}/forget")
def forget(workbench: Bench, conversation_id: ConversationId, fields: Fields) -> Response:
    """Delete a conversation with all it holds."""
    _ = fields
    workbench.assistant.conversations.delete(conversation_id)
    return go("/chat")


async def _read(request: Request, uploads: Uploads[Folder]) -> tuple[dict[str, str], Dropped | None]:
    """The fields of a form with its files; one without files may come as a plain form."""
    kind = request.headers.get("content-type", "")
    if not kind.startswith("multipart/"):
        return await read_fields(request), None
    folder = Dropped(uploads.open_folder())
    try:
        form = await uploads.read_form(kind, request.stream(), folder)
        fields = {name: values[-1] for name, values in form.texts.items()}
        check_form(request, fields.pop("form_token", ""))
    except BaseException:
        # Cancellation too: whatever ends the reading, nothing is left behind.
        folder.discard()
        raise
    return fields, folder


def _say(workbench: Workbench, archive: Archive, fields: dict[str, str], folder: Dropped | None) -> str:
    message_id = fields.get("message_id") or new_id()
    conversation_id = fields.get("conversation_id") or workbench.assistant.begun_by(message_id)
    try:
        if folder is not None and folder.documents:
            keep_documents(archive, folder.documents)
            names = [one.name for one in folder.documents]
            workbench.assistant.note_documents(names, conversation_id=conversation_id)
        answered = workbench.chat(
            fields.get("message", ""),
            conversation_id=conversation_id,
            message_id=message_id,
            files=() if folder is None else folder.files,
        )
    except AvermentError as error:
        if folder is None:
            raise
        folder.discard()
        raise folder.hide(error) from error
    return answered.conversation_id


def _after(request: Request, conversation_id: str) -> Response:
    if wants_part(request):
        # The events of the conversation have told it all; the script only needs to know where it is.
        return Response(status_code=204, headers={"X-Location": f"/chat/{conversation_id}"})
    return go(f"/chat/{conversation_id}")


def _page(request: Request, workbench: Workbench, conversation_id: str | None) -> Response:
    assistant = workbench.assistant
    talk = None if conversation_id is None else talk_of(workbench, assistant.conversations.get(conversation_id))
    question = None if conversation_id is None else assistant.question(conversation_id)
    return show(
        request,
        "chat.html",
        talk=talk,
        fresh=new_id(),
        question=question,
        conversations=headed(assistant.conversations, limit=LISTED),
        tasks=[kept.task for kept in workbench.tasks.list("pending")],
        message_id=new_id(),
        accepted=",".join((*TABLES, *DOCUMENTS)),
    )
