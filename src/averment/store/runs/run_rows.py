"""The rows of a run and of its events, as plain values; importing them costs no database library."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias

from averment.records.analysis import RunStatus
from averment.records.base import utc_now

RunKind = Literal["analysis", "drilldown", "research", "chat"]

Body: TypeAlias = dict[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRow:
    """What is known of a run at one moment."""

    run_id: str
    kind: RunKind
    status: RunStatus
    intent: str
    request: Body
    reading: Any = None
    plan: Any = None
    answer: Any = None
    error: Any = None
    sealed: Any = None
    created_at: datetime = field(default_factory=utc_now)
    updated_at: datetime = field(default_factory=utc_now)
    finished_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class EventRow:
    """One event of a run, in the order it happened."""

    run_id: str
    seq: int
    event_type: str
    body: Body
    at: datetime
