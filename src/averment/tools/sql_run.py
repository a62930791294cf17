"""``sql.run``: one read-only query over the open sources."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from averment.errors import PlanInvalid
from averment.tools.result_store import StoredTable
from averment.tools.tool import Args, Output, ToolContext, tool


class SqlRunArgs(Args):
    """A parameterised query with its own limits."""

    query: str = Field(min_length=1, max_length=20_000, description="One SELECT with ? placeholders for params.")
    params: list[str | int | float | bool | None] = Field(
        default_factory=list, description="Values for the placeholders."
    )
    timeout: int = Field(default=30, ge=1, le=180, description="Seconds before the query is ended.")
    row_limit: int = Field(default=200_000, ge=1, le=200_000, description="Rows the result may have.")


class SqlRunOutput(Output):
    """The result on the result store, with the very SQL that ran and its hash."""

    table: StoredTable
    sql: str
    params: list[Any]
    query_hash: str
    truncated: bool
    columns_read: list[str]


def run_sql(args: SqlRunArgs, context: ToolContext) -> SqlRunOutput:
    """Guard, check the columns it reads against policy, run, keep the result."""
    engine = context.engine()
    guarded = engine.check(args.query)
    context.check_columns(guarded.columns)
    if not guarded.deterministic:
        raise PlanInvalid(
            "The query depends on the current time or on random values, so running it again would prove nothing.",
            hint="Write the exact date; sample with a fixed seed.",
        )
    result = engine.run(
        args.query,
        tuple(args.params),
        timeout=min(float(args.timeout), context.seconds_left),
        row_limit=min(args.row_limit, context.row_limit),
    )
    return SqlRunOutput(
        table=context.keep(result.table),
        sql=result.sql,
        params=list(args.params),
        query_hash=result.query_hash,
        truncated=result.truncated,
        columns_read=sorted(f"{table}.{column}" for table, column in guarded.columns),
    )


SQL_RUN = tool(
    "sql.run", run_sql, "Run one read-only SELECT over the open tables and keep its result.", cost_seconds=2.0
)
