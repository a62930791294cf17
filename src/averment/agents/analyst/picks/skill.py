"""The picks skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.picks.conclude import conclude, method_of
from averment.agents.analyst.picks.reading import PicksReading
from averment.agents.analyst.picks.understand import read_picks
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work


class PicksSkill:
    """The first or last row of each group by a date, and the highest or lowest by a number."""

    name = "picks"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The end of each group asked for, or what to ask back; nothing when there is none."""
        return read_each(self.name, question, read_picks)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The picked rows, and the chart where a number decides: dates have no height."""
        read = PicksReading.model_validate(reading)
        query = layered_task(work, QUERY, f"Find the {read.in_words()}. Method: {method_of(read)}", read.query())
        if read.word in {"latest", "earliest"} or len(read.splits) != 1:
            return (query,)
        title = f"{read.word} {read.heading} of each {read.keys[0]}"
        return (query, *chart_task(work, "bar", read.keys[0], read.heading, title, series=read.entity))

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """The first few groups, and how many rows there are."""
        return conclude(work, PicksReading.model_validate(reading))
