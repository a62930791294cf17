"""Things that come back in several rows of a table, and rows that are one period of a thing each."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Table

_OFTEN = 0.8
"""Of how many rows each may have another value, so that some still share one."""
_FEW, _FILLED = 3, 1.5
"""How many things there must be, and how many rows they could have for each that they have."""
_STEPS = frozenset("season year round week month quarter edition".split())


def comes_back(column: Column) -> bool:
    """Whether several rows share a value, and not only a few by accident."""
    return column.distinct < _OFTEN * column.filled


def repeats(column: Column) -> bool:
    """Whether a column names things that come back in several rows, and no times."""
    return comes_back(column) and not column.has("date", "year", "month", "quarter", "weekday")


def is_period_of(table: Table, column: Column) -> bool:
    """Whether each row is one period of one thing: a team's season, whose points are a season's and not all points."""
    if column.distinct < _FEW:
        return False
    steps = [
        c
        for c in table.columns
        if c is not column and (c.has("year", "quarter", "month") or set(c.words) & _STEPS) and c.expression is None
    ]
    return any(table.rows <= column.distinct * c.distinct <= _FILLED * table.rows for c in steps)
