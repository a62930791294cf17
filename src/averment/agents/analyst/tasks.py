"""Tasks that every skill plans alike: one query with the request's limits, and what it will cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.records.analysis import Subtask

if TYPE_CHECKING:
    from averment.spine.work import Work
    from averment.tables.select_spec import Select

QUERY_BASE_SECONDS, CHART_SECONDS = 0.2, 0.5
ROWS_PER_SECOND = 10_000_000


def query_cost(work: Work, table: str) -> float:
    """Seconds a query over that table should take, from its number of rows."""
    return QUERY_BASE_SECONDS + (work.catalog.table(table).row_count or 0) / ROWS_PER_SECOND


def select_task(work: Work, task_id: str, description: str, spec: Select, cost: float) -> Subtask:
    """The query that a specification composes to, under the request's limits."""
    from averment.tables.compose_select import compose_select

    composed = compose_select(spec, work.catalog.dialect)
    filtered = bool(spec.conditions)
    return query_task(work, task_id, description, composed.sql, composed.params, cost=cost, filtered=filtered)


def query_task(
    work: Work,
    task_id: str,
    description: str,
    sql: str,
    params: Sequence[object] = (),
    *,
    cost: float = QUERY_BASE_SECONDS,
    filtered: bool = False,
) -> Subtask:
    """A query under the request's limits."""
    limits = work.request.constraints
    return Subtask(
        task_id=task_id,
        description=description,
        tool_name="sql.run",
        # What is filtered after its groups are made has no filter that a repair could lose.
        invariants=("filter before aggregate",) if filtered and " WHERE" in " ".join(sql.split()) else (),
        estimated_cost_seconds=cost,
        arguments={
            "query": sql,
            "params": list(params),
            "timeout": limits.timeout_seconds,
            "row_limit": limits.row_limit,
        },
    )
