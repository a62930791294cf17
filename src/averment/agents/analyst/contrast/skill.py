"""The contrast skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.contrast.conclude import conclude, method_of
from averment.agents.analyst.contrast.reading import SIDE, ContrastReading
from averment.agents.analyst.contrast.understand import read_contrast
from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work

SIDES = "sides"
"""The task with one row a side, which the chart draws."""


class ContrastSkill:
    """Two periods or two groups side by side, with their difference and its percent, perhaps by a column."""

    name = "contrast"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The two sides asked about, or what to ask back; nothing when there are none."""
        return read_each(self.name, question, read_contrast)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The sides next to each other, the sides below each other, and the chart."""
        read = ContrastReading.model_validate(reading)
        split = read.split.label if read.split is not None else None
        title = f"{read.measure.words}: {read.first.words} and {read.second.words}"
        return (
            layered_task(work, QUERY, f"Compare {read.in_words()}. Method: {method_of(read)}", read.query()),
            layered_task(work, SIDES, f"Compute {read.measure.words} of each side", read.sides()),
            *chart_task(
                work, "bar", split or SIDE, read.measure.label, title, series=SIDE if split else None, task=SIDES
            ),
        )

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """Both values and how far they are apart."""
        return conclude(work, ContrastReading.model_validate(reading))
