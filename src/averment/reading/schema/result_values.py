"""Rows of results as plain values, and whether two results say the same."""

from __future__ import annotations

import datetime
import decimal
import math
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

MOST_ROWS = 2_000


def plain_rows(table: pa.Table) -> list[list[Any]]:
    """The first rows of a table, each cell as JSON holds it."""
    columns = [[plain(value) for value in column.to_pylist()] for column in table.slice(0, MOST_ROWS).columns]
    return [list(row) for row in zip(*columns, strict=True)]


def plain(value: Any) -> Any:
    """A cell as JSON holds it."""
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal):
        return float(value)
    if isinstance(value, float) and (math.isnan(value) or math.isinf(value)):
        return None
    return value if value is None or isinstance(value, bool | int | float | str) else str(value)


def same_rows(first: list[list[Any]], second: list[list[Any]]) -> bool:
    """Whether two results hold the same rows, in any order; one figure is the same whatever stands beside it."""
    if len(first) != len(second):
        return False
    if len(first) == 1 and first[0] and second[0] and _is_number(first[0][-1]) and _same(first[0][-1], second[0][-1]):
        return len(first[0]) == 1 or len(second[0]) == 1 or _same_row(first[0], second[0])
    return sorted(map(_key, first)) == sorted(map(_key, second))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same(one: Any, other: Any) -> bool:
    if _is_number(one) and _is_number(other):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


def _same_row(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other, strict=True))


def _key(row: list[Any]) -> tuple[str, ...]:
    return tuple(f"{value:.9g}" if _is_number(value) else str(value) for value in row)
