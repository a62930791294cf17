"""The written skill: it reads nothing by itself; a model hands it a query, and it plans, runs and tells it.

The query passes the guard, the policy and the limits like any other, and its sentences are bound to its cells.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.analyst.skill import CHART, QUERY, Told, own_words, query_cell
from averment.agents.analyst.tasks import CHART_SECONDS, query_task
from averment.evidence.bind import bind, literal, result, slot
from averment.records.analysis import Subtask
from averment.records.run import Finding, Slot

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.spine.work import Work

TOLD_CELLS = 4


class WrittenSkill:
    """Answers by a query that somebody else wrote."""

    name = "written"

    def tasks(self, work: Work, reading: dict[str, Any]) -> tuple[Subtask, ...]:
        """The query, and a chart when the model named one."""
        words = f"Run the query proposed for: {reading['in_words']}"
        query = query_task(work, QUERY, words, reading["sql"])
        chart = reading.get("chart")
        if chart is None or "charts" not in work.request.deliverables:
            return (query,)
        drawn = Subtask(
            task_id=CHART,
            description="Draw the result",
            tool_name="plot.render",
            dependencies=(QUERY,),
            estimated_cost_seconds=CHART_SECONDS,
            arguments={"input": QUERY, "title": reading["in_words"][:300], **chart},
        )
        return (query, drawn)

    def conclude(self, work: Work, reading: dict[str, Any]) -> Told:
        """The first row in words, and how many rows there are; every value is a cell."""
        table = work.table(QUERY)
        if table.num_rows == 0:
            return Told(findings=(), answer="")
        findings = (_first_row(work, table, reading.get("lead")), _row_count(work, table))
        return Told(findings=findings if table.num_rows > 1 else findings[:1], answer=findings[0].text)


def _first_row(work: Work, table: pa.Table, lead: str | None) -> Finding:
    names = table.column_names[:TOLD_CELLS]
    slots: dict[str, Slot] = {f"c{index}": query_cell(work, QUERY, table, 0, name) for index, name in enumerate(names)}
    told = ", ".join(f"{literal(name)} {{c{index}}}" for index, name in enumerate(names))
    if lead is None:
        lead = "The result is" if table.num_rows == 1 else "The first row is"
    words = " ".join([own_words(work), *names])
    return bind(
        finding_id="first", template=f"{literal(lead)}: {told}.", slots=slots, method="one query", own_words=words
    )


def _row_count(work: Work, table: pa.Table) -> Finding:
    call, _ = work.answered[QUERY]
    return bind(
        finding_id="rows",
        template="The result has {count} rows.",
        slots={"count": slot(result(call.call_id, "table.row_count", table.num_rows))},
        method="one query",
        own_words=own_words(work),
    )
