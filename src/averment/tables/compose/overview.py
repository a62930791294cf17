"""Composing overviews: one row for each column of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.tables.compose.composed_query import ComposedQuery
from averment.tables.engines.backend import quote

if TYPE_CHECKING:
    from averment.tables.catalog import Dialect

_REAL: dict[Dialect, str] = {"duckdb": "DOUBLE", "postgres": "DOUBLE PRECISION", "sqlite": "REAL"}


def compose_summary(table: str, columns: Sequence[tuple[str, bool]], dialect: Dialect) -> ComposedQuery:
    """What each column holds: rows, missing and different values, the least, the greatest and, of numbers, the mean.

    ``columns`` are names with whether they hold numbers; the rows come in their order.
    """
    text, real = "VARCHAR" if dialect == "duckdb" else "TEXT", _REAL[dialect]
    parts: list[str] = []
    for place, (name, numeric) in enumerate(columns, start=1):
        column = quote(name)
        mean = f"AVG(CAST({column} AS {real}))" if numeric else f"CAST(NULL AS {real})"
        parts.append(
            f'SELECT {place} AS "place", ? AS "column", COUNT(*) AS "rows", COUNT(*) - COUNT({column}) AS "missing", '
            f'COUNT(DISTINCT {column}) AS "different", CAST(MIN({column}) AS {text}) AS "minimum", '
            f'CAST(MAX({column}) AS {text}) AS "maximum", {mean} AS "mean" FROM {quote(table)}'
        )
    union = "\nUNION ALL\n".join(parts)
    shown = '"column", "rows", "missing", "different", "minimum", "maximum", "mean"'
    query = f'SELECT {shown}\nFROM (\n{union}\n) AS "columns"\nORDER BY "place"'
    return ComposedQuery(sql=query, params=tuple(name for name, _ in columns))
