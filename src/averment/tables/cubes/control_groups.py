"""Two groups of rows by a flag, a test and its control, in the place of two periods.

Every query of a drill-down asks for the day of a row and for the days of each side. A group stands there as a day of
its own, so that the same queries compare groups; what only time can tell (onset, season, faults of single days) is left
out by those who read the results.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from averment.errors import GroupNotFound, MissingColumn, PeriodWithoutData
from averment.tables.cubes.cube_sql import Rows, period_sql, text_of, within
from averment.tables.cubes.date_column import DayColumn
from averment.tables.engines.backend import quote, quote_text

if TYPE_CHECKING:
    from averment.records.drilldown.investigation import Groups
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import ColumnProfile, TableProfile

SIDES = (date(2000, 1, 1), date(2000, 1, 2))
"""The days that stand for the two groups."""
_SHOWN = 12


def find_flag(profiles: Sequence[TableProfile], rows: Rows, column: str) -> tuple[str, ColumnProfile]:
    """The table and column of a flag, named by itself or as ``table.column``.

    Raises:
        MissingColumn: no table that the metric's rows reach has it, or several do.
    """
    found = [
        (profile.table, one)
        for profile in profiles
        if rows.source.reaches(profile.table)
        for one in profile.columns
        if column.casefold() in {one.name.casefold(), f"{profile.table}.{one.name}".casefold()}
    ]
    if len(found) == 1:
        return found[0]
    if found:
        raise MissingColumn(f"Several files have a column {column}; name it as table.column.")
    names = sorted(one.name for profile in profiles for one in profile.columns)
    raise MissingColumn(
        f"No file that describes the metric's rows has a column {column}.", details={"columns": names[:_SHOWN]}
    )


def resolve_groups(profiles: Sequence[TableProfile], rows: Rows, groups: Groups) -> Groups:
    """The groups by the names that the data have for the flag and its values.

    Raises:
        MissingColumn: there is no such flag.
        GroupNotFound: a group is none of its values.
    """
    _, flag = find_flag(profiles, rows, groups.column)
    return groups.changed(
        column=flag.name, baseline=_value(flag, groups.baseline), comparison=_value(flag, groups.comparison)
    )


def split_by(engine: Engine, rows: Rows, profiles: Sequence[TableProfile], groups: Groups) -> tuple[Rows, DayColumn]:
    """The rows with their group as their day; ``rows`` that have a day are kept to their baseline period first.

    Raises:
        MissingColumn: there is no such flag.
        GroupNotFound: a group is none of its values.
        PeriodWithoutData: a group has no row in the period.
    """
    table, flag = find_flag(profiles, rows, groups.column)
    text = text_of(rows.dialect, f"{quote(table)}.{quote(flag.name)}")
    before, after = (_value(flag, value) for value in (groups.baseline, groups.comparison))
    cases = " ".join(
        f"WHEN {text} = {quote_text(value)} THEN {_day(rows, day)}"
        for value, day in zip((before, after), SIDES, strict=True)
    )
    where, tables = rows.where, rows.where_tables
    if rows.day_sql:
        inside = within(rows, rows.day_sql, rows.baseline)
        where, tables = inside if where is None else f"({where}) AND {inside}", (*tables, rows.day_table)
    split = replace(
        rows,
        day_sql=f"CASE {cases} END",
        day_table=table,
        where=where,
        where_tables=tables,
        baseline=(SIDES[0], SIDES[0]),
        comparison=(SIDES[1], SIDES[1]),
    )
    counted = engine.run(period_sql(split), timeout=120.0).table.to_pylist()[0]
    rows_before, rows_after = int(counted["n_before"] or 0), int(counted["n_after"] or 0)
    for count, value in ((rows_before, before), (rows_after, after)):
        if not count:
            raise PeriodWithoutData(f"The group {flag.name} = {value} has no rows for this metric.")
    return split, DayColumn(
        table=table,
        column=flag.name,
        rows_before=rows_before,
        rows_after=rows_after,
        first=SIDES[0],
        last=SIDES[1],
        has_times=False,
        sql=split.day_sql,
        written=True,
    )


def _value(flag: ColumnProfile, wanted: str) -> str:
    """The flag's value as it stands in the data; case and blanks around it do not matter where one value alone fits."""
    values = [str(value).lower() if isinstance(value, bool) else str(value) for value, _ in flag.values or ()]
    if flag.values is None or wanted in values:
        return wanted
    near = [value for value in values if value.strip().casefold() == wanted.strip().casefold()]
    if len(near) == 1:
        return near[0]
    shown = ", ".join(values[:_SHOWN])
    raise GroupNotFound(
        f"{flag.name} has no value {wanted!a}.",
        hint=f"Its values are {shown}.",
        details={"column": flag.name, "values": values[:_SHOWN]},
    )


def _day(rows: Rows, day: date) -> str:
    return quote_text(day.isoformat()) if rows.dialect == "sqlite" else f"DATE {quote_text(day.isoformat())}"
