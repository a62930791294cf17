"""The investigations of one session, and two of them held beside each other."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from averment.records.base import Record, UuidText
from averment.records.drilldown.investigation import InvestigationContext


class PastInvestigation(Record):
    """One investigation of a session: its number, its run, what was asked and where it stands."""

    number: int = Field(ge=1)
    run_id: UuidText
    status: Literal["running", "completed", "failed"]
    message: str = ""
    context: InvestigationContext
    explanations: int = Field(default=0, ge=0)


class ComparedCause(Record):
    """A cause that one or both investigations name, with its part of each change."""

    title: str
    first_effect: float | None = None
    second_effect: float | None = None
    first_share: float | None = None
    second_share: float | None = None


class ComparedMover(Record):
    """A value that both investigations break the change down by, with its part of each change."""

    dimension: str
    value: str
    first_change: float
    second_change: float


class Comparison(Record):
    """Two investigations of a session: what both found, what only one did, and the values that moved otherwise."""

    first: int
    second: int
    first_context: InvestigationContext
    second_context: InvestigationContext
    both: tuple[ComparedCause, ...] = ()
    only_first: tuple[ComparedCause, ...] = ()
    only_second: tuple[ComparedCause, ...] = ()
    movers: tuple[ComparedMover, ...] = ()
