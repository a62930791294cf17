"""The embedded reasoner: plans and repairs by rules alone, the same way every time."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.conclude import CHART, QUERY, TOTAL
from averment.agents.analyst.reading import Reading
from averment.agents.analyst.understand import Unclear, read_question
from averment.errors import ColumnNotAllowed
from averment.records.analysis import Plan, Subtask
from averment.records.base import derived_id
from averment.records.run import Observation, ToolCall
from averment.spine.agent import Planned
from averment.tables.compose import AggregateSpec, compose

if TYPE_CHECKING:
    from averment.spine.work import Work
    from averment.tables.profile import TableProfile

QUERY_BASE_SECONDS, CHART_SECONDS = 0.2, 0.5
ROWS_PER_SECOND = 10_000_000
_SUGGESTED = re.compile(r"[Dd]id you mean `([^`]+)`")
_UNKNOWN = re.compile(r"[\"'`]([^\"'`]+)[\"'`]")


class RuleReasoner:
    """Plans from a typed reading; repairs what an error's own suggestion can repair."""

    name = "rules"

    def plan(self, work: Work) -> Planned:
        """Read the question over the permitted columns, and plan the queries and the chart."""
        reading = read_question(work.request.intent, self._profiles(work))
        if isinstance(reading, Unclear):
            return Planned(outcome="clarification_needed", message=reading.question)
        plan = self._build(work, reading)
        return Planned(
            outcome="planned",
            reading={**reading.model_dump(mode="json"), "in_words": reading.in_words()},
            plan=plan.model_dump(mode="json"),
        )

    def repair(self, work: Work, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """New arguments when the error says which name was meant; otherwise nothing, and the task has failed."""
        data = observation.data or {}
        suggested = _SUGGESTED.search(str(data.get("suggestion", "")))
        wrong = _UNKNOWN.search(observation.error_message or "")
        if call.tool_name != "sql.run" or suggested is None or wrong is None:
            return None
        query = str(call.arguments["query"])
        fixed = re.sub(rf'"?\b{re.escape(wrong.group(1))}\b"?', f'"{suggested.group(1)}"', query)
        return None if fixed == query else {**call.arguments, "query": fixed}

    def _profiles(self, work: Work) -> list[TableProfile]:
        from averment.tables.profile import profile

        engine = work.engine()
        found: list[TableProfile] = []
        for table in work.catalog.tables:
            permitted = [column.name for column in table.columns if work.gate.permits(table.name, column.name)]
            if permitted:
                found.append(profile(engine, table.name, columns=permitted, timeout=work.seconds_left))
        if not found:
            raise ColumnNotAllowed("The policy allows no column of any source.")
        return found

    def _build(self, work: Work, reading: Reading) -> Plan:
        rows = work.catalog.table(reading.table).row_count or 0
        cost = QUERY_BASE_SECONDS + rows / ROWS_PER_SECOND
        tasks = [self._query(work, QUERY, f"Compute {reading.in_words()}", reading.query(), cost)]
        if reading.dimensions:
            tasks.append(
                self._query(work, TOTAL, f"Compute the {reading.measure.label} overall", reading.total(), cost)
            )
            if "charts" in work.request.deliverables:
                tasks.append(self._chart(reading))
        return Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=tasks,
            reasoning=f"Read as: {reading.in_words()}. The engine filters before it aggregates; the chart is drawn "
            "from the same result the table shows.",
        )

    def _query(self, work: Work, task_id: str, description: str, spec: AggregateSpec, cost: float) -> Subtask:
        composed = compose(spec, work.catalog.dialect)
        limits = work.request.constraints
        return Subtask(
            task_id=task_id,
            description=description,
            tool_name="sql.run",
            invariants=("filter before aggregate",) if spec.conditions else (),
            estimated_cost_seconds=cost,
            arguments={
                "query": composed.sql,
                "params": list(composed.params),
                "timeout": limits.timeout_seconds,
                "row_limit": limits.row_limit,
            },
        )

    def _chart(self, reading: Reading) -> Subtask:
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
