"""The tiles skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.agents.analyst.tiles.conclude import conclude, method_of
from averment.agents.analyst.tiles.reading import GROUP, TilesReading
from averment.agents.analyst.tiles.understand import read_tiles
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work


class TilesSkill:
    """Quartiles, deciles and other groups of equal size, of rows or of customers and the like."""

    name = "tiles"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The groups asked for, or what to ask back; nothing when there are none."""
        return read_each(self.name, question, read_tiles)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The groups, and the chart of what is in them."""
        read = TilesReading.model_validate(reading)
        height = read.added[0] if read.added else read.counted
        return (
            layered_task(work, QUERY, f"Compute the {read.in_words()}. Method: {method_of(read)}", read.query()),
            *chart_task(work, "bar", GROUP, height, f"{height} by group of {read.what}"),
        )

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """The lowest and the highest group."""
        return conclude(work, TilesReading.model_validate(reading))
