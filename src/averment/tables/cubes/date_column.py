"""Which column tells the day of a metric's rows: one of its own table, or of a table it refers to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from averment.errors import NoDateColumn, PeriodWithoutData
from averment.tables.cubes.cube_sql import Rows, day_of, period_sql
from averment.tables.cubes.date_forms import day_forms
from averment.tables.guard.names import name_parts

if TYPE_CHECKING:
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import TableProfile

_NAMES = ("date", "day", "dt", "ds", "ts", "timestamp", "time", "datetime", "created", "occurred", "ordered", "at")
_OTHER_DAYS = frozenset(
    {"birth", "birthday", "born", "dob", "signup", "updated", "modified", "expires", "expiry", "due"}
)
"""Days of something else than the row itself."""


@dataclass(frozen=True, kw_only=True)
class DayColumn:
    """The column that dates the rows, and how many of them fall into each period."""

    table: str
    column: str
    rows_before: int
    rows_after: int
    first: date
    last: date
    has_times: bool
    sql: str
    """The calendar day of a row."""
    written: bool = False
    """Whether the column holds no dates, and the day is read from its text or number."""


_READ = 0.97
"""Where fewer of a column's values read by a form, the form is not the column's."""


def find_day(
    engine: Engine, rows: Rows, profiles: Sequence[TableProfile], *, named: tuple[str, str] | None = None
) -> DayColumn:
    """The best date column; ``named`` is the one that the metric itself speaks of.

    Raises:
        NoDateColumn: no table that the rows reach has a date.
        PeriodWithoutData: no date column has rows in both periods.
    """
    found: list[tuple[tuple[object, ...], DayColumn]] = []
    for profile in profiles:
        if not rows.source.reaches(profile.table):
            continue
        ways = [
            (column.name, day_of(rows.dialect, profile.table, column.name), column.data_type == "datetime", False)
            for column in profile.columns
            if column.inferred_type == "timestamp"
        ]
        if not ways or named is not None:
            ways += [(*way, True) for way in day_forms(rows.dialect, profile)]
        for column, sql, has_times, written in ways:
            seen = _look(engine, rows, profile.table, column, sql, has_times=has_times, written=written)
            if seen is not None:
                found.append((_rank(seen, rows.source.base, named), seen))
    if not found:
        raise NoDateColumn(
            f"Neither {rows.source.base} nor a table it refers to has a column of dates.",
            hint="Any common date format works, one format per column; years and months may be separate columns.",
        )
    best = min(found, key=lambda pair: pair[0])[1]
    for count, period, name in (
        (best.rows_before, rows.baseline, "baseline"),
        (best.rows_after, rows.comparison, "comparison"),
    ):
        if count == 0:
            raise PeriodWithoutData(
                f"The {name} period from {period[0]} to {period[1]} has no rows by {best.table}.{best.column}.",
                hint=f"The data covers {best.first} to {best.last}; choose periods in that range.",
                details={"period": name, "first": str(best.first), "last": str(best.last)},
            )
    return best


def _rank(day: DayColumn, base: str, named: tuple[str, str] | None) -> tuple[object, ...]:
    """Smaller is better: rows in both periods, the one the metric names, the base's own, a telling name, more rows."""
    words = name_parts(day.column)
    telling = min((_NAMES.index(word) for word in words if word in _NAMES), default=len(_NAMES))
    return (
        min(day.rows_before, day.rows_after) == 0,
        (day.table, day.column) != named,
        day.written,
        bool(_OTHER_DAYS & set(words)),
        day.table != base,
        telling,
        -(day.rows_before + day.rows_after),
        day.table,
        day.column,
    )


def _look(
    engine: Engine, rows: Rows, table: str, column: str, sql: str, *, has_times: bool, written: bool
) -> DayColumn | None:
    from dataclasses import replace

    dated = replace(rows, day_sql=sql, day_table=table)
    row = engine.run(period_sql(dated), timeout=120.0).table.to_pylist()[0]
    first, last = _as_day(row["first_day"]), _as_day(row["last_day"])
    if first is None or last is None:
        return None
    if written and int(row["n_dated"] or 0) < _READ * int(row["n_rows"] or 0):
        return None
    return DayColumn(
        table=table,
        column=column,
        rows_before=int(row["n_before"] or 0),
        rows_after=int(row["n_after"] or 0),
        first=first,
        last=last,
        has_times=has_times and not written,
        sql=sql,
        written=written,
    )


def _as_day(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    return date.fromisoformat(value[:10]) if isinstance(value, str) else None
