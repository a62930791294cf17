"""Time over a table: which column says when, what a period asks of it, and what a step of time groups by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, get_args

from averment.plans.plan import Part, Test, Value
from averment.reading.words import DAYS, MONTHS, singular

if TYPE_CHECKING:
    from datetime import date

    from averment.language.periods import PeriodMatch, Recurring
    from averment.reading.schema.schema_column import Column, Role
    from averment.reading.schema.schema_view import Table

_HELD: dict[str, Role] = {"month": "month", "quarter": "quarter", "weekday": "weekday", "day_of_month": "month_day"}
"""The role of a column that holds a step of time itself."""


def time_columns(table: Table) -> list[Column]:
    """The columns that say when, the likeliest first: well filled ones, plain years of the row, dates of the row."""

    def rank(column: Column) -> tuple[bool, bool, bool]:
        sparse = column.filled < 0.8 * column.rows
        of_something = column.has("year") and len(column.words) > 1
        own = bool({singular(word) for word in column.words} & set(table.nouns)) or len(column.words) == 1
        return sparse, of_something, column.kind == "date" and not own

    able = [c for c in table.columns if c.expression is None and (c.kind == "date" or c.has("year"))]
    return sorted(able, key=rank)


def time_key(table: Table, part: str, using: Column | None = None) -> Value | None:
    """What groups rows by a step of time; None where the table cannot say."""
    able = [using] if using is not None else time_columns(table)
    dated = next((c for c in able if c.kind == "date"), None)
    year = next((c for c in able if c.has("year")), None)
    if part in {"year", "decade"} and year is not None and (dated is None or len(year.words) == 1 or year is using):
        return year.value if part == "year" else Value(kind="bucket", table=year.table, column=year.name, width=10)
    held = next((c for c in table.columns if _HELD.get(part) in c.roles), None) if using is None else None
    if held is not None and (dated is None or part in {"weekday", "day_of_month"}):
        return held.value
    hour = next((c for c in table.columns if {"hr", "hour"} & set(c.words[-1:]) and c.kind == "number"), None)
    if part == "hour" and hour is not None:
        return hour.value
    if dated is None:
        return using.value if using is not None and part == "day" else None
    if part == "day" and not dated.has("stamp"):
        return dated.value
    if part == "hour" and not dated.has("stamp"):
        return None
    step: Part | None = next((each for each in get_args(Part) if each == part), None)
    return Value(kind="part", table=dated.table, column=dated.name, part=step) if step is not None else None


def period_tests(table: Table, match: PeriodMatch, using: Column | None = None) -> list[Test] | None:
    """A period as conditions over the table's time; None where the table cannot say."""
    recurring = match.recurring
    open_ended = match.period is not None and match.bound != "within"
    if match.period is None or (recurring is not None and match.ambiguity == "year_missing" and not open_ended):
        return _recurring(table, recurring, using) if recurring is not None else None
    for column in [using] if using is not None else time_columns(table):
        if column.kind == "date":
            return _within_days(column.value, match.start, match.end)
        found = _within_years(table, column, match.start, match.end)
        if found is not None:
            return found
    return None


def _within_days(value: Value, start: date | None, end: date | None) -> list[Test]:
    if start is not None and end is not None and (start.month, start.day, end.month, end.day) == (1, 1, 12, 31):
        year = Value(kind="part", table=value.table, column=value.column, part="year")
        return _within(year, start.year, end.year)
    return _within(value, start.isoformat() if start else None, end.isoformat() if end else None)


def _within(value: Value, low: Any, high: Any) -> list[Test]:
    if low is not None and high is not None:
        one = low == high
        return [Test(value=value, operator="=" if one else "between", to=(low,) if one else (low, high))]
    if low is not None:
        return [Test(value=value, operator=">=", to=(low,))]
    return [Test(value=value, operator="<=", to=(high,))] if high is not None else []


def _within_years(table: Table, year: Column, start: date | None, end: date | None) -> list[Test] | None:
    """A period over plain years, with the column of months or quarters beside them where the period needs one."""
    short = isinstance(year.high, int | float) and year.high < 100
    years = [one.year % 100 if short else one.year for one in (start, end) if one is not None]
    whole = (start is None or (start.month, start.day) == (1, 1)) and (end is None or (end.month, end.day) == (12, 31))
    if whole:
        return _within(year.value, years[0] if start is not None else None, years[-1] if end is not None else None)
    if start is None or end is None or start.year != end.year or start.day != 1:
        return None
    for role, length in (("month", 1), ("quarter", 3)):
        held = next((c for c in table.columns if role in c.roles), None)
        if held is None or (start.month - 1) % length or end.month % length:
            continue
        steps = range((start.month - 1) // length + 1, end.month // length + 1)
        values = [_written(held, role, number) for number in steps]
        if None not in values:
            return [Test(value=year.value, to=(years[0],)), one_of(held.value, values)]
    return None


def _written(column: Column, role: str, number: int) -> Any:
    """How a column writes a month, a quarter or a weekday (1 is January, Monday)."""
    if column.kind == "number":
        return number
    names = {"month": MONTHS, "weekday": DAYS}.get(role)
    if names is None:
        return next((v for v in column.values if str(v).strip().lower().lstrip("q") == str(number)), None)
    name = names[number - 1]
    return next((v for v in column.values if len(str(v)) > 1 and name.startswith(str(v).strip().lower())), None)


def one_of(value: Value, wanted: list[Any]) -> Test:
    """That a value is one of these."""
    return Test(value=value, operator="=" if len(wanted) == 1 else "in", to=tuple(wanted))


def _recurring(table: Table, recurring: Recurring, using: Column | None) -> list[Test] | None:
    """Months, quarters and weekdays of any year, and parts of a day."""
    months = recurring.months or tuple(m for q in recurring.quarters for m in range(3 * q - 2, 3 * q + 1))
    held = next((c for c in table.columns if c.has("quarter")), None) if using is None else None
    asked: list[tuple[str, str, tuple[int, ...]]] = []
    if recurring.quarters and held is not None:
        asked.append(("quarter", "quarter", recurring.quarters))
    elif months:
        asked.append(("month_of_year", "month", months))
    if recurring.weekdays:
        asked.append(("weekday", "weekday", tuple(day + 1 for day in recurring.weekdays)))
    if recurring.day is not None:
        asked.append(("day_of_month", "month_day", (recurring.day,)))
    found: list[Test] = []
    for part, role, numbers in asked:
        column = next((c for c in table.columns if role in c.roles), None) if using is None else None
        key = column.value if column is not None else time_key(table, part, using)
        if key is None:
            return None
        names = {"month_of_year": MONTHS, "weekday": DAYS}.get(part)
        values: list[Any] = list(numbers)
        if column is not None:
            values = [_written(column, role, number) for number in numbers]
        elif names is not None:
            values = [names[number - 1][:3].title() for number in numbers]
        if None in values:
            return None
        found.append(one_of(key, values))
    if recurring.day_time is not None:
        clock = _clock_test(table, recurring.day_time.first, recurring.day_time.last)
        if clock is None:
            return None
        found.append(clock)
    return found or None


def _clock_test(table: Table, first: int | None, last: int | None) -> Test | None:
    """Times of the day between two minutes, in whole hours of a moment or as a column of clock times writes them."""
    stamp = next((c for c in table.columns if c.has("stamp")), None)
    if stamp is not None and not (first or 0) % 60 and not (last or 0) % 60:
        hour = Value(kind="part", table=stamp.table, column=stamp.name, part="hour")
        return next(
            iter(_within(hour, None if first is None else first // 60, None if last is None else last // 60 - 1))
        )
    clock = next((c for c in table.columns if c.has("clock")), None)
    if clock is None:
        return None
    texts = [None if each is None else f"{each // 60:02d}:{each % 60:02d}" for each in (first, last)]
    found = _within(clock.value, *texts)
    return found[0] if found else None
