"""The queries behind a drill-down: leaves of a cube for both periods, the daily series, and one segment's days.

All aggregation happens in the engine; what comes back has one row for each combination of dimension values, or one for
each day. The text is plain SQL in the catalog's dialect and passes the guard like any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from averment.records.base import Record
from averment.tables.catalog import Dialect
from averment.tables.engines.backend import quote, quote_text
from averment.tables.metrics.joins import JoinStep, RowSource
from averment.tables.metrics.parse import MetricForm

Period = tuple[date, date]

MEASURES = ("rows", "total", "squares", "hits", "weight")

"""What is kept for each leaf and period, as ``rows_before``, ``rows_after`` and so on."""

NONE = "(none)"

OTHER = "(other)"

FLOAT: Mapping[Dialect, str] = {"duckdb": "DOUBLE", "postgres": "DOUBLE PRECISION", "sqlite": "REAL"}

_TEXT: Mapping[Dialect, str] = {"duckdb": "VARCHAR", "postgres": "TEXT", "sqlite": "TEXT"}


@dataclass(frozen=True, kw_only=True)
class Axis:
    """One dimension of a cube: the name it is shown by, its expression, and the table it reads."""

    name: str
    sql: str
    table: str


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Everything the queries need: where the rows come from, their day, what they add, and which are looked at."""

    dialect: Dialect
    source: RowSource
    day_sql: str
    day_table: str
    where: str | None
    where_tables: tuple[str, ...]
    unit: str | None
    unit_tables: tuple[str, ...]
    baseline: Period
    comparison: Period

    @classmethod
    def undated(
        cls, dialect: Dialect, source: RowSource, form: MetricForm, baseline: Period, comparison: Period
    ) -> Rows:
        """The rows of a metric whose day is yet to be found."""
        return cls(
            dialect=dialect,
            source=source,
            day_sql="",
            day_table=source.base,
            where=form.where,
            where_tables=form.tables if form.where else (),
            unit=form.unit,
            unit_tables=form.tables if form.unit else (),
            baseline=baseline,
            comparison=comparison,
        )


def day_of(dialect: Dialect, table: str, column: str) -> str:
    """The calendar day of a date or time column."""
    name = f"{quote(table)}.{quote(column)}"
    return f"date({name})" if dialect == "sqlite" else f"CAST({name} AS DATE)"


def text_of(dialect: Dialect, expression: str) -> str:
    """A dimension's value as text, with a name for what is missing."""
    return f"coalesce(CAST({expression} AS {_TEXT[dialect]}), {quote_text(NONE)})"


def within(rows: Rows, day: str, period: tuple[date, date]) -> str:
    """The condition that a day lies in a period."""
    first, last = (_day_literal(rows.dialect, each) for each in period)
    return f"{day} BETWEEN {first} AND {last}"


def cube_sql(rows: Rows, axes: Sequence[Axis]) -> str:
    """One row for each combination of values, with the measures of both periods."""
    float_ = FLOAT[rows.dialect]
    inner = merged_units(rows, axes) if rows.unit else _plain_rows(rows, axes)
    names = [quote(axis.name) for axis in axes]
    items = [*names]
    for side, flag in (("before", "in_before"), ("after", "in_after")):
        counted = f"CASE WHEN {flag} = 1 THEN 1 ELSE 0 END"
        square = f"CAST(v AS {float_}) * CAST(v AS {float_})"
        items += [
            f"CAST(sum({counted}) AS {float_}) AS rows_{side}",
            f"CAST(coalesce(sum(CASE WHEN {flag} = 1 THEN v END), 0) AS {float_}) AS total_{side}",
            f"CAST(coalesce(sum(CASE WHEN {flag} = 1 THEN {square} END), 0) AS {float_}) AS squares_{side}",
            f"CAST(sum(CASE WHEN {flag} = 1 AND v <> 0 THEN 1 ELSE 0 END) AS {float_}) AS hits_{side}",
            f"CAST(coalesce(sum(CASE WHEN {flag} = 1 THEN w END), 0) AS {float_}) AS weight_{side}",
        ]
    grouped = ", ".join(names)
    tail = f" GROUP BY {grouped} ORDER BY {grouped}" if names else ""
    return f"SELECT {', '.join(items)} FROM ({inner}) AS cut{tail}"


def daily_sql(
    rows: Rows,
    span: tuple[date, date],
    *,
    row_key: tuple[str, str] | None = None,
    segment: Mapping[str, tuple[Axis, str]] | None = None,
) -> str:
    """One row for each day of a span that has rows: their number, sum, weight, hits and those without a value.

    ``row_key`` is a (table, column) whose repeats show double loads; ``segment`` keeps only rows with those values.
    """
    float_ = FLOAT[rows.dialect]
    axes = [axis for axis, _ in (segment or {}).values()]
    extra = [(f"{quote(row_key[0])}.{quote(row_key[1])}", "row_key")] if row_key else []
    tables = [row_key[0]] if row_key else []
    conditions = [within(rows, rows.day_sql, span)]
    conditions += [f"{axis.sql} = {quote_text(value)}" for axis, value in (segment or {}).values()]
    inner = select_rows(rows, [], extra=extra, tables=[*tables, *(axis.table for axis in axes)], conditions=conditions)
    if rows.unit:
        merged = f"{_merged(rows.source.numerator.merge)}(v) AS v"
        weight = rows.source.denominator
        merged += f", {_merged(weight.merge)}(w) AS w" if weight else ", max(w) AS w"
        inner = f"SELECT day, unit, {merged} FROM ({inner}) AS each_row WHERE unit IS NOT NULL GROUP BY day, unit"
    distinct = ", count(DISTINCT row_key) AS distinct_rows" if row_key and not rows.unit else ""
    return (
        f"SELECT day, count(*) AS row_count, CAST(coalesce(sum(v), 0) AS {float_}) AS total, "
        f"sum(CASE WHEN v IS NULL THEN 1 ELSE 0 END) AS nulls, "
        f"sum(CASE WHEN v <> 0 THEN 1 ELSE 0 END) AS hits, CAST(coalesce(sum(w), 0) AS {float_}) AS weight{distinct} "
        f"FROM ({inner}) AS cut WHERE day IS NOT NULL GROUP BY day ORDER BY day"
    )


def survey_sql(rows: Rows, axes: Sequence[Axis], most: int) -> str:
    """For each dimension its values with rows and hits over both periods, the most frequent first."""
    branches: list[str] = []
    both = f"({within(rows, rows.day_sql, rows.baseline)} OR {within(rows, rows.day_sql, rows.comparison)})"
    for number, axis in enumerate(axes):
        inner = select_rows(rows, [axis], conditions=[both])
        name = quote(axis.name)
        branches.append(
            f"SELECT * FROM (SELECT {number} AS axis, {name} AS value, count(*) AS n, "
            f"sum(CASE WHEN v <> 0 THEN 1 ELSE 0 END) AS hits FROM ({inner}) AS s{number} "
            f"GROUP BY {name} ORDER BY n DESC, value LIMIT {most}) AS t{number}"
        )
    return " UNION ALL ".join(branches)


def leaves_sql(rows: Rows, axes: Sequence[Axis]) -> str:
    """How many combinations of values there are in both periods."""
    both = f"({within(rows, rows.day_sql, rows.baseline)} OR {within(rows, rows.day_sql, rows.comparison)})"
    names = ", ".join(quote(axis.name) for axis in axes)
    inner = select_rows(rows, axes, conditions=[both])
    return f"SELECT count(*) AS n FROM (SELECT DISTINCT {names} FROM ({inner}) AS cut) AS leaves"


def period_sql(rows: Rows) -> str:
    """Rows of both periods and the span of the days there are."""
    counts = ", ".join(
        f"sum(CASE WHEN {within(rows, 'day', period)} THEN 1 ELSE 0 END) AS {name}"
        for name, period in (("n_before", rows.baseline), ("n_after", rows.comparison))
    )
    spans = "min(day) AS first_day, max(day) AS last_day, count(*) AS n_rows, count(day) AS n_dated"
    return f"SELECT {counts}, {spans} FROM ({select_rows(rows, [])}) AS cut"


def _plain_rows(rows: Rows, axes: Sequence[Axis]) -> str:
    before, after = (within(rows, rows.day_sql, period) for period in (rows.baseline, rows.comparison))
    flags = [
        (f"CASE WHEN {before} THEN 1 ELSE 0 END", "in_before"),
        (f"CASE WHEN {after} THEN 1 ELSE 0 END", "in_after"),
    ]
    return select_rows(rows, axes, extra=flags, conditions=[f"({before} OR {after})"])


def merged_units(rows: Rows, axes: Sequence[Axis], *, with_day: bool = False) -> str:
    """One row for each unit and period; a unit seen in several segments belongs to the one where it came first."""
    sides: list[str] = []
    for period, flags in ((rows.baseline, (1, 0)), (rows.comparison, (0, 1))):
        inner = select_rows(rows, axes, conditions=[within(rows, rows.day_sql, period)])
        first = [f"{_first_value(rows.dialect, quote(axis.name))} AS {quote(axis.name)}" for axis in axes]
        weight = rows.source.denominator
        merged = [
            *first,
            *(["min(day) AS day"] if with_day else []),
            f"{_merged(rows.source.numerator.merge)}(v) AS v",
            f"{_merged(weight.merge if weight else 'max')}(w) AS w",
            f"{flags[0]} AS in_before",
            f"{flags[1]} AS in_after",
        ]
        sides.append(
            f"SELECT unit, {', '.join(merged)} FROM ({inner}) AS each_row WHERE unit IS NOT NULL GROUP BY unit"
        )
    return " UNION ALL ".join(sides)


def select_rows(
    rows: Rows,
    axes: Sequence[Axis],
    *,
    extra: Sequence[tuple[str, str]] = (),
    tables: Sequence[str] = (),
    conditions: Sequence[str] = (),
) -> str:
    """The metric's rows with their day, value and weight, the axes and whatever else is asked for."""
    source = rows.source
    items = [f"{axis.sql} AS {quote(axis.name)}" for axis in axes]
    items += [f"{rows.day_sql} AS day", f"{source.numerator.value} AS v"]
    items.append(f"{source.denominator.value if source.denominator else '1'} AS w")
    if rows.unit:
        items.append(f"{rows.unit} AS unit")
    items += [f"{sql} AS {name}" for sql, name in extra]
    read = {axis.table for axis in axes} | {rows.day_table} | set(tables) | set(rows.where_tables)
    read |= set(rows.unit_tables)
    for part in (source.numerator, source.denominator):
        read |= set(part.tables) if part else set()
    tests = [*conditions]
    if rows.where:
        tests.append(f"({rows.where})")
    base = quote(source.base) if source.text is None else f"({source.text}) AS {quote(source.base)}"
    text = f"SELECT {', '.join(items)} FROM {base}"
    for gathered in source.gathered:
        alias, column = quote(gathered.alias), quote(gathered.column)
        text += (
            f" LEFT JOIN (SELECT {column} AS key, sum({gathered.value}) AS value FROM {quote(gathered.table)} "
            f"GROUP BY {column}) AS {alias} ON {alias}.key = {quote(source.base)}.{quote(gathered.base_column)}"
        )
    for step in _needed(source.steps, read):
        right = f"{quote(step.right)}.{quote(step.right_column)}"
        text += f" LEFT JOIN {quote(step.right)} ON {step.on}"
        if step.inner:
            tests.append(f"{right} IS NOT NULL")
    return text + (f" WHERE {' AND '.join(tests)}" if tests else "")


def _needed(steps: Sequence[JoinStep], read: set[str]) -> list[JoinStep]:
    """Only the joins that lead to a table that is read; an inner one changes the rows and is always needed."""
    wanted = set(read)
    kept: list[JoinStep] = []
    for step in reversed(steps):
        if step.inner or step.right in wanted:
            kept.append(step)
            wanted.add(step.left)
    return kept[::-1]


def _first_value(dialect: Dialect, name: str) -> str:
    """The value on the first day, of several that day the least; every engine then chooses the same."""
    dated = f"CAST(day AS {_TEXT[dialect]}) || {name}"
    least = f'min(({dated}) COLLATE "C")' if dialect == "postgres" else f"min({dated})"
    return f"substr({least}, {len('2024-01-31') + 1})"


def _merged(merge: str) -> str:
    return "max" if merge == "max" else "sum"


def _day_literal(dialect: Dialect, day: date) -> str:
    return quote_text(day.isoformat()) if dialect == "sqlite" else f"DATE {quote_text(day.isoformat())}"


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
