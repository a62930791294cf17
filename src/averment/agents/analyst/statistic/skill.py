"""The statistics skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.skill import QUERY, Candidate, Question, Told
from averment.agents.analyst.statistic.bundle import code_for
from averment.agents.analyst.statistic.conclude import DATA, conclude
from averment.agents.analyst.statistic.reading import Reading
from averment.agents.analyst.statistic.understand import read_question
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work

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
            reading = read_question(question.text, profile, question.catalog, question.engine)
            if reading is None:
                continue
            back = f"I am not sure what is meant by: {', '.join(reading.unread)}." if reading.unread else None
            score = reading.score
            if profile.row_count > MOST_ROWS:
                # Part of the rows would give another number than the one asked for.
                score, back = min(score, 0.5), f"Statistics are computed over at most {MOST_ROWS} rows of a table."
            found.append(
                Candidate(
                    skill=self.name,
                    reading=reading.model_dump(mode="json"),
                    in_words=reading.in_words(),
                    score=score,
                    unread=reading.unread,
                    question_back=back,
                )
            )
        return sorted(found, key=lambda one: -one.score)

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The query for the columns, and the fixed program over them in the jail."""
        read = Reading.model_validate(reading)
        limits = work.request.constraints
        names = ", ".join(_quoted(name) for name in read.columns)
        return (
            Subtask(
                task_id=DATA,
                description=f"Read {', '.join(read.columns)} of {read.table}",
                tool_name="sql.run",
                estimated_cost_seconds=DATA_SECONDS,
                arguments={
                    "query": f"SELECT {names} FROM {_quoted(read.table)}",
                    "params": [],
                    "timeout": limits.timeout_seconds,
                    "row_limit": limits.row_limit,
                },
            ),
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


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
