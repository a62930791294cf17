"""Which columns are read beside the metric to tell why it moved: repeats, keys, hours, other measures, joins."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from averment.tables.cubes.facts import MOST_CELLS, MOST_ROWS, FactColumns

if TYPE_CHECKING:
    from averment.tables.cubes.cube_sql import Rows
    from averment.tables.cubes.date_column import DayColumn
    from averment.tables.cubes.dimensions import Dimension
    from averment.tables.profile.profiler import ColumnProfile, TableProfile

_MOST_SIBLINGS = 6
_KEY_SHARE = 0.9
_MOST_WATCHED = 200
_LEAST_ENTITIES, _LEAST_DATES = 61, 3
"""A column of fewer values is a dimension and tells the entities itself."""


def fact_columns(
    rows: Rows,
    day: DayColumn,
    dimensions: Sequence[Dimension],
    profiles: Sequence[TableProfile],
    own: Collection[tuple[str, str]],
) -> FactColumns:
    """The columns for a table of this size; a large one is read as cells of the dimensions that fit."""
    base = next((profile for profile in profiles if profile.table == rows.source.base), None)
    names = [dimension.name for dimension in dimensions if dimension.kind != "bins"]
    if rows.unit or base is None:
        return FactColumns(whole_rows=True, dimensions=tuple(names))
    if base.row_count > MOST_ROWS:
        span = max(rows.baseline[1], rows.comparison[1]) - min(rows.baseline[0], rows.comparison[0])
        return FactColumns(whole_rows=False, dimensions=_fitting(dimensions, span.days + 1))
    columns = [column for column in base.columns if column.name]
    keys = {column.name for column in columns if _is_row_key(column, base.row_count)}
    siblings = [
        (base.table, column.name)
        for column in columns
        if column.inferred_type == "measure" and (base.table, column.name) not in own
    ]
    joins = tuple((s.left, s.left_column, s.right, s.right_column) for s in rows.source.steps)
    if rows.source.text is not None:
        # Rows of two tables: what repeats in one of them says nothing, and neither has other measures.
        return FactColumns(whole_rows=True, dimensions=tuple(names), joins=joins)
    return FactColumns(
        whole_rows=True,
        dimensions=tuple(names),
        siblings=tuple(siblings[:_MOST_SIBLINGS]),
        all_columns=tuple(column.name for column in columns),
        plain_columns=tuple(column.name for column in columns if column.name not in keys),
        cluster=_cluster(rows, day, base),
        hour=day.column if day.has_times else None,
        watched=_watched(rows, names, profiles, own),
        joins=joins,
    )


def _watched(
    rows: Rows, names: Sequence[str], profiles: Sequence[TableProfile], own: Collection[tuple[str, str]]
) -> tuple[tuple[str, str, str], ...]:
    found: list[tuple[str, str, str]] = []
    for profile in profiles:
        for column in profile.columns:
            fits = column.data_type == "string" and 2 <= column.cardinality <= _MOST_WATCHED
            if (profile.table, column.name) in own and fits and rows.source.reaches(profile.table):
                name = column.name if column.name not in {*names, "day", "v", "w"} else f"{profile.table}.{column.name}"
                found.append((name, profile.table, column.name))
    return tuple(found)


def _is_row_key(column: ColumnProfile, rows: int) -> bool:
    counted = column.inferred_type == "id" or column.data_type == "string"
    return counted and rows > 10 and column.cardinality >= _KEY_SHARE * rows


def _cluster(rows: Rows, day: DayColumn, base: TableProfile) -> tuple[str, str] | None:
    """The base's column whose rows share one date, or stand once on each: orders with lines, accounts by the month."""
    if day.table != base.table:
        step = next((s for s in rows.source.steps if s.left == base.table and s.right == day.table), None)
        return None if step is None else (base.table, step.left_column)
    for column in base.columns:
        if column.inferred_type == "id" and 0.05 * base.row_count < column.cardinality < _KEY_SHARE * base.row_count:
            return base.table, column.name
    for column in base.columns:
        many = column.inferred_type == "id" or column.data_type == "string"
        if many and _LEAST_ENTITIES <= column.cardinality <= base.row_count / _LEAST_DATES:
            return base.table, column.name
    return None


def _fitting(dimensions: Sequence[Dimension], days: int) -> tuple[str, ...]:
    """The dimensions whose combinations with the days can be held, those with few values first."""
    kept: list[str] = []
    cells = days
    for dimension in sorted(dimensions, key=lambda one: one.values):
        if dimension.kind in {"plain", "top"} and cells * max(dimension.values, 1) <= MOST_CELLS:
            cells *= max(dimension.values, 1)
            kept.append(dimension.name)
    return tuple(kept)
