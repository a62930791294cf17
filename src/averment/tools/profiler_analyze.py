"""``profiler.analyze``: what a table holds: types, roles, cardinality, nulls, samples and ranges."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from averment.tools.tool import Args, Output, ToolContext, tool


class ProfilerArgs(Args):
    """Which table to look at."""

    table: str = Field(min_length=1, description="Name of an open table.")


class ProfilerOutput(Output):
    """The profile as one JSON document."""

    table: str
    row_count: int
    profile: dict[str, Any]


def analyze_profile(args: ProfilerArgs, context: ToolContext) -> ProfilerOutput:
    """Profile the table in one pass of the engine, after policy has allowed each of its columns."""
    from averment.tables.profile.profiler import profile

    engine = context.engine()
    table = engine.catalog.table(args.table)
    context.check_columns(frozenset((table.name, column.name) for column in table.columns))
    found = profile(engine, table.name)
    return ProfilerOutput(table=table.name, row_count=found.row_count, profile=found.model_dump(mode="json"))


PROFILER_ANALYZE = tool(
    "profiler.analyze",
    analyze_profile,
    "Profile a table: types, roles, cardinality, nulls, samples, minimum, maximum and quantiles.",
    cost_seconds=2.0,
)
