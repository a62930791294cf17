"""The aggregate skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.aggregate.conclude import TOTAL, conclude
from averment.agents.analyst.aggregate.figures import read_figures
from averment.agents.analyst.aggregate.joined import read_joined
from averment.agents.analyst.aggregate.reading import Reading
from averment.agents.analyst.aggregate.understand import Unclear, read_question
from averment.agents.analyst.parts.reading import read_each
from averment.agents.analyst.skill import CHART, QUERY, Candidate, Question, Told
from averment.agents.analyst.tasks import CHART_SECONDS, query_cost, select_task
from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work


class AggregateSkill:
    """Totals, averages, counts and the like, of a column, by columns or a time grain, for a period or a value."""

    name = "aggregate"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The best reading over the tables, or what to ask back."""
        if len(question.profiles) == 1:
            figures = [each for each in read_each(self.name, question, read_figures) if _is_clear(each)]
            if figures:
                return figures
        else:
            joined = read_joined(question)
            if joined is not None:
                return [_sure(self.name, joined)]
        found = read_question(question.text, list(question.profiles), anchor=question.anchor)
        if isinstance(found, Unclear):
            return [
                Candidate(
                    skill=self.name,
                    reading={},
                    in_words="",
                    score=0.0,
                    unread=found.unread,
                    question_back=found.question,
                )
            ]
        return [_sure(self.name, found)]

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The query, the overall total beside a split, and the chart."""
        read = Reading.model_validate(reading)
        cost = query_cost(work, read.table)
        tasks = [select_task(work, QUERY, f"Compute {read.in_words()}", read.query(), cost)]
        if read.dimensions:
            tasks.append(select_task(work, TOTAL, f"Compute the {read.measure.label} overall", read.total(), cost))
            if "charts" in work.request.deliverables:
                tasks.append(_chart(read))
        return tuple(tasks)

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """Total, highest, lowest and the number of groups."""
        return conclude(work, Reading.model_validate(reading))


def _sure(name: str, reading: Reading) -> Candidate:
    return Candidate(
        skill=name,
        reading=reading.model_dump(mode="json"),
        in_words=reading.in_words(),
        score=reading.score,
        unread=reading.unread,
    )


def _is_clear(candidate: Candidate) -> bool:
    """Whether a figure was read whole, or is asked about; half a figure is nothing to go by."""
    return candidate.score == 1.0 or not candidate.unread


def _chart(reading: Reading) -> Subtask:
    time = next((dimension for dimension in reading.dimensions if dimension.grain is not None), None)
    across = time or reading.dimensions[0]
    others = [dimension for dimension in reading.dimensions if dimension is not across]
    return Subtask(
        task_id=CHART,
        description=f"Draw {reading.measure.label} by {across.label}",
        tool_name="plot.render",
        dependencies=(QUERY,),
        estimated_cost_seconds=CHART_SECONDS,
        arguments={
            "input": QUERY,
            "type": "line" if time is not None else "bar",
            "x_col": across.label,
            "y_col": reading.measure.label,
            "series_col": others[0].label if others else None,
            "title": f"{reading.measure.label} by {' and '.join(d.label for d in reading.dimensions)}",
        },
    )
