"""Asking: one thread of questions and answer cards, with the tasks and files of it at the side."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from importlib import resources
from pathlib import PurePosixPath
from typing import Annotated, Any

from fastapi import Path, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.agents.assistant.dialogue import Dialogue
from averment.agents.assistant.own_conversations import OwnConversations
from averment.agents.assistant.sources import sent_suffixes
from averment.errors import AvermentError, InvalidRequest, RunNotFound, SourceEmpty, SourceNotFound
from averment.faces.web.data.dropped_files import DroppedFiles, keep_documents
from averment.faces.web.runs.cards import CardView, card_of
from averment.faces.web.shell.forms import Folder, Uploads
from averment.faces.web.shell.page_access import Bench, Fields, HomeOperations, Taking
from averment.faces.web.shell.pages import Pages, check_form, go, read_fields, show, wants_part
from averment.operations import Operations, Upload
from averment.records.base import new_id
from averment.records.chat import Conversation, Message, ToolCall
from averment.store.chat.conversations import ChatEvent
from averment.workbench import Workbench
from averment.workbench.datasets import NAMED

DONE: dict[str, str] = {
    "add_task": "Added a task",
    "list_tasks": "Looked at the tasks",
    "update_task": "Changed a task",
    "complete_task": "Finished a task",
    "delete_task": "Deleted a task",
    "undo": "Took a change back",
    "analyze": "Asked the analyst",
    "drill": "Asked the driller",
    "research": "Asked the researcher",
    "choose": "Chose a reading",
    "ask_run": "Looked it up in the last answer",
    "verify": "Verified a run",
    "show": "Looked at a run",
}
WHOLE = 2
"""So many of the newest cards are shown with their tables."""
TITLE_LETTERS = 60
FIRST_EVENTS = 4


@dataclass(frozen=True)
class ToolCard:
    """One tool that was called."""

    name: str
    words: str
    sent: str
    came: str
    error: str | None
    run: CardView | None


@dataclass(frozen=True)
class MessageLine:
    """One message."""

    id: str
    role: str
    text: str
    at: datetime
    cards: tuple[ToolCard, ...]

    @property
    def has_run(self) -> bool:
        """Whether it is told by the card of a run."""
        return any(card.run is not None for card in self.cards)


@dataclass(frozen=True)
class ConversationHead:
    """A conversation in the list."""

    id: str
    title: str
    at: datetime


@dataclass(frozen=True)
class Talk:
    """One conversation, and from which event on a window has to listen."""

    id: str
    began_with: CardView | None
    """The card of the run that the thread was opened about."""
    lines: tuple[MessageLine, ...]
    attached: tuple[str, ...]
    dataset: str
    """The kept dataset that was chosen for it last, by its id."""
    after: int
    busy: bool

    @property
    def title(self) -> str:
        """What was asked first."""
        if self.began_with is not None:
            return self.began_with.run.intent
        return next((line.text for line in self.lines if line.role == "user"), "")


def talk_of(workbench: Workbench, archive: Operations, conversation: Conversation) -> Talk:
    """The conversation; where an answer is under way, its events are told again from its beginning.

    The newest cards are whole; those before them are without their tables.
    """
    begun, last = _where(workbench.assistant.conversations.all_events(conversation.id))
    dialogue = Dialogue.of(conversation.metadata)
    named = [source.removeprefix(NAMED) for source in dialogue.sources if source.startswith(NAMED)]
    names = tuple(_source_name(workbench, source) for source in dialogue.sources)
    whole = {message.id for message in [one for one in conversation.messages if one.tool_calls][-WHOLE:]}
    lines = [_line(workbench, archive, message, brief=message.id not in whole) for message in conversation.messages]
    lines = [_in_words(line, lines[at + 1] if at + 1 < len(lines) else None) for at, line in enumerate(lines)]
    first = (
        None if dialogue.began_with is None else _card_of(workbench, archive, dialogue.began_with, brief=bool(whole))
    )
    return Talk(
        id=conversation.id,
        began_with=first,
        lines=tuple(lines),
        attached=names,
        dataset=named[-1] if named else "",
        after=last if begun is None else begun - 1,
        busy=begun is not None,
    )


def _source_name(workbench: Workbench, source: str) -> str:
    """What a source of a conversation is called: a dataset by its name, a file without its place."""
    if not source.startswith(NAMED):
        return PurePosixPath(source.rsplit(":", 1)[-1]).name
    try:
        return workbench.datasets.get(source.removeprefix(NAMED)).name
    except SourceNotFound:
        return "a dataset that was removed"


def headed(store: OwnConversations, *, limit: int) -> list[ConversationHead]:
    """The newest conversations, each by what was said first in it."""
    found: list[ConversationHead] = []
    for one in store.list(limit=limit):
        first = store.events(one.id, limit=FIRST_EVENTS)
        said = next((str(e.body.get("delta", "")) for e in first if e.type == "TEXT_MESSAGE_CONTENT"), "")
        found.append(ConversationHead(one.id, said[:TITLE_LETTERS] or "Nothing said yet", one.updated_at))
    return found


def _where(events: Sequence[ChatEvent]) -> tuple[int | None, int]:
    """The number of the event that began an answer which is not over, and of the last event."""
    begun: int | None = None
    for event in events:
        if event.type == "RUN_STARTED":
            begun = event.seq
        elif event.type == "RUN_FINISHED":
            begun = None
    return begun, events[-1].seq if events else 0


def _line(workbench: Workbench, archive: Operations, message: Message, *, brief: bool) -> MessageLine:
    cards = tuple(_tool_card(workbench, archive, call, brief=brief) for call in message.tool_calls)
    return MessageLine(message.id, message.role, message.content, message.created_at, cards)


def _in_words(line: MessageLine, reply: MessageLine | None) -> MessageLine:
    """A reading that was chosen by its number, in the words of that reading."""
    card = next((one.run for one in reply.cards if one.name == "choose" and one.run), None) if reply else None
    return line if card is None or not line.text.isdecimal() else replace(line, text=card.run.read_back or line.text)


def _tool_card(workbench: Workbench, archive: Operations, call: ToolCall, *, brief: bool) -> ToolCard:
    result: Mapping[str, Any] = call.result or {}
    run_id = result.get("run_id") if "findings" in result else None
    return ToolCard(
        name=call.tool_name,
        words=DONE.get(call.tool_name, call.tool_name.replace("_", " ")),
        sent=_written(call.parameters),
        came="" if call.result is None else _written(call.result),
        error=call.error,
        run=_card_of(workbench, archive, str(run_id), brief=brief) if run_id else None,
    )


def _card_of(workbench: Workbench, archive: Operations, run_id: str, *, brief: bool) -> CardView | None:
    try:
        return card_of(workbench, archive, run_id, brief=brief)
    except RunNotFound:
        return None  # It was forgotten; what was said of it stays.


def _written(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


router = Pages()

ConversationId = Annotated[str, Path(max_length=100)]
LISTED = 12
SAMPLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "sales": ("total amount by region in 2024", ("sales.csv",)),
    "drill": (
        "Why did the total amount fall in 2024-01-29 to 2024-02-25 compared to 2024-01-01 to 2024-01-28?",
        ("orders.csv", "customers.csv"),
    ),
    "harbour": (
        "What did the dredging of the Port of Aldermouth cost?",
        ("harbour/gazette.md", "harbour/letter.md", "harbour/yearbook.md"),
    ),
}
"""What is asked of which sample files."""


@router.get("/home")
def home(request: Request, workbench: Bench, archive: HomeOperations) -> Response:
    """A new thread: the ask box, what can be asked, and the threads before."""
    return _page(request, workbench, archive, None)


@router.get("/chat")
def new_thread() -> Response:
    """A new thread is begun on the first page."""
    return go("/home")


@router.get("/chat/{conversation_id}")
def show_thread(
    request: Request, workbench: Bench, archive: HomeOperations, conversation_id: ConversationId
) -> Response:
    """One thread with what waits for an answer in it."""
    return _page(request, workbench, archive, conversation_id)


@router.post("/chat")
async def say(request: Request, workbench: Bench, archive: HomeOperations, uploads: Taking) -> Response:
    """Ask or say something, with files or without; the same form sent twice is one message."""
    fields, folder = await _read(request, uploads)
    conversation_id = await run_in_threadpool(_say, workbench, archive, fields, folder)
    return _after(request, conversation_id)


@router.post("/chat/open")
def open_thread(workbench: Bench, archive: HomeOperations, fields: Fields) -> Response:
    """Open a thread before anything is said in it, so that a window can listen from the first word on."""
    opened = workbench.assistant.conversations.open(fields.get("conversation_id") or None)
    if fields.get("about"):
        lean_on(workbench, archive, fields["about"], opened.id)
    _attach_dataset(workbench, fields, opened.id)
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


@router.acts("/chat/{conversation_id}/stop")
def stop(request: Request, workbench: Bench, conversation_id: ConversationId) -> Response:
    """Stop what is being worked on in a thread."""
    workbench.assistant.conversations.get(conversation_id)
    for run_id in workbench.assistant.under_way(conversation_id):
        try:
            workbench.runs.cancel(run_id)
        except RunNotFound:
            continue  # It was not begun yet.
    return _after(request, conversation_id)


@router.acts("/chat/{conversation_id}/forget")
def forget(workbench: Bench, archive: HomeOperations, conversation_id: ConversationId) -> Response:
    """Delete a thread with all that was said in it, and its files where nothing else uses them; its runs stay."""
    sources = Dialogue.of(workbench.assistant.conversations.get(conversation_id).metadata).sources
    workbench.assistant.conversations.delete(conversation_id)
    archive.clear_uploads(sources)
    return go("/home")


@router.post("/sample")
def take_sample(workbench: Bench, archive: HomeOperations, uploads: Taking, fields: Fields) -> Response:
    """Ask one of the samples its question."""
    question, names = SAMPLES.get(fields.get("sample", ""), SAMPLES["sales"])
    samples = resources.files("averment.faces.web").joinpath("samples")
    folder = DroppedFiles(uploads.open_folder(), tables_first=True)
    for name in names:
        folder.append([(folder.claim(name), samples.joinpath(name).read_bytes())])
    return go(f"/chat/{_say(workbench, archive, {'message': question}, folder)}")


async def _read(request: Request, uploads: Uploads[Folder]) -> tuple[dict[str, str], DroppedFiles | None]:
    """The fields of a form with its files; one without files may come as a plain form."""
    kind = request.headers.get("content-type", "")
    if not kind.startswith("multipart/"):
        return await read_fields(request), None
    folder = DroppedFiles(uploads.open_folder(), tables_first=True)
    try:
        form = await uploads.read_form(kind, request.stream(), folder)
        fields = {name: values[-1] for name, values in form.texts.items()}
        check_form(request, fields.pop("form_token", ""))
        if folder.empty:
            names = ", ".join(folder.empty)
            raise SourceEmpty(f"{names}: there is nothing in it (0 bytes).", hint="Choose the file again, or another.")
    except BaseException:
        # Cancellation too: whatever ends the reading, nothing is left behind.
        folder.discard()
        raise
    return fields, folder


def _say(workbench: Workbench, archive: Operations, fields: dict[str, str], folder: DroppedFiles | None) -> str:
    message_id = fields.get("message_id") or new_id()
    conversation_id = fields.get("conversation_id") or workbench.assistant.conversation_id_for(message_id)
    try:
        if fields.get("about"):
            lean_on(workbench, archive, fields["about"], conversation_id)
        _attach_dataset(workbench, fields, conversation_id)
        if folder is not None and folder.documents:
            documents: list[Upload] = folder.documents
            keep_documents(archive, documents)
            names = [one.name for one in documents]
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


def _attach_dataset(workbench: Workbench, fields: dict[str, str], conversation_id: str) -> None:
    """Let a thread be about a kept dataset, where one was chosen.

    Raises:
        SourceNotFound: there is none of that name.
    """
    if fields.get("dataset"):
        name = f"{NAMED}{workbench.datasets.get(fields['dataset']).dataset_id}"
        workbench.assistant.attach([name], conversation_id=conversation_id)


def lean_on(workbench: Workbench, archive: Operations, run_id: str, conversation_id: str) -> str:
    """Let what is said next in a thread be about a run of the library; returns the thread's id."""
    run = workbench.show(run_id)
    row = workbench.runs.row(run.id)
    table = run.table if row.kind == "analysis" else None
    ran = {
        "run_id": run.id,
        "kind": row.kind,
        "row_count": 0 if table is None else table.num_rows,
        "offers": bool(run.offers),
    }
    if row.kind == "research":
        names = [str(one.get("document") or one.get("name") or "") for one in run.citations]
        workbench.assistant.note_documents(
            [name for name in names if name] or ["sources"], conversation_id=conversation_id
        )
    sources = () if row.kind == "research" else archive.sources_of(row)
    return workbench.assistant.lean_on(ran, sources, conversation_id=conversation_id)


def _after(request: Request, conversation_id: str) -> Response:
    if wants_part(request):
        # The events of the thread have told it all; the script only needs to know where it is.
        return Response(status_code=204, headers={"X-Location": f"/chat/{conversation_id}"})
    return go(f"/chat/{conversation_id}")


def _page(request: Request, workbench: Workbench, archive: Operations, conversation_id: str | None) -> Response:
    assistant = workbench.assistant
    talk = (
        None if conversation_id is None else talk_of(workbench, archive, assistant.conversations.get(conversation_id))
    )
    question = None if conversation_id is None else assistant.question(conversation_id)
    return show(
        request,
        "thread.html",
        talk=talk,
        thread_id=new_id() if talk is None else talk.id,
        question=question,
        threads=headed(assistant.conversations, limit=LISTED),
        tasks=[kept.task for kept in workbench.home.tasks.list("pending")],
        message_id=new_id(),
        accepted=",".join(sent_suffixes()),
        samples=SAMPLES,
        datasets=workbench.datasets.list(),
    )
