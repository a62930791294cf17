"""Composing SQL: an aggregate question as a typed specification becomes one query text in the catalog's dialect.

Names are quoted by the SQL library and values travel as parameters, so neither a header nor a cell can become SQL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import sqlglot.expressions as sql

from averment.tables.catalog import Dialect

Aggregate = Literal["sum", "avg", "min", "max", "median", "count", "count_distinct"]
Grain = Literal["day", "week", "month", "quarter", "year"]
Operator = Literal["=", "<>", "<", "<=", ">", ">="]
Parameter = str | int | float | bool


@dataclass(frozen=True, kw_only=True)
class MeasureSpec:
    """An aggregate of a column; ``count`` without a column counts rows."""

    aggregate: Aggregate
    column: str | None
    alias: str


@dataclass(frozen=True, kw_only=True)
class GroupSpec:
    """A column to group by, dates cut to a grain."""

    column: str
    alias: str
    grain: Grain | None = None


@dataclass(frozen=True, kw_only=True)
class Condition:
    """A comparison of a column with a value; dates are given as ISO text and ``is_date``."""

    column: str
    operator: Operator
    value: Parameter
    is_date: bool = False


@dataclass(frozen=True, kw_only=True)
class AggregateSpec:
    """A whole aggregate query over one table."""

    table: str
    measures: tuple[MeasureSpec, ...]
    groups: tuple[GroupSpec, ...] = ()
    conditions: tuple[Condition, ...] = ()
    order: Literal["value_desc", "value_asc", "group"] = "group"
    limit: int | None = None


@dataclass(frozen=True)
class Composed:
    """The query text and the values of its placeholders, in order."""

    sql: str
    params: tuple[Parameter, ...]


def compose(spec: AggregateSpec, dialect: Dialect) -> Composed:
    """The specification as one SELECT; rows come in a fixed order, ties by the group's own value."""
    query = sql.select()
    for group in spec.groups:
        query = query.select(sql.alias_(_group(group, dialect), group.alias, quoted=True))
    for measure in spec.measures:
        query = query.select(sql.alias_(_measure(measure, dialect), measure.alias, quoted=True))
    query = query.from_(sql.to_table(_quoted(spec.table).sql(dialect), dialect=dialect))
    for condition in spec.conditions:
        query = query.where(_condition(condition, dialect))
    for group in spec.groups:
        query = query.group_by(_group(group, dialect))
    for term in _order(spec):
        query = query.order_by(term)
    if spec.limit is not None:
        query = query.limit(spec.limit)
    return Composed(sql=query.sql(dialect=dialect, pretty=True), params=tuple(c.value for c in spec.conditions))


def _quoted(name: str) -> sql.Identifier:
    return sql.to_identifier(name, quoted=True)


def _column(name: str) -> sql.Column:
    return sql.Column(this=_quoted(name))


def _measure(measure: MeasureSpec, dialect: Dialect) -> sql.Expr:
    if measure.column is None:
        return sql.Count(this=sql.Star())
    column = _column(measure.column)
    match measure.aggregate:
        case "sum":
            return sql.Sum(this=column)
        case "avg":
            return sql.Avg(this=column)
        case "min":
            return sql.Min(this=column)
        case "max":
            return sql.Max(this=column)
        case "count":
            return sql.Count(this=column)
        case "count_distinct":
            return sql.Count(this=sql.Distinct(expressions=[column]))
        case "median":
            if dialect == "duckdb":
                return sql.Median(this=column)
            half = sql.Literal.number("0.5")
            within = sql.Order(expressions=[sql.Ordered(this=column)])
            return sql.WithinGroup(this=sql.PercentileCont(this=half), expression=within)


def _group(group: GroupSpec, dialect: Dialect) -> sql.Expr:
    column = _column(group.column)
    if group.grain is None:
        return column
    if dialect == "sqlite":
        return _sqlite_trunc(column, group.grain)
    truncated = sql.TimestampTrunc(this=column, unit=sql.var(group.grain.upper()))
    return sql.cast(truncated, sql.DataType.Type.DATE)


def _sqlite_trunc(column: sql.Column, grain: Grain) -> sql.Expr:
    """SQLite has no date_trunc; its modifiers reach the same first days."""
    modifiers = {
        "day": [],
        "week": ["weekday 0", "-6 days"],
        "month": ["start of month"],
        "year": ["start of year"],
        "quarter": ["start of month"],
    }[grain]
    arguments: list[sql.Expr] = [column, *(sql.Literal.string(text) for text in modifiers)]
    if grain == "quarter":
        # Back to the quarter's first month: (month - 1) % 3 months before this month's first day.
        month = sql.cast(sql.Anonymous(this="strftime", expressions=[sql.Literal.string("%m"), column]), "INTEGER")
        back = sql.Mod(
            this=sql.paren(sql.Sub(this=month, expression=sql.Literal.number(1))), expression=sql.Literal.number(3)
        )
        text = sql.DPipe(
            this=sql.DPipe(this=sql.Literal.string("-"), expression=sql.paren(back)),
            expression=sql.Literal.string(" months"),
        )
        arguments.append(text)
    return sql.Anonymous(this="date", expressions=arguments)


def _condition(condition: Condition, dialect: Dialect) -> sql.Expr:
    kinds: dict[Operator, type[sql.Binary]] = {
        "=": sql.EQ,
        "<>": sql.NEQ,
        "<": sql.LT,
        "<=": sql.LTE,
        ">": sql.GT,
        ">=": sql.GTE,
    }
    value: sql.Expr = sql.var("?")
    if condition.is_date and dialect != "sqlite":
        value = sql.cast(value, sql.DataType.Type.DATE)
    return kinds[condition.operator](this=_column(condition.column), expression=value)


def _order(spec: AggregateSpec) -> list[sql.Ordered]:
    names = [group.alias for group in spec.groups]
    terms: list[sql.Ordered] = []
    if spec.order != "group" and spec.groups:
        descending = spec.order == "value_desc"
        terms.append(sql.Ordered(this=_column(spec.measures[0].alias), desc=descending, nulls_first=False))
    return terms + [sql.Ordered(this=_column(name), desc=False, nulls_first=False) for name in names]
