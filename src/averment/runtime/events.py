"""What happened, in the past tense: one stream that the command line, the page and the tests all read.

An event is kept in the store before anyone hears of it. Each has a key that depends only on what it tells, so a resumed
run does not tell anything twice.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from averment.records.base import Record, UtcDatetime, utc_now

if TYPE_CHECKING:
    from averment.store.runs.run_store import RunStore

EventType = Literal[
    "run_submitted",
    "plan_made",
    "clarification_asked",
    "call_started",
    "call_observed",
    "call_repaired",
    "call_skipped",
    "round_begun",
    "round_taken",
    "policy_decided",
    "model_announced",
    "model_stepped",
    "model_progressed",
    "model_fell_back",
    "finding_bound",
    "artifact_written",
    "run_sealed",
    "run_finished",
]


class Event(Record):
    """One thing that happened in a run; ``seq`` counts from 1."""

    run_id: str
    seq: int = Field(ge=1)
    type: EventType
    key: str
    data: dict[str, Any]
    at: UtcDatetime


Listener = Callable[[Event], None]
_log = logging.getLogger("averment.runtime")


class EventStream:
    """The events of one run: kept, numbered, told to listeners, each key once."""

    def __init__(self, runs: RunStore, run_id: str, listeners: tuple[Listener, ...] = ()) -> None:
        self._runs = runs
        self._run_id = run_id
        self._listeners = listeners
        self._lock = threading.Lock()
        past = read_events(runs, run_id)
        self._told = {event.key for event in past}
        self._seq = past[-1].seq if past else 0

    @property
    def last(self) -> int:
        """The number of the last event told."""
        return self._seq

    def tell(self, event_type: EventType, subject: str = "", **data: Any) -> None:
        """Keep and tell an event, unless it was told before the run was interrupted."""
        key = f"{event_type}:{subject}" if subject else event_type
        with self._lock:
            if key in self._told:
                return
            event = Event(run_id=self._run_id, seq=self._seq + 1, type=event_type, key=key, data=data, at=utc_now())
            self._runs.put_event(self._run_id, event.seq, event_type, {"key": key, "data": data}, event.at)
            self._told.add(key)
            self._seq = event.seq
        tell_listeners(event, self._listeners)


def tell_listeners(event: Event, listeners: Iterable[Listener]) -> None:
    """Tell a kept event to whoever listens."""
    for listener in listeners:
        try:
            listener(event)
        except Exception:  # noqa: BLE001  # A listener's fault is not the run's: what happened is kept all the same.
            _log.exception("a listener failed at %s of the run %s", event.type, event.run_id)


def read_events(runs: RunStore, run_id: str, *, after: int = 0, limit: int = 10_000) -> list[Event]:
    """The kept events of a run, in order, from ``after`` on."""
    return [
        Event.model_validate(
            {
                "run_id": run_id,
                "seq": row.seq,
                "type": row.event_type,
                "key": row.body["key"],
                "data": row.body["data"],
                "at": row.at,
            }
        )
        for row in runs.events(run_id, after=after, limit=limit)
    ]
