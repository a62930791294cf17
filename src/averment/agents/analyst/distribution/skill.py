"""The distribution skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.distribution.conclude import conclude, method_of
from averment.agents.analyst.distribution.reading import FROM, ROWS, TO, DistributionReading, quantile_name
from averment.agents.analyst.distribution.understand import read_distribution
from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work


class DistributionSkill:
    """Histograms with bins of equal width, quartiles, deciles and any percentile, perhaps by a column."""

    name = "distribution"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The spread asked for, or what to ask back; nothing when none is."""
        return read_each(self.name, question, read_distribution)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The bins or quantiles, and the chart."""
        read = DistributionReading.model_validate(reading)
        query = layered_task(work, QUERY, f"Compute the {read.in_words()}. Method: {method_of(read)}", read.query())
        if not read.at:
            return (query, *chart_task(work, "histogram", FROM, ROWS, f"distribution of {read.column}", until=TO))
        if read.split is None:
            return (query,)
        middle = quantile_name(read.at[len(read.at) // 2])
        title = f"{middle} of {read.column} by {read.split.label}"
        return (query, *chart_task(work, "bar", read.split.label, middle, title))

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """Where most values lie, or the quantiles."""
        return conclude(work, DistributionReading.model_validate(reading))
