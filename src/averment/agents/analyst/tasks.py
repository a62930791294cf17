"""Tasks that every skill plans alike: one query with the request's limits, and what it will cost."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.records.analysis import Subtask
from averment.records.run import MAX_ATTEMPTS

if TYPE_CHECKING:
    from averment.plans.query import Query
    from averment.runtime.run_context import RunContext

QUERY_BASE_SECONDS, CHART_SECONDS = 0.2, 0.5
FIRST_PERCENT = 10.0
"""Of how many in a hundred rows an answer is first estimated where all of them are too many."""
RESTARTS_SECONDS = 2
"""What ending a query and starting its process again takes, twice."""
ROWS_PER_SECOND = 10_000_000


def attempt_seconds(limit: int, attempt: int) -> int:
    """How long an attempt may take where a later one could do with a part of the rows.

    Three fifths of what is left, less what it takes to begin anew; the last of the three attempts has all of it.
    """
    left = limit - min(RESTARTS_SECONDS, limit // 3)
    for _ in range(attempt - 1):
        left -= _most_of(left)
    return max(1, left if attempt >= MAX_ATTEMPTS else _most_of(left))


def _most_of(seconds: int) -> int:
    return max(1, seconds * 3 // 5)


def query_cost(work: RunContext, table: str) -> float:
    """Seconds a query over that table should take, from its number of rows."""
    return QUERY_BASE_SECONDS + (work.catalog.table(table).row_count or 0) / ROWS_PER_SECOND


def select_task(work: RunContext, task_id: str, description: str, query: Query, cost: float) -> Subtask:
    """A plan's query under the request's limits."""
    composed = query.write(work.catalog.dialect)
    filtered = query.base.args.get("where") is not None
    return query_task(work, task_id, description, composed.sql, composed.params, cost=cost, filtered=filtered)


def query_task(
    work: RunContext,
    task_id: str,
    description: str,
    sql: str,
    params: Sequence[object] = (),
    *,
    cost: float = QUERY_BASE_SECONDS,
    filtered: bool = False,
) -> Subtask:
    """A query under the request's limits."""
    from averment.tables.engines.rewrite_query import sample_rows

    limits = work.request.constraints
    # A query that a part of the rows can answer leaves time for that, should all of them take too long.
    sampled = sample_rows(sql, work.catalog.dialect, work.catalog.schema(), FIRST_PERCENT)
    seconds = limits.timeout_seconds if sampled is None else attempt_seconds(limits.timeout_seconds, 1)
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
            "timeout": seconds,
            "row_limit": limits.row_limit,
        },
    )
