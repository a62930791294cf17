"""The several skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.parts.planning import chart_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.several.conclude import conclude, method_of
from averment.agents.analyst.several.reading import SeveralReading
from averment.agents.analyst.several.understand import read_several
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.agents.analyst.tasks import query_cost, query_task
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work


class SeveralSkill:
    """Three or more periods, groups or ranges of a number side by side, perhaps by a column."""

    name = "several"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The sides asked about, or what to ask back; nothing when there are fewer than three."""
        return read_each(self.name, question, read_several)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The sides below each other, and their chart."""
        read = SeveralReading.model_validate(reading)
        sql, params = read.compose(work.catalog.dialect)
        split = read.split.label if read.split is not None else None
        query = query_task(
            work,
            QUERY,
            f"Compute {read.in_words()}. Method: {method_of(read)}",
            sql,
            params,
            cost=query_cost(work, read.table) * len(read.sides),
            filtered=True,
        )
        title = f"{read.measure.words} by {read.axis}"
        return (query, *chart_task(work, "bar", read.axis, read.measure.label, title, series=split))

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """The sides' values, and which is highest and lowest."""
        return conclude(work, SeveralReading.model_validate(reading))
