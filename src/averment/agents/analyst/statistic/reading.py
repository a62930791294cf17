"""How a statistical question was read: a typed specification, shown in words and sent to the jail as data."""

from __future__ import annotations

from typing import Any

from averment.agents.analyst.statistic.describe import step_words, value_words
from averment.records.base import Record


class Reading(Record):
    """One way to understand the question: the table, its preparation, and each value wanted."""

    table: str
    columns: tuple[str, ...]
    steps: tuple[dict[str, Any], ...]
    values: tuple[dict[str, Any], ...]
    unread: tuple[str, ...] = ()
    long: bool = False
    """Whether the table has more rows than a task can hand to the jail."""

    @property
    def score(self) -> float:
        """1 when everything found its place."""
        return 1.0 if self.values and not self.unread else 0.5 if self.values else 0.0

    def in_words(self) -> str:
        """The reading as one sentence."""
        steps = [step_words(step) for step in self.steps]
        values = [value_words(value) for value in self.values]
        told = "; ".join(dict.fromkeys(values))
        return f"{told}, after: {'; then '.join(steps)}, in {self.table}" if steps else f"{told}, in {self.table}"

    def specification(self) -> dict[str, Any]:
        """What the program computes."""
        return {"steps": list(self.steps), "values": list(self.values)}
