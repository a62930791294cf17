"""The statistics skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.agents.analyst.statistic.aggregates import compile_aggregates, may_be_sampled, sampled_data
from averment.agents.analyst.statistic.bundle import code_for
from averment.agents.analyst.statistic.conclude import DATA, conclude
from averment.agents.analyst.statistic.everyday import said_plainly
from averment.agents.analyst.statistic.reading import Reading
from averment.agents.analyst.statistic.understand import read_question
from averment.agents.analyst.tasks import query_cost, query_task
from averment.records.analysis import Subtask
from averment.tables.backend import quote

if TYPE_CHECKING:
    from averment.spine.work import Work
    from averment.tables.catalog import Catalog

MOST_ROWS = 200_000
"""Rows that a task can hand to the jail."""

DATA_SECONDS, PROGRAM_SECONDS = 0.2, 2.0


class StatisticSkill:
    """Summaries, correlation, outliers, missing values, normality, tests and models over one prepared table."""

    name = "statistic"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The readings over the tables that have one, the surest first."""
        found: list[Candidate] = []
        for profile in question.profiles:
            said = said_plainly(question.text, profile)
            reading = read_question(said, profile, question.catalog, question.engine)
            if reading is None:
                continue
            back = f"I am not sure what is meant by: {', '.join(reading.unread)}." if reading.unread else None
            score = reading.score
            if profile.row_count > MOST_ROWS:
                reading = _without_implied_tests(reading, question.text).model_copy(update={"long": True})
                if not _is_possible(reading, question):
                    # Part of the rows would give another number than the one asked for.
                    score, back = min(score, 0.5), f"That is computed over at most {MOST_ROWS} rows of a table."
            found.append(
                Candidate(
                    skill=self.name,
                    reading=reading.model_dump(mode="json", exclude=None if reading.long else {"long"}),
                    in_words=reading.in_words(),
                    score=score,
                    unread=reading.unread,
                    question_back=back,
                )
            )
        return sorted(found, key=lambda one: -one.score)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The query for the columns, and the fixed program over them in the jail; of a long table one query for all."""
        read = Reading.model_validate(reading)
        limits = work.request.constraints
        names = ", ".join(quote(name) for name in read.columns)
        query = f"SELECT {names} FROM {quote(read.table)}"
        described = f"Read {', '.join(read.columns)} of {read.table}"
        if read.long:
            cost = query_cost(work, read.table)
            compiled = (
                compile_aggregates(read, work.catalog.table(read.table)) if _has_aggregates(work.catalog) else None
            )
            if compiled is not None:
                sql, params = compiled
                return (query_task(work, QUERY, f"Compute {read.in_words()}", sql, params, cost=cost),)
            rows = work.catalog.table(read.table).row_count or MOST_ROWS * 100
            query = sampled_data(names, read.table, rows, min(limits.row_limit, MOST_ROWS))
            described = f"Read {', '.join(read.columns)} of a sample of {read.table}"
        return (
            query_task(work, DATA, described, query, cost=DATA_SECONDS),
            Subtask(
                task_id=QUERY,
                description=f"Compute {read.in_words()}",
                tool_name="python.run",
                dependencies=(DATA,),
                estimated_cost_seconds=PROGRAM_SECONDS,
                arguments={
                    "code": code_for(read.specification()),
                    "inputs": [DATA],
                    "timeout": limits.timeout_seconds,
                },
            ),
        )

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """Each value with its method."""
        return conclude(work, Reading.model_validate(reading))


def _without_implied_tests(reading: Reading, text: str) -> Reading:
    """The reading without p-values nobody asked for: a correlation brings one along, which no engine computes."""
    said = text.casefold()
    if any(word in said for word in ("p-value", "p value", "signific", "p_value")):
        return reading
    kept = tuple(each for each in reading.values if not (each["kind"] == "correlation" and each["part"] == "p"))
    return reading.model_copy(update={"values": kept}) if kept else reading


def _has_aggregates(catalog: Catalog) -> bool:
    """Whether the engine knows the statistics by name; the others have only some of them."""
    return catalog.dialect == "duckdb"


def _is_possible(reading: Reading, question: Question) -> bool:
    """Whether the values of a long table can be computed by the engine, or estimated from a part of its rows."""
    if not _has_aggregates(question.catalog):
        return False
    return may_be_sampled(reading) or compile_aggregates(reading, question.catalog.table(reading.table)) is not None
