"""A column's shape in a dozen bars: numbers by equal steps, dates by month, short lists by value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.tables.engines.backend import quote

if TYPE_CHECKING:
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import ColumnProfile, TableProfile

BARS = 12
MOST_MONTHS = 1_200
_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Bar:
    """So many rows from one place of a column to the next."""

    label: str
    rows: int


def histogram(engine: Engine, table: TableProfile, column: ColumnProfile) -> tuple[Bar, ...]:
    """The column's bars in their order; none where its values are too many to be put in order."""
    if column.data_type in {"integer", "float"} and not (column.values and len(column.values) <= BARS):
        return _of_numbers(engine, table.table, column)
    if column.data_type in {"date", "datetime"}:
        return _of_dates(engine, table.table, column)
    listed = [(value, count) for value, count in column.values or () if value is not None][:BARS]
    if column.data_type in {"integer", "float"}:
        listed.sort(key=lambda pair: float(str(pair[0])))
    return tuple(Bar(str(value), count) for value, count in listed)


def _of_numbers(engine: Engine, table: str, column: ColumnProfile) -> tuple[Bar, ...]:
    low, high = column.minimum, column.maximum
    if not isinstance(low, int | float) or not isinstance(high, int | float) or not low < high:
        return ()
    name, step = quote(column.name), (high - low) / BARS
    place = f"({name} - ({low!r})) / {float(step)!r}"
    cut = f"CAST({place} AS INTEGER)" if engine.catalog.dialect == "sqlite" else f"CAST(floor({place}) AS INTEGER)"
    sql = f"SELECT {cut} AS bar, count(*) AS many FROM {quote(table)} WHERE {name} IS NOT NULL GROUP BY 1"
    counts = [0] * BARS
    for row in engine.run(sql, timeout=_SECONDS).table.to_pylist():
        # The greatest value stands at the end of the last bar, not at the beginning of one more.
        counts[min(max(int(row["bar"]), 0), BARS - 1)] += int(row["many"])
    return tuple(
        Bar(f"from {_short(low + n * step)} to {_short(low + (n + 1) * step)}", rows) for n, rows in enumerate(counts)
    )


def _of_dates(engine: Engine, table: str, column: ColumnProfile) -> tuple[Bar, ...]:
    name = quote(column.name)
    month = f"substr(CAST({name} AS VARCHAR), 1, 7)"
    sql = (
        f"SELECT {month} AS month, count(*) AS many FROM {quote(table)} WHERE {name} IS NOT NULL GROUP BY 1 ORDER BY 1"
    )
    found = engine.run(sql, timeout=_SECONDS, row_limit=MOST_MONTHS).table.to_pylist()
    each = max(1, -(-len(found) // BARS))
    groups = [found[at : at + each] for at in range(0, len(found), each)]
    return tuple(
        Bar(
            str(group[0]["month"]) if len(group) == 1 else f"{group[0]['month']} to {group[-1]['month']}",
            sum(int(row["many"]) for row in group),
        )
        for group in groups
    )


def _short(number: float) -> str:
    return f"{number:,.0f}" if abs(number) >= 100 or float(number).is_integer() else f"{number:.3g}"
