"""One cause of a change, as the search named it."""

from __future__ import annotations

from pydantic import Field

from averment.records.base import Record


class Cause(Record):
    """One explanation that the search named, and the row of the attribution's table that holds its numbers."""

    rank: int
    row: int
    segment: dict[str, str]
    verdict: str
    factor: str | None
    effect: float
    contribution: float
    state: str
    kind: str
    before: float | None = None
    after: float | None = None
    share: float | None = None
    details: dict[str, str | float | None] = Field(default_factory=dict)

    @property
    def sized(self) -> bool:
        """Whether its part of the change is known."""
        return self.details.get("sized") is not None
