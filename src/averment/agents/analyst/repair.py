"""Repairing a failed call by what kind of failure it was: another name, quotes, a cast, fewer rows, a part of the data.

Every mend is told: whatever a mended query does otherwise than planned stands as a caveat beside the answer; see
``averment.agents.analyst.caveats``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from averment.agents.analyst.tasks import FIRST_PERCENT, attempt_seconds
from averment.errors import AvermentError
from averment.records.run import Observation, ToolCall

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext

FEWEST_ROWS = 1_000
LEAST_PERCENT = 0.1
_SUGGESTED = re.compile(r"[Dd]id you mean `([^`]+)`")
_UNKNOWN = re.compile(r"[\"'`]([^\"'`]+)[\"'`]|no such (?:column|table): ([\w.]+)")


def repair_call(work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
    """New arguments for a failed query, or None when there is nothing sensible to change."""
    if call.tool_name != "sql.run":
        return None
    if (observation.data or {}).get("code") == "OUTPUT_EXCEEDED":
        rows = int(call.arguments["row_limit"]) // 10
        return {**call.arguments, "row_limit": rows} if rows >= FEWEST_ROWS else None
    for sql in ways(work, str(call.arguments["query"]), observation):
        if passes(work, sql):
            return {**call.arguments, "query": sql, "timeout": _seconds(work, call, observation)}
    return None


def _seconds(work: RunContext, call: ToolCall, observation: Observation) -> int:
    """How long the next attempt may take: less where time ran out, and there may be one more to come."""
    if observation.status != "timeout":
        return int(call.arguments["timeout"])
    return attempt_seconds(work.request.constraints.timeout_seconds, call.attempt_number + 1)


def ways(work: RunContext, sql: str, observation: Observation) -> Iterator[str]:
    """Changed queries that the failure's category suggests, the likeliest first."""
    from averment.tables.engines import rewrite_query

    dialect, schema = work.catalog.dialect, work.catalog.schema()
    match observation.error_category:
        case "missing_column":
            yield from _renamed(work, sql, observation)
        case "sql_syntax":
            yield from quoted_ways(work, sql)
        case "type_mismatch":
            cast = rewrite_query.cast_texts(sql, dialect, schema)
            if cast is not None:
                yield cast.sql
        case "resource_exhausted":
            before = rewrite_query.sampled_percent(sql, dialect)
            percent = FIRST_PERCENT if before is None else before / 10
            sampled = rewrite_query.sample_rows(sql, dialect, schema, percent) if percent >= LEAST_PERCENT else None
            if sampled is not None:
                yield sampled
        case _:
            return


def quoted_ways(work: RunContext, sql: str) -> Iterator[str]:
    """The query with names put in quotes that cannot stand without them."""
    from averment.tables.engines.rewrite_query import quoting_ways

    names = {name for table in work.catalog.tables for name in (table.name, *(c.name for c in table.columns))}
    yield from quoting_ways(sql, sorted(names))


def _renamed(work: RunContext, sql: str, observation: Observation) -> Iterator[str]:
    from averment.tables.engines.rewrite_query import rename_column

    suggested = _SUGGESTED.search(str((observation.data or {}).get("suggestion", "")))
    wrong = _UNKNOWN.search(observation.error_message or "")
    if suggested is None or wrong is None:
        return
    name = next(part for part in wrong.groups() if part).rpartition(".")[2]
    fixed = rename_column(sql, work.catalog.dialect, name, suggested.group(1))
    if fixed is not None:
        yield fixed


def passes(work: RunContext, sql: str) -> bool:
    """Whether guard and policy let a query pass."""
    try:
        work.gate.check_columns(work.queries.engine().check(sql).columns)
    except AvermentError:
        return False
    return True
