"""``GET /v1/runs/{id}/events``: what happens in a run, as Server-Sent Events, as it happens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any, get_args

import anyio
import orjson
from fastapi import Header, Query
from pydantic import Field
from pydantic.json_schema import SkipJsonSchema
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.faces.http.access import Bench, HomeResumptions, Routes, RunId, streams
from averment.faces.http.resumptions import Resumptions
from averment.records.analysis import ENDED
from averment.runtime.events import Event, EventType
from averment.workbench import Workbench

router = Routes(tags=["runs"])

POLL_SECONDS = 0.1
PING_SECONDS = 15
MAX_SEQ = 2_147_483_647

Number = Annotated[int, Field(ge=0, le=MAX_SEQ)]
After = Annotated[Number, Query(description="Only events after this one.")]
LastEvent = Annotated[
    Number | SkipJsonSchema[None], Header(alias="Last-Event-ID", description="The same, in the form a browser sends.")
]

EVENT: dict[str, Any] = {
    "type": "object",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string", "description": "The event's seq."},
        "event": {"type": "string", "enum": list(get_args(EventType))},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": Event.model_json_schema(mode="serialization"),
        },
    },
}
"""One event on the wire, for ``/openapi.json``."""


class EventWatch:
    """One client's view of a run's events."""

    def __init__(self, workbench: Workbench, going_on: Resumptions, run_id: str) -> None:
        self._workbench = workbench
        self._going_on = going_on
        self._run_id = run_id
        self._last: Event | None = None

    def look(self) -> tuple[list[Event], bool]:
        """The events that came since the last look, all of them at first, and whether there will be no more."""
        # Asked before the events are read: whatever a resumed run tells until it rests is then among them.
        under_way = self._going_on.under_way(self._run_id)
        events = self._workbench.runs.events(self._run_id, after=0 if self._last is None else self._last.seq)
        self._last = events[-1] if events else self._last
        if under_way or self._last is None or self._last.type != "run_finished":
            return events, False
        # A run that goes on after a bad end, here or in another process, no longer stands at its end.
        return events, self._workbench.show(self._run_id).status in ENDED


def follows(what: str) -> dict[str, Any]:
    """What a route promises that streams the events of a run."""
    return streams("A stream of events; it ends after run_finished.", EVENT, over=what)


@router.looks("/v1/runs/{run_id}/events", None, 404, **follows("The run"))
async def follow_run(
    workbench: Bench, going_on: HomeResumptions, run_id: RunId, after: After = 0, last_event_id: LastEvent = None
) -> Response:
    """Stream the past and new events of a run until it ends."""
    run = await run_in_threadpool(workbench.show, run_id)
    start = after if last_event_id is None else last_event_id
    watch = EventWatch(workbench, going_on, run.id)
    events, over = await run_in_threadpool(watch.look)
    missed = [event for event in events if event.seq > start]
    if over and not missed:
        return Response(status_code=204)
    return EventSourceResponse(_tell(watch, missed, over), ping=PING_SECONDS)


async def _tell(watch: EventWatch, events: list[Event], over: bool) -> AsyncIterator[ServerSentEvent]:
    while True:
        for event in events:
            data = orjson.dumps(event.model_dump(mode="json"), option=orjson.OPT_SORT_KEYS).decode()
            yield ServerSentEvent(data=data, id=str(event.seq), event=event.type)
        if over:
            return
        await anyio.sleep(POLL_SECONDS)
        events, over = await run_in_threadpool(watch.look)
