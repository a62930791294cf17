"""The query behind the reading of a change: the metric's rows with all that may tell why it moved, over all time.

Small tables are read row by row; of large ones the rows of a day with the same values stand together as one cell.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from averment.records.base import Record
from averment.tables.cubes.cube_sql import FLOAT, Axis, Rows, merged_units, select_rows, text_of, within
from averment.tables.engines.backend import quote

MOST_ROWS = 120_000
"""A table of more rows is read as cells."""
MOST_CELLS = 6_000
"""So many cells of a large table are read; its leaves are searched beside them."""


class FactColumns(Record):
    """Which columns of which table stand beside the metric in the query, apart from the dimensions."""

    whole_rows: bool
    """Whether each row of the result is one row of the metric."""
    dimensions: tuple[str, ...]
    siblings: tuple[tuple[str, str], ...] = ()
    """Other measures of the metric's own table, as (table, column)."""
    all_columns: tuple[str, ...] = ()
    """The columns of the metric's own table that together make a row."""
    plain_columns: tuple[str, ...] = ()
    """Those of them that are no key of the row."""
    cluster: tuple[str, str] | None = None
    """A column whose value is the same for rows that come together."""
    hour: str | None = None
    """The column that holds the time of day, of the table that dates the rows."""
    watched: tuple[tuple[str, str, str], ...] = ()
    """Categories that the metric's own text reads, as (name, table, column); another spelling changes the metric."""
    joins: tuple[tuple[str, str, str, str], ...] = ()
    """Joined tables as (left, left column, right, right column)."""


def facts_sql(rows: Rows, axes: Sequence[Axis], columns: FactColumns) -> str:
    """One row for each row of the metric, or for each day and combination of values; the rows of all time.

    Columns: ``day``, the dimensions by name, ``v`` and, of a quotient, ``w``; row by row also ``hour``, ``again`` and
    ``again_but_key`` (above one for a repeated row), ``together``, ``join_0`` …, ``sibling_0`` …; for cells ``n``,
    ``empty``, ``vv`` and, of a quotient, ``vw`` and ``ww``. A sum weighs each row as one, so no weight travels.
    """
    if rows.unit:
        return _unit_facts(rows, axes)
    chosen = [axis for axis in axes if axis.name in columns.dimensions]
    if columns.whole_rows:
        chosen += [
            Axis(name=name, sql=text_of(rows.dialect, f"{quote(table)}.{quote(column)}"), table=table)
            for name, table, column in columns.watched
        ]
        return _row_facts(rows, chosen, columns)
    return _cell_facts(rows, chosen)


def _row_facts(rows: Rows, axes: Sequence[Axis], columns: FactColumns) -> str:
    base = quote(rows.source.base)
    extra: list[tuple[str, str]] = []
    tables = [right for _, _, right, _ in columns.joins]
    if columns.hour is not None:
        time = f"{quote(rows.day_table)}.{quote(columns.hour)}"
        hour = f"strftime('%H', {time})" if rows.dialect == "sqlite" else f"EXTRACT(hour FROM {time})"
        extra.append((f"CAST({hour} AS INTEGER)", "hour"))
    for name, group in (("again", columns.all_columns), ("again_but_key", columns.plain_columns)):
        if group:
            by, whole = (
                ", ".join(f"{base}.{quote(column)}" for column in some) for some in (group, columns.all_columns)
            )
            number = f"row_number() OVER (PARTITION BY {by}, {rows.day_sql} ORDER BY {whole})"
            extra.append((f"CAST({number} AS INTEGER)", name))
    if columns.cluster is not None:
        extra.append((f"{quote(columns.cluster[0])}.{quote(columns.cluster[1])}", "together"))
    for number, (_, _, right, key) in enumerate(columns.joins):
        extra.append((f"CASE WHEN {quote(right)}.{quote(key)} IS NULL THEN 0 ELSE 1 END", f"join_{number}"))
    for number, (table, column) in enumerate(columns.siblings):
        extra.append((f"CAST({quote(table)}.{quote(column)} AS {FLOAT[rows.dialect]})", f"sibling_{number}"))
    inner = select_rows(rows, axes, extra=extra, tables=tables)
    names = ", ".join(quote(axis.name) for axis in axes)
    float_ = FLOAT[rows.dialect]
    numbers = ["v", "w"] if rows.source.denominator else ["v"]
    items = ["day", *([names] if names else []), *(f"CAST({name} AS {float_}) AS {name}" for name in numbers)]
    items += [name for _, name in extra]
    # A total order, so that the same rows always make the same table.
    order = ", ".join(["day", *([names] if names else []), *numbers, *(name for _, name in extra)])
    return f"SELECT {', '.join(items)} FROM ({inner}) AS facts WHERE day IS NOT NULL ORDER BY {order}"


def _cell_facts(rows: Rows, axes: Sequence[Axis]) -> str:
    float_ = FLOAT[rows.dialect]
    span = (min(rows.baseline[0], rows.comparison[0]), max(rows.baseline[1], rows.comparison[1]))
    inner = select_rows(rows, axes, conditions=[within(rows, rows.day_sql, span)])
    names = ["day", *(quote(axis.name) for axis in axes)]
    value, weight = f"CAST(v AS {float_})", f"CAST(w AS {float_})"
    items = [
        *names,
        f"CAST(count(*) AS {float_}) AS n",
        f"coalesce(sum({value}), 0) AS v",
        f"CAST(sum(CASE WHEN v IS NULL THEN 1 ELSE 0 END) AS {float_}) AS empty",
        f"coalesce(sum({value} * {value}), 0) AS vv",
    ]
    if rows.source.denominator:
        items += [
            f"coalesce(sum({weight}), 0) AS w",
            f"coalesce(sum({value} * {weight}), 0) AS vw",
            f"coalesce(sum({weight} * {weight}), 0) AS ww",
        ]
    grouped = ", ".join(names)
    return (
        f"SELECT {', '.join(items)} FROM ({inner}) AS facts WHERE day IS NOT NULL GROUP BY {grouped} ORDER BY {grouped}"
    )


def _unit_facts(rows: Rows, axes: Sequence[Axis]) -> str:
    """Distinct things: one row for each of them and period, dated by the day it came first."""
    float_ = FLOAT[rows.dialect]
    names = ", ".join(quote(axis.name) for axis in axes)
    items = ["day", *([names] if names else []), f"CAST(v AS {float_}) AS v", f"CAST(w AS {float_}) AS w"]
    sides = merged_units(replace(rows), axes, with_day=True)
    order = ", ".join(["day", *([names] if names else []), "v", "w"])
    return f"SELECT {', '.join(items)} FROM ({sides}) AS facts ORDER BY {order}"
