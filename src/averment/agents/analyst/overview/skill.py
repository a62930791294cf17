"""The overview skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.overview.conclude import (
    DUPLICATE_METHOD,
    DUPLICATES,
    OUTLIER_METHOD,
    RELATION_METHOD,
    SHARE_METHOD,
    SUMMARY_METHOD,
    TREND,
    TREND_METHOD,
    conclude,
)
from averment.agents.analyst.overview.reading import OverviewReading
from averment.agents.analyst.overview.understand import read_overview
from averment.agents.analyst.parts.planning import chart_task, layered_task
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.share.reading import SHARE
from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.agents.analyst.tasks import query_cost, query_task
from averment.records.analysis import Subtask
from averment.tables.compose_overview import compose_duplicates, compose_summary

if TYPE_CHECKING:
    from averment.spine.work import Work

SERIES = "series"
"""The task with the measure through time, which the chart draws."""


class OverviewSkill:
    """A profile of a table, or its strongest facts: trend, concentration, relations, outliers, what is missing."""

    name = "overview"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The overview asked for, or what to ask back; nothing when none is."""
        return read_each(self.name, question, read_overview)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The columns and the repeated rows; for what stands out also every test."""
        read = OverviewReading.model_validate(reading)
        cost = query_cost(work, read.table)
        names = [(column.name, column.numeric) for column in read.columns]
        summary = compose_summary(read.table, names, work.catalog.dialect)
        repeated = compose_duplicates(read.table, [name for name, _ in names])
        tasks = [
            query_task(
                work, QUERY, _words("Describe every column", SUMMARY_METHOD), summary.sql, summary.params, cost=cost
            ),
            query_task(work, DUPLICATES, _words("Count repeated rows", DUPLICATE_METHOD), repeated.sql, cost=cost),
        ]
        if read.kind == "profile":
            return tuple(tasks)
        series = read.series
        if series is not None:
            line = series.line()
            assert line is not None  # a trend that is not split has a line
            tasks.append(layered_task(work, TREND, _words(f"Fit the {series.in_words()}", TREND_METHOD), line))
            tasks.append(layered_task(work, SERIES, f"Compute {series.measure.words} through time", series.query()))
        for place, name in enumerate(read.dimensions, start=1):
            words = _words(f"Compute the share by {name}", SHARE_METHOD)
            tasks.append(layered_task(work, f"share_{place}", words, read.share(name).query()))
        for place, (one, two) in enumerate(read.pairs, start=1):
            words = _words(f"Relate {one} and {two}", RELATION_METHOD)
            tasks.append(layered_task(work, f"relation_{place}", words, read.relation(one, two)))
        for place, name in enumerate(read.numbers, start=1):
            words = _words(f"Count outliers of {name}", OUTLIER_METHOD)
            tasks.append(layered_task(work, f"outliers_{place}", words, read.outliers(name)))
        return (*tasks, *_chart(work, read))

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """Only what a test finds strong."""
        return conclude(work, OverviewReading.model_validate(reading))


def _words(what: str, method: str) -> str:
    return f"{what}. Method: {method}"


def _chart(work: Work, read: OverviewReading) -> tuple[Subtask, ...]:
    label = read.measure.label
    if read.time is not None:
        title = f"{read.measure.words} by {read.time.label}"
        return chart_task(work, "line", read.time.label, label, title, task=SERIES)
    if read.dimensions:
        name = read.dimensions[0]
        return chart_task(work, "bar", name, SHARE, f"share of {read.measure.words} by {name}", task="share_1")
    return ()
