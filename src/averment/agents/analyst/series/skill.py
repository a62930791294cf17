"""The series skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.series.conclude import COUNTS, LINE, conclude, method_of
from averment.agents.analyst.series.reading import SeriesReading
from averment.agents.analyst.series.understand import read_series
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work


class SeriesSkill:
    """Growth, year over year, moving averages, running totals, log returns, trends and forward fill."""

    name = "series"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The series asked for, or what to ask back; nothing when none is."""
        return read_each(self.name, question, read_series)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The series, the line through a trend, and the chart."""
        read = SeriesReading.model_validate(reading)
        tasks = [layered_task(work, QUERY, f"Compute the {read.in_words()}. Method: {method_of(read)}", read.query())]
        line = read.line()
        if line is not None:
            tasks.append(layered_task(work, LINE, f"Fit a line through {read.measure.words}", line))
        counts = read.counts()
        if counts is not None:
            tasks.append(layered_task(work, COUNTS, f"Count what was filled of {read.measure.column}", counts))
        return (*tasks, *_chart(work, read))

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """Where the series stands and where it moved most."""
        return conclude(work, SeriesReading.model_validate(reading))


def _chart(work: Work, read: SeriesReading) -> tuple[Subtask, ...]:
    if read.operation == "filled":
        return chart_task(work, "line", read.time.column, read.result, read.in_words())
    series = read.split.label if read.split is not None else None
    change = read.operation in {"growth", "year_over_year", "log_return"}
    smooth = read.operation in {"moving_average", "moving_sum"} and series is None
    title = f"{read.result} of {read.measure.words} by {read.time.label}"
    if read.operation == "trend":
        title = f"{read.measure.words} by {read.time.label}"
    return chart_task(
        work,
        "bar" if change and series is None else "line",
        read.time.label,
        read.result,
        title,
        series=series,
        beside=read.measure.label if smooth else None,
    )
