"""``GET /v1/conversations/{id}/events``: a conversation as AG-UI events, from the record and then as they come."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Annotated

import anyio
import orjson
from fastapi import Query
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.faces.http.access import Bench, Routes, streams
from averment.faces.http.chat_documents import EVENT, ConversationId
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
    return EventSourceResponse(_tell(workbench, conversation_id, start, follow), ping=PING_SECONDS)


def _look_up(workbench: Workbench, conversation_id: str) -> None:
    workbench.assistant.conversations.get(conversation_id)


async def _tell(workbench: Workbench, conversation_id: str, after: int, follow: bool) -> AsyncIterator[ServerSentEvent]:
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
