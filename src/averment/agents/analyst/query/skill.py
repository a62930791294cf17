"""The query skill as the analyst sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.query.conclude import TOTAL, conclude
from averment.agents.analyst.query.reading import QueryReading
from averment.agents.analyst.query.understand import understand
from averment.agents.analyst.skill import CHART, QUERY, Candidate, Question, Told
from averment.agents.analyst.tasks import CHART_SECONDS, query_cost, select_task
from averment.records.analysis import Subtask
from averment.tables.select_spec import Select

if TYPE_CHECKING:
    from averment.spine.work import Work


class QuerySkill:
    """Questions over one or several tables: look-ups, counts, aggregates, splits, rankings, joins and nesting."""

    name = "query"

    def read(self, question: Question) -> Sequence[Candidate]:
        """The best readings first; a reading that leaves words without a place is not sure."""
        return [
            Candidate(
                skill=self.name,
                reading=one.reading.model_dump(mode="json", exclude_defaults=True),
                in_words=one.reading.in_words(),
                score=one.score,
                unread=one.reading.unread,
                question_back=one.question_back,
            )
            for one in understand(question)
        ]

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The query, the total beside a split, and the chart."""
        read = QueryReading.model_validate(reading)
        cost = query_cost(work, read.select.table)
        tasks = [select_task(work, QUERY, f"Compute {read.in_words()}", read.select, cost)]
        total = _total(read)
        if total is not None:
            tasks.append(select_task(work, TOTAL, f"Compute the {read.measures[0]} overall", total, cost))
        if read.picture is not None and "charts" in work.request.deliverables:
            tasks.append(_chart(read))
        return tuple(tasks)

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """What the result says."""
        return conclude(work, QueryReading.model_validate(reading))


def _total(reading: QueryReading) -> Select | None:
    """The first measure over all the rows, beside a split without a limit."""
    select = reading.select
    if not select.groups or not reading.measures or select.limit is not None or select.having or select.set_operation:
        return None
    first = next(output for output in select.outputs if output.alias == reading.measures[0])
    if first.term.kind not in {"aggregate", "rows"}:
        return None
    return Select(table=select.table, joins=select.joins, outputs=(first,), conditions=select.conditions)


def _chart(reading: QueryReading) -> Subtask:
    picture = reading.picture
    assert picture is not None  # only readings with a picture come here
    return Subtask(
        task_id=CHART,
        description=f"Draw {picture.y} by {picture.x}",
        tool_name="plot.render",
        dependencies=(QUERY,),
        estimated_cost_seconds=CHART_SECONDS,
        arguments={
            "input": QUERY,
            "type": picture.type,
            "x_col": picture.x,
            "y_col": picture.y,
            "series_col": picture.series,
            "title": f"{picture.y} by {' and '.join(filter(None, (picture.x, picture.series)))}",
        },
    )
