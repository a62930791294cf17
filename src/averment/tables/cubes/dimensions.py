"""Which columns a metric can be cut by: plain ones, top values with a rest, bins of numbers, hours of times.

Left out, each with its reason: keys, columns the metric itself is made of, columns that only say whether the metric has
a value (an outcome, not a segment), copies of other columns, and whatever would make more leaves than can be held.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, Literal

from averment.errors import GroupNotFound, MissingColumn, PeriodWithoutData
from averment.records.base import Record
from averment.tables.cubes.cube_sql import (
    MEASURES,
    NONE,
    OTHER,
    Axis,
    Rows,
    leaves_sql,
    period_sql,
    survey_sql,
    text_of,
    within,
)
from averment.tables.cubes.date_column import DayColumn
from averment.tables.engines.backend import quote, quote_text

if TYPE_CHECKING:
    from averment.records.drilldown.investigation import Groups
    from averment.tables.engines.engine import Engine
    from averment.tables.profile.profiler import ColumnProfile, TableProfile

Kind = Literal["plain", "top", "bins", "hour", "weekday"]

MOST_AXES = 8

MOST_LEAVES = 150_000

TOP_VALUES = 60

FEW_TOP_VALUES = 20

_SURVEYED_VALUES = TOP_VALUES + 2

"""One more than a dimension keeps, and one for the rest: so many show whether there are more."""

_LOPSIDED = 0.8

_OUTCOME_VALUES = 12

_KEY_VALUES = 200

_DERIVED_ROOM = 6

_TAKEN = {f"{measure}_{side}" for measure in MEASURES for side in ("before", "after")} | {"day", "v", "w", "unit"}


class Dimension(Record):
    """A way to cut the metric: the name shown, the column behind it, its expression, and how many values it has."""

    name: str
    table: str
    column: str
    kind: Kind
    sql: str
    values: int = 0
    original_values: int = 0

    @property
    def axis(self) -> Axis:
        """The dimension as the queries take it."""
        return Axis(name=self.name, sql=self.sql, table=self.table)


class LeftOut(Record):
    """A column that is no dimension here, and why."""

    name: str
    reason: str


class DimensionCut(Record):
    """The dimensions a metric is cut by, those left out, and how many leaves they make at most."""

    dimensions: tuple[Dimension, ...]
    left_out: tuple[LeftOut, ...]


def find_dimensions(
    engine: Engine,
    rows: Rows,
    profiles: Sequence[TableProfile],
    day: DayColumn,
    *,
    own: Collection[tuple[str, str]],
    wanted: Collection[tuple[str, str]] = (),
    forced: Collection[tuple[str, str]] = (),
    most_leaves: int = MOST_LEAVES,
) -> DimensionCut:
    """The dimensions to cut by, ``wanted`` columns first; ``own`` are the columns of the metric itself.

    ``forced`` columns are cut by wherever they can be, first of all: even keys, outcomes and copies of others.
    """
    # The metric's own table first, then by name: an engine lists its tables in an order of its own.
    profiles = sorted(profiles, key=lambda profile: (profile.table != rows.source.base, profile.table))
    candidates, left_out = _candidates(rows, profiles, day, own, forced)
    surveyed = _survey(engine, rows, candidates)
    kept: list[Dimension] = []
    for candidate in candidates:
        values = surveyed.get(candidate.name, [])
        is_forced = (candidate.table, candidate.column) in forced
        reason = _unfit(values, takes_outcomes=is_forced or rows.unit is not None)
        if reason is not None:
            left_out.append(LeftOut(name=candidate.name, reason=reason))
            continue
        kept.append(_fitted(rows, candidate, values, TOP_VALUES))
    kept = _without_copies(engine, rows, kept, left_out, forced)
    kept.sort(
        key=lambda d: (
            (d.table, d.column) not in forced,
            (d.table, d.column) not in wanted,
            d.kind in {"bins", "hour"},
            d.values,
        )
    )
    if len(kept) > MOST_AXES:
        # Where not all can be cut by, flags that hardly ever hold are the first to go.
        first = {(d.table, d.column) for d in kept if (d.table, d.column) in {*forced, *wanted}}
        kept.sort(key=lambda d: (d.table, d.column) not in first and _is_lopsided(surveyed.get(d.name, [])))
    for dimension in kept[MOST_AXES:]:
        left_out.append(LeftOut(name=dimension.name, reason="no more dimensions are cut at a time"))
    kept = _fit_leaves(engine, rows, kept[:MOST_AXES], surveyed, left_out, most_leaves)
    return DimensionCut(dimensions=tuple(kept), left_out=tuple(left_out))


def _is_lopsided(values: Sequence[tuple[str, int, int]]) -> bool:
    """Whether nearly all rows have one value."""
    counts = [count for _, count, _ in values]
    return max(counts, default=0) >= _LOPSIDED * sum(counts)


def _candidates(
    rows: Rows,
    profiles: Sequence[TableProfile],
    day: DayColumn,
    own: Collection[tuple[str, str]],
    forced: Collection[tuple[str, str]],
) -> tuple[list[Dimension], list[LeftOut]]:
    found: list[Dimension] = []
    left_out: list[LeftOut] = []
    names = [column.name for p in profiles if rows.source.reaches(p.table) for column in p.columns]
    keys = {(step.left, step.left_column) for step in rows.source.steps}
    keys |= {(step.right, step.right_column) for step in rows.source.steps}
    plain: list[Dimension] = []
    derived: list[Dimension] = []
    for profile in profiles:
        if not rows.source.reaches(profile.table):
            left_out += [
                LeftOut(name=f"{table}.{column}", reason="its table does not describe the metric's rows")
                for table, column in sorted(forced)
                if table == profile.table
            ]
            continue
        for column in profile.columns:
            shared = names.count(column.name) > 1 or column.name in _TAKEN
            name = f"{profile.table}.{column.name}" if shared else column.name
            place = (profile.table, column.name)
            if place in own:
                left_out.append(LeftOut(name=name, reason="the metric itself is made of it"))
            elif place in forced:
                plain.append(_dimension(rows, profile.table, column, name, "plain"))
            elif place in keys:
                left_out.append(LeftOut(name=name, reason="a key that joins tables"))
            elif column.inferred_type == "dimension" or _is_small_key(column, profile.row_count):
                plain.append(_dimension(rows, profile.table, column, name, "plain"))
            elif column.inferred_type == "id":
                left_out.append(LeftOut(name=name, reason="a key with a value of its own for most rows"))
            elif column.inferred_type == "measure" and (binned := _bins(profile.table, column, name)):
                derived.append(binned)
    if day.has_times:
        sql = f"EXTRACT(hour FROM {quote(day.table)}.{quote(day.column)})"
        if rows.dialect == "sqlite":
            sql = f"strftime('%H', {quote(day.table)}.{quote(day.column)})"
        name = f"hour of {day.column}"
        derived.append(
            Dimension(
                name=name, table=day.table, column=day.column, kind="hour", sql=text_of(rows.dialect, sql), values=24
            )
        )
    found = plain + derived[: max(0, _DERIVED_ROOM - len(plain))]
    left_out += [
        LeftOut(name=d.name, reason="derived, and the columns themselves suffice")
        for d in derived[max(0, _DERIVED_ROOM - len(plain)) :]
    ]
    return found, left_out


def _dimension(rows: Rows, table: str, column: ColumnProfile, name: str, kind: Kind) -> Dimension:
    sql = text_of(rows.dialect, f"{quote(table)}.{quote(column.name)}")
    return Dimension(
        name=name,
        table=table,
        column=column.name,
        kind=kind,
        sql=sql,
        values=column.cardinality,
        original_values=column.cardinality,
    )


def _is_small_key(column: ColumnProfile, rows: int) -> bool:
    """A key of few values with many rows each (a store, a warehouse) is a segment like any other."""
    return column.inferred_type == "id" and 1 < column.cardinality <= min(_KEY_VALUES, rows // 50)


def _bins(table: str, column: ColumnProfile, name: str) -> Dimension | None:
    if column.quantiles is None or column.cardinality < 8:
        return None
    edges = sorted({float(f"{edge:.4g}") for edge in column.quantiles})
    if len(edges) < 2:
        return None
    value = f"{quote(table)}.{quote(column.name)}"
    branches = [f"WHEN {value} < {edges[0]!r} THEN {quote_text(f'below {edges[0]:g}')}"]
    branches += [f"WHEN {value} < {high!r} THEN {quote_text(f'{low:g} to {high:g}')}" for low, high in pairwise(edges)]
    branches.append(f"WHEN {value} >= {edges[-1]!r} THEN {quote_text(f'{edges[-1]:g} and more')}")
    sql = f"CASE {' '.join(branches)} ELSE {quote_text(NONE)} END"
    return Dimension(
        name=f"bins of {name}",
        table=table,
        column=column.name,
        kind="bins",
        sql=sql,
        values=len(edges) + 1,
        original_values=column.cardinality,
    )


Survey = dict[str, list[tuple[str, int, int]]]

"""For each dimension its values with their rows and hits, the most frequent first."""


def _survey(engine: Engine, rows: Rows, candidates: Sequence[Dimension]) -> Survey:
    if not candidates:
        return {}
    sql = survey_sql(rows, [candidate.axis for candidate in candidates], _SURVEYED_VALUES)
    table = engine.run(sql, timeout=120.0).table.to_pydict()
    found: Survey = {}
    for number, value, count, hits in zip(table["axis"], table["value"], table["n"], table["hits"], strict=True):
        found.setdefault(candidates[int(number)].name, []).append((str(value), int(count), int(hits or 0)))
    # The parts of a union come in any order from a cluster.
    return {name: sorted(values, key=lambda each: (-each[1], each[0])) for name, values in found.items()}


def _unfit(values: list[tuple[str, int, int]], *, takes_outcomes: bool) -> str | None:
    if len(values) < 2:
        return "one value only in both periods"
    if takes_outcomes or len(values) > _OUTCOME_VALUES:
        return None
    total = sum(count for _, count, _ in values)
    silent = sum(count for _, count, hits in values if hits == 0)
    some = any(hits for _, _, hits in values)
    # A flag such as "converted" says that the metric has a value; it is the metric's own outcome.
    if some and silent >= 0.05 * total:
        return "it only says whether the metric has a value"
    return None


def _fitted(rows: Rows, candidate: Dimension, values: list[tuple[str, int, int]], top: int) -> Dimension:
    """The dimension with at most so many values: the frequent ones by name, the rest together."""
    if len(values) <= top + 1:
        return candidate.changed(values=len(values))
    frequent = ", ".join(quote_text(value) for value, _, _ in values[:top])
    inner = text_of(rows.dialect, f"{quote(candidate.table)}.{quote(candidate.column)}")
    sql = f"CASE WHEN {inner} IN ({frequent}) THEN {inner} ELSE {quote_text(OTHER)} END"
    return candidate.changed(kind="top", sql=sql, values=top + 1)


def _without_copies(
    engine: Engine, rows: Rows, kept: list[Dimension], left_out: list[LeftOut], forced: Collection[tuple[str, str]]
) -> list[Dimension]:
    """Of two dimensions that always go together only one is kept, a forced one first; both would tell one cause."""
    dropped: set[str] = set()
    for one, other in combinations(sorted(kept, key=lambda d: (d.table, d.column) not in forced), 2):
        if (other.table, other.column) in forced:
            continue
        if one.values != other.values or one.kind != "plain" or other.kind != "plain" or one.values > TOP_VALUES:
            continue
        if {one.name, other.name} & dropped:
            continue
        pairs = engine.run(leaves_sql(rows, [one.axis, other.axis]), timeout=120.0).table.column(0)[0].as_py()
        if int(pairs) == one.values:
            dropped.add(other.name)
            left_out.append(LeftOut(name=other.name, reason=f"always goes together with {one.name}"))
    return [dimension for dimension in kept if dimension.name not in dropped]


def _fit_leaves(
    engine: Engine,
    rows: Rows,
    kept: list[Dimension],
    surveyed: Survey,
    left_out: list[LeftOut],
    most: int,
) -> list[Dimension]:
    """Fewer values for the widest dimensions, then fewer dimensions, until the leaves can be held."""
    while kept and _product(kept) > most and _leaves(engine, rows, kept) > most:
        widest = max(kept, key=lambda d: d.values)
        if widest.values > FEW_TOP_VALUES + 1 and widest.kind in {"plain", "top"}:
            place = kept.index(widest)
            kept[place] = _fitted(rows, widest, surveyed[widest.name], FEW_TOP_VALUES)
        else:
            dropped = kept.pop()
            left_out.append(LeftOut(name=dropped.name, reason="together the dimensions have too many combinations"))
    return kept


def _product(kept: Sequence[Dimension]) -> int:
    product = 1
    for dimension in kept:
        product *= max(dimension.values, 1)
    return product


def _leaves(engine: Engine, rows: Rows, kept: Sequence[Dimension]) -> int:
    sql = leaves_sql(rows, [dimension.axis for dimension in kept])
    return int(engine.run(sql, timeout=120.0).table.column(0)[0].as_py())


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
