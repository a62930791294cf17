"""From what went wrong in the query process to an error of the tree, with a suggestion a reasoner can act on."""

from __future__ import annotations

import re
from collections.abc import Mapping

from averment.errors import (
    AvermentError,
    MemoryExceeded,
    MissingColumn,
    MissingTable,
    OutputExceeded,
    QueryTimeout,
    SourceUnreadable,
    SqlRefused,
    SqlSyntax,
    ToolError,
    TypeMismatch,
)
from averment.tables.catalog import Dialect
from averment.tables.engines.backend import FailureKind
from averment.tables.guard.names import suggest_name
from averment.tables.guard.statement import GuardedQuery
from averment.tables.processes.query_process import ProcessEnded

_QUOTED = re.compile(r'"([^"]+)"|`([^`]+)`|no such (?:column|table): ([\w.]+)')
_CASTS: dict[Dialect, str] = {
    "duckdb": "convert with TRY_CAST(column AS type), for example TRY_CAST(amount AS DOUBLE)",
    "sqlite": "convert with CAST(column AS type), for example CAST(amount AS REAL)",
    "postgres": "convert with CAST(column AS type), for example CAST(amount AS double precision)",
}


def failure_error(
    kind: FailureKind, message: str, query: GuardedQuery, schema: Mapping[str, Mapping[str, str]], timeout: float
) -> AvermentError:
    """The error for a failure the engine reported."""
    details: dict[str, object] = {"engine": message}
    match kind:
        case "sql_syntax":
            return SqlSyntax(f"The engine does not accept the query: {message}", details=details)
        case "type_mismatch":
            return TypeMismatch(
                f"A value or column has the wrong type: {message}", suggestion=_CASTS[query.dialect], details=details
            )
        case "missing_column":
            known = [column for table in query.tables for column in schema.get(table, {})]
            wrong = _named(message)
            suggestion = suggest_name(wrong, known) if wrong else None
            return MissingColumn(f"A column is missing: {message}", suggestion=suggestion, details=details)
        case "missing_table":
            wrong = _named(message)
            suggestion = suggest_name(wrong, schema) if wrong else None
            return MissingTable(f"A table is missing: {message}", suggestion=suggestion, details=details)
        case "memory":
            return MemoryExceeded(
                f"The query needs more memory than allowed: {message}",
                suggestion="aggregate or filter earlier, or raise query_memory_mb",
                details=details,
            )
        case "timeout":
            return QueryTimeout(f"The query was ended after {timeout:g} s.", details=details)
        case "output":
            return OutputExceeded(
                f"The result is too large: {message}", suggestion="ask for fewer rows or columns", details=details
            )
        case "refused":
            return SqlRefused(f"The engine refused the query: {message}", details={"reason": "engine", **details})
        case "source":
            return SourceUnreadable(f"The source cannot be read: {message}", details=details)
        case "failed":
            return ToolError(f"The query failed: {message}", details=details)


def ended_error(end: ProcessEnded, timeout: float, memory_mb: int) -> AvermentError:
    """The error for a query process that is gone."""
    match end.ending:
        case "timeout":
            return QueryTimeout(f"The query was ended after {timeout:g} s.")
        case "memory":
            return MemoryExceeded(
                f"The query was ended when it took more than {memory_mb} MB.",
                suggestion="aggregate or filter earlier, or raise query_memory_mb",
            )
        case "died":
            return ToolError(
                f"The query process ended unexpectedly: {end.message}.",
                hint="Try again; a new query process starts automatically.",
            )


def _named(message: str) -> str | None:
    found = _QUOTED.search(message)
    return next((part for part in found.groups() if part), None) if found else None
