"""Dates cut to a part, in every dialect: first days of periods, year numbers, names of months and weekdays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import sqlglot.expressions as sql

if TYPE_CHECKING:
    from averment.tables.catalog import Dialect
    from averment.tables.compose.select_spec import Part

_MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split()
_DAYS = "Sun Mon Tue Wed Thu Fri Sat".split()
_ENDS = ["weekend", *["weekday"] * 5, "weekend"]
_NUMBERS = {
    "year_number": ("%Y", "YEAR"),
    "month_number": ("%m", "MONTH"),
    "day_number": ("%d", "DAY"),
    "hour_number": ("%H", "HOUR"),
    "weekday_number": ("%w", "DOW"),
}
_MODIFIERS = {
    "day": [],
    "week": ["weekday 0", "-6 days"],
    "month": ["start of month"],
    "quarter": ["start of month"],
    "year": ["start of year"],
}
_WRITTEN = (
    r"^(((0?[13578]|1[02])/(0?[1-9]|[12][0-9]|3[01])|(0?[469]|11)/(0?[1-9]|[12][0-9]|30)|0?2/(0?[1-9]|1[0-9]|2[0-8]))"
    r"/[0-9]{4}|0?2/29/([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00))$"
)
"""A day that the calendar has, written as month, day and year."""


def date_part(inner: sql.Expr, part: Part, dialect: Dialect) -> sql.Expr:
    """A date cut to a part; periods are shown as their first day."""
    if part in _NUMBERS:
        return _field(inner, *_NUMBERS[part], dialect)
    if part == "month_name":
        return _named(_field(inner, "%m", "MONTH", dialect), _MONTHS, 1)
    if part == "weekday_name":
        return _named(_field(inner, "%w", "DOW", dialect), _DAYS, 0)
    if part == "weekend_name":
        return _named(_field(inner, "%w", "DOW", dialect), _ENDS, 0)
    if dialect == "sqlite":
        return _sqlite(inner, part)
    stamp = sql.cast(inner, sql.DataType.Type.TIMESTAMP)
    truncated = sql.TimestampTrunc(this=stamp, unit=sql.var(part.upper()))
    return sql.cast(truncated, sql.DataType.Type.DATE)


def date_written(inner: Callable[[], sql.Expr], dialect: Dialect) -> sql.Expr:
    """The date that a text such as 8/29/2013 (month, day, year) says; nothing where it says none."""
    if dialect == "duckdb":
        made = sql.Anonymous(this="try_strptime", expressions=[inner(), sql.Literal.string("%m/%d/%Y")])
        return sql.cast(made, sql.DataType.Type.DATE)
    if dialect == "postgres":
        made = sql.Anonymous(this="to_date", expressions=[inner(), sql.Literal.string("MM/DD/YYYY")])
        # The server ends the query at a text that is no date; the others find nothing there.
        return sql.Case().when(sql.RegexpLike(this=inner(), expression=sql.Literal.string(_WRITTEN)), made)

    def call(name: str, *arguments: sql.Expr | int | str) -> sql.Expr:
        plain = [
            sql.Literal.number(a) if isinstance(a, int) else sql.Literal.string(a) if isinstance(a, str) else a
            for a in arguments
        ]
        return sql.Anonymous(this=name, expressions=plain)

    def stroke(text: sql.Expr) -> sql.Expr:
        return call("instr", text, "/")

    def rest() -> sql.Expr:
        return call("substr", inner(), sql.Add(this=stroke(inner()), expression=sql.Literal.number(1)))

    def until(text: Callable[[], sql.Expr]) -> sql.Expr:
        part = call("substr", text(), 1, sql.Sub(this=stroke(text()), expression=sql.Literal.number(1)))
        return call("printf", "%02d", sql.cast(part, "INTEGER"))

    year = call("substr", rest(), sql.Add(this=stroke(rest()), expression=sql.Literal.number(1)), 4)
    parts = [year, sql.Literal.string("-"), until(inner), sql.Literal.string("-"), until(rest)]
    joined = parts[0]
    for part in parts[1:]:
        joined = sql.DPipe(this=joined, expression=part)
    return call("date", joined)


def days_between(first: sql.Expr, last: sql.Expr, dialect: Dialect) -> sql.Expr:
    """How many days after the first the last date comes."""
    if dialect == "sqlite":
        later, earlier = (sql.Anonymous(this="julianday", expressions=[each]) for each in (last, first))
        return sql.paren(sql.Sub(this=later, expression=earlier))
    later, earlier = (sql.cast(each, sql.DataType.Type.DATE) for each in (last, first))
    return sql.paren(sql.Sub(this=later, expression=earlier))


def seconds_between(first: sql.Expr, last: sql.Expr, dialect: Dialect) -> sql.Expr:
    """How many seconds after the first the last moment comes."""

    def moment(inner: sql.Expr) -> sql.Expr:
        if dialect == "sqlite":
            text = sql.Anonymous(this="strftime", expressions=[sql.Literal.string("%s"), inner])
            return sql.cast(text, "INTEGER")
        stamp = sql.Extract(this=sql.var("EPOCH"), expression=sql.cast(inner, sql.DataType.Type.TIMESTAMP))
        # Postgres would give an exact number with six decimals, the others give a plain one.
        return sql.cast(stamp, sql.DataType.Type.DOUBLE) if dialect == "postgres" else stamp

    return sql.paren(sql.Sub(this=moment(last), expression=moment(first)))


def _field(inner: sql.Expr, pattern: str, name: str, dialect: Dialect) -> sql.Expr:
    if dialect != "sqlite":
        return sql.Extract(this=sql.var(name), expression=sql.cast(inner, sql.DataType.Type.TIMESTAMP))
    text = sql.Anonymous(this="strftime", expressions=[sql.Literal.string(pattern), inner])
    return sql.cast(text, "INTEGER")


def _named(number: sql.Expr, names: Sequence[str], first: int) -> sql.Expr:
    case = sql.Case(this=number)
    for place, name in enumerate(names, first):
        case = case.when(sql.Literal.number(place), sql.Literal.string(name))
    return case


def _sqlite(inner: sql.Expr, part: Part) -> sql.Expr:
    arguments: list[sql.Expr] = [inner, *map(sql.Literal.string, _MODIFIERS[part])]
    if part == "quarter":
        # Back to the quarter's first month: (month - 1) % 3 months before this month's first day.
        month = sql.cast(sql.Anonymous(this="strftime", expressions=[sql.Literal.string("%m"), inner]), "INTEGER")
        one, three = sql.Literal.number(1), sql.Literal.number(3)
        back = sql.Mod(this=sql.paren(sql.Sub(this=month, expression=one)), expression=three)
        minus = sql.DPipe(this=sql.Literal.string("-"), expression=sql.paren(back))
        arguments.append(sql.DPipe(this=minus, expression=sql.Literal.string(" months")))
    return sql.Anonymous(this="date", expressions=arguments)
