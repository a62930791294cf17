"""``POST /v1/agui``: one turn for a page that speaks AG-UI, answered with the events of its run.

Of what such a page sends, only the newest message of the user counts, and the answer to an open question under
``resume``. The history, state and tools it sends along are its own affair: the assistant has its own record.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Annotated, Any, Literal

import anyio
import orjson
from fastapi import Query
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.agents.assistant.own_conversations import OwnConversations
from averment.errors import AvermentError, InvalidRequest
from averment.faces.http.access import Bench, Routes, streams
from averment.faces.http.chat_documents import EVENT, ConversationId, Id
from averment.faces.http.stream import PING_SECONDS, POLL_SECONDS, After, LastEvent
from averment.store.chat.conversations import ChatEvent
from averment.workbench import Workbench

router = Routes(tags=["chat"])
Follow = Annotated[
    bool, Query(description="Keep the stream open for new events; without it the stream ends after the existing ones.")
]


@router.looks(
    "/v1/conversations/{conversation_id}/events",
    None,
    404,
    **streams("A stream of AG-UI events; a reload continues after Last-Event-ID.", EVENT),
)
async def follow_conversation(
    workbench: Bench,
    conversation_id: ConversationId,
    after: After = 0,
    last_event_id: LastEvent = None,
    follow: Follow = True,
) -> Response:
    """Stream the past and new events of a conversation; every tab sees the same events."""
    await run_in_threadpool(_look_up, workbench, conversation_id)
    start = after if last_event_id is None else last_event_id
    return EventSourceResponse(_chat_stream_tell(workbench, conversation_id, start, follow), ping=PING_SECONDS)


def _look_up(workbench: Workbench, conversation_id: str) -> None:
    workbench.assistant.conversations.get(conversation_id)


async def _chat_stream_tell(
    workbench: Workbench, conversation_id: str, after: int, follow: bool
) -> AsyncIterator[ServerSentEvent]:
    def look(last: int) -> Sequence[ChatEvent]:
        return workbench.assistant.conversations.events(conversation_id, after=last)

    while True:
        events = await run_in_threadpool(look, after)
        for event in events:
            yield ServerSentEvent(data=event_data(event), id=str(event.seq))
            after = event.seq
        if not events and not follow:
            return
        if not events:
            await anyio.sleep(POLL_SECONDS)


def event_data(event: ChatEvent) -> str:
    """An event as it is sent: its body, its type and its time."""
    body = {**event.body, "type": event.type, "timestamp": int(event.at.timestamp() * 1000)}
    return orjson.dumps(body, option=orjson.OPT_SORT_KEYS).decode()


class _Sent(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class AguiMessage(_Sent):
    """A message as the page has it; only its newest one is read."""

    id: Id
    role: str = Field(max_length=40)
    content: Any = None


class Resume(_Sent):
    """The answer to the question that an interrupt asked."""

    interruptId: str = Field(min_length=1, max_length=128)  # noqa: N815  # Its name on the wire.
    status: Literal["resolved", "cancelled"] = "resolved"
    payload: Any = None


class RunInput(_Sent):
    """AG-UI's RunAgentInput, as far as it is read."""

    threadId: Id  # noqa: N815  # Its name on the wire.
    runId: Id  # noqa: N815
    messages: list[AguiMessage] = Field(default=[], max_length=1_000)
    resume: list[Resume] = Field(default=[], max_length=1)


TOLD = streams("The events of the run, from RUN_STARTED to RUN_FINISHED.", EVENT)


@router.acts("post", "/v1/agui", None, 400, 404, 409, 413, **TOLD)
async def run_agui(workbench: Bench, given: RunInput) -> Response:
    """Take a page's newest message, or its answer to the open question, and stream the events."""
    message_id, act = _act(workbench, given)
    store = workbench.assistant.conversations
    turn = asyncio.ensure_future(run_in_threadpool(act))
    first = await _begun(store, given.threadId, message_id, turn)
    return EventSourceResponse(_tell(store, given.threadId, message_id, first, turn), ping=PING_SECONDS)


def _act(workbench: Workbench, given: RunInput) -> tuple[str, Callable[[], object]]:
    """The id under which the message is kept, and what takes it in.

    Raises:
        InvalidRequest: there is neither an answer nor a message of the user.
    """
    assistant, thread = workbench.assistant, given.threadId
    if given.resume:
        answer = given.resume[0]
        value = _value(answer)
        return given.runId, lambda: assistant.answer(
            answer.interruptId, value, conversation_id=thread, message_id=given.runId
        )
    newest = given.messages[-1] if given.messages else None
    if newest is None or newest.role != "user" or not isinstance(newest.content, str):
        raise InvalidRequest("The newest message must be a text message from the user.")
    words = newest.content
    return newest.id, lambda: assistant.turn(words, conversation_id=thread, message_id=newest.id)


def _value(answer: Resume) -> Any:
    if answer.status == "cancelled":
        return False
    payload = answer.payload
    return payload.get("answer") if isinstance(payload, dict) else payload


async def _begun(store: OwnConversations, conversation_id: str, message_id: str, turn: asyncio.Future[object]) -> int:
    """The number of the event with which the turn begins; a turn that is refused raises instead.

    Raises:
        AvermentError: the turn was refused; nothing was changed.
    """

    def look() -> int | None:
        events = store.all_events(conversation_id)
        return next((e.seq for e in events if e.type == "RUN_STARTED" and e.body["runId"] == message_id), None)

    while True:
        ended = turn.done()
        if ended and turn.exception() is not None:
            await turn
        seq = await run_in_threadpool(look)
        if seq is not None:
            return seq
        if ended:
            raise AvermentError("The turn was not recorded.")
        await anyio.sleep(POLL_SECONDS / 5)


async def _tell(
    store: OwnConversations, conversation_id: str, message_id: str, first: int, turn: asyncio.Future[object]
) -> AsyncIterator[ServerSentEvent]:
    after = first - 1
    while True:
        ended = turn.done()
        for event in await run_in_threadpool(lambda last: store.events(conversation_id, after=last), after):
            after = event.seq
            yield ServerSentEvent(data=event_data(event), id=str(event.seq))
            if event.type == "RUN_FINISHED" and event.body["runId"] == message_id:
                return
        if ended:
            # It failed on the way; the turn is kept, and the same message again goes on with it.
            yield ServerSentEvent(data='{"type":"RUN_ERROR","message":"The turn was interrupted; send it again."}')
            return
        await anyio.sleep(POLL_SECONDS)
