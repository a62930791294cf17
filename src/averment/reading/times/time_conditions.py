"""Time over a table: which column says when, how a period becomes conditions, what a step of time groups by."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any

from averment.language.periods import Recurring
from averment.plans.plan import Test, Value
from averment.reading.times.day_times import day_columns, day_test
from averment.reading.words import DAYS, MONTHS, singular

if TYPE_CHECKING:
    from collections.abc import Callable

    from averment.language.periods import PeriodMatch
    from averment.plans.plan import Part, Scalar
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Table

_PART_OF: dict[str, Part] = {
    "year": "year",
    "month": "month",
    "day": "day",
    "week": "week",
    "quarter": "quarter",
    "decade": "decade",
    "hour": "hour",
    "weekday": "weekday",
    "month_of_year": "month_of_year",
    "day_of_month": "day_of_month",
}


_ROLES = {
    "month": "month",
    "month_of_year": "month",
    "weekday": "weekday",
    "day_of_month": "month_day",
    "quarter": "quarter",
}
"""The role of a column that holds a step of time itself."""

_SIDES = {(5, 6): "weekend", (0, 1, 2, 3, 4): "weekday"}
"""The two sides of a week."""

FISCAL = "fiscal year from "
"""What a part is called that is a year of its own, before the number of its first month."""


def time_columns(table: Table) -> list[Column]:
    """The columns that say when, the likeliest first: dates before plain years, the one called after the rows first."""
    able = [c for c in table.columns if c.kind == "date" or c.has("year")]

    def rank(column: Column) -> tuple[bool, bool, bool, bool]:
        sparse = column.filled < 0.8 * column.rows
        of_something = column.has("year") and len(column.words) > 1
        plain = column.kind != "date" and column.words not in {("year",), ("yr",)}
        strange = column.kind == "date" and not {singular(word) for word in column.words} & set(table.nouns)
        return sparse, of_something, plain, strange

    return sorted(able, key=rank)


def time_key(table: Table, part: str, using: Column | None = None) -> Value | None:
    """What groups by a step of time; a column that holds the step itself comes first."""
    role = _ROLES.get(part)
    dates = [c for c in time_columns(table) if c.kind == "date"] if using is None else [using]
    if using is None and dates and dates[0].filled < 0.8 * dates[0].rows and any(c.has("year") for c in table.columns):
        dates = []
    if role is not None and (using is None or using.kind != "date"):
        held = next((c for c in table.columns if role in c.roles), None)
        if held is not None and not (part in {"month", "quarter"} and dates and _spans_years(dates[0])):
            return held.value
    years = [c for c in table.columns if c.has("year")]
    if using is None and dates and years and not any(len(c.words) == 1 for c in years):
        years = []  # A year of something (of birth, of make) is not when the row happened.
    if part in {"year", "decade"} and years and (using is None or using in years):
        year = years[0] if using is None else using
        if part == "year":
            return year.value
        return Value(kind="bucket", table=year.table, column=year.name, width=10)
    dated = next((c for c in dates if c.kind == "date"), None)
    if dated is None:
        return None
    if part.startswith(FISCAL):
        begins = float(part.removeprefix(FISCAL))
        return Value(kind="part", table=dated.table, column=dated.name, part="year", number=begins)
    if part == "hour" and not dated.has("stamp"):
        return None
    return Value(kind="part", table=dated.table, column=dated.name, part=_PART_OF[part])


def _spans_years(column: Column) -> bool:
    return str(column.low)[:4] != str(column.high)[:4]


def step_of(table: Table) -> str | None:
    """The step in which rows of the table follow each other, where its dates are all different."""
    found = next((c for c in table.columns if c.kind == "date" and c.is_unique and not c.has("stamp")), None)
    if found is None or not found.filled:
        return _held_step(table)
    try:
        low, high = date.fromisoformat(str(found.low)[:10]), date.fromisoformat(str(found.high)[:10])
    except ValueError:
        return None
    gap = (high - low).days / max(1, found.distinct - 1)
    return "day" if gap < 3 else "week" if gap < 12 else "month" if gap < 45 else "quarter" if gap < 120 else "year"


def _held_step(table: Table) -> str | None:
    """The step of rows that a year and a month or a quarter tell apart."""
    year = next((c for c in table.columns if c.has("year") and c.filled == c.rows), None)
    steps = _steps_of(table) if year is not None else None
    if year is None or steps is None:
        return None
    most = year.distinct * steps[0].distinct
    whole = most - steps[0].distinct < table.rows <= most
    return {1: "month", 3: "quarter"}[steps[1]] if whole else None


def period_tests(table: Table, match: PeriodMatch, using: Column | None = None) -> list[Test] | None:
    """A period as conditions over the table's time; None where the table cannot say."""
    recurring = match.recurring
    if match.period is None or (recurring is not None and match.ambiguity == "year_missing"):
        return _recurring(table, recurring, using) if recurring is not None else None
    start, end = match.start, match.end
    first = using or next(iter(time_columns(table)), None)
    dated = first if first is not None and first.kind == "date" else None
    if dated is not None:
        return _within(dated.value, start.isoformat() if start else None, end.isoformat() if end else None)
    year = next((c for c in table.columns if c.has("year")), None) if using is None or not using.has("year") else using
    if year is None:
        return None
    return _years(table, year, start, end)


def bounds(test: Test) -> tuple[str, str] | None:
    """The first and the last day or year a condition on time lets through, as they sort; None where it is open."""
    if test.value is None or test.negated or not test.to or not all(_is_moment(each) for each in test.to):
        return None
    match test.operator:
        case "between":
            return str(test.to[0]), str(test.to[1])
        case "=":
            return str(test.to[0]), str(test.to[0])
        case ">=" | ">":
            return str(test.to[0]), "9999"
        case "<=" | "<":
            return "", str(test.to[0])
        case _:
            return None


def year_earlier(test: Test, anchor: date | None) -> Test | None:
    """A period a year before; of one that is still under way only the days that have passed."""
    found, value = bounds(test), test.value
    if found is None or value is None or anchor is None or not found[0]:
        return None
    low, high = found
    if value.part == "year":
        value, low, high = Value(table=value.table, column=value.column), f"{low}-01-01", f"{high}-12-31"
    if value.kind != "column" or not high[4:]:
        return None
    last = min(date.fromisoformat(high[:10]), anchor)
    first = date.fromisoformat(low[:10])
    return Test(value=value, operator="between", to=(_back(first).isoformat(), _back(last).isoformat()))


def _back(day: date) -> date:
    return day.replace(year=day.year - 1, day=28 if (day.month, day.day) == (2, 29) else day.day)


def is_period(test: Test, *, recurring: bool = False) -> bool:
    """Whether a condition names a period of time, or with ``recurring`` one that comes back each year or week."""
    value = test.value
    if value is None or test.negated:
        return False
    if recurring and value.part is not None and test.to:
        return True
    dates = all(isinstance(each, str) and each[:4].isdigit() and each[4:5] == "-" for each in test.to)
    return bool(test.to) and (value.part == "year" or dates)


def _is_moment(value: Any) -> bool:
    if isinstance(value, str):
        return value[:4].isdigit() and value[4:5] in {"", "-"}
    return isinstance(value, int) and 1000 <= value <= 2200


def excludes(one: Test, other: Test) -> bool:
    """Whether two conditions on the same column's time cannot hold together."""
    if one.value is None or other.value is None:
        return False
    if (one.value.table, one.value.column) != (other.value.table, other.value.column):
        return False
    parts = {one.value.part, other.value.part}
    if not parts <= {None, "year"}:
        return False
    first, second = bounds(one), bounds(other)
    if first is None or second is None:
        return False
    if len(parts) == 2:  # a year beside a span of days
        first, second = ((low[:4], high[:4]) for low, high in (first, second))
    return first[1] < second[0] or second[1] < first[0]


def _within(value: Value, low: Any, high: Any) -> list[Test]:
    if low is not None and high is not None:
        if low == high:
            return [Test(value=value, operator="=", to=(low,))]
        if isinstance(low, str) and value.kind == "column" and low.endswith("-01-01") and high.endswith("-12-31"):
            years = Value(kind="part", table=value.table, column=value.column, part="year")
            return _within(years, int(low[:4]), int(high[:4]))
        return [Test(value=value, operator="between", to=(low, high))]
    if low is not None:
        return [Test(value=value, operator=">=", to=(low,))]
    return [Test(value=value, operator="<=", to=(high,))] if high is not None else []


def _years(table: Table, year: Column, start: Any, end: Any) -> list[Test] | None:
    """A period over a column of plain years, with the month column beside it where the period needs one."""
    short = isinstance(year.high, int | float) and year.high < 100

    def shown(value: Any) -> int:
        return value.year % 100 if short else value.year

    whole = (start is None or (start.month, start.day) == (1, 1)) and (end is None or (end.month, end.day) == (12, 31))
    if whole:
        return _within(year.value, shown(start) if start else None, shown(end) if end else None)
    if start is None or end is None:
        return None
    steps = _steps_of(table)
    if steps is None:
        return None
    column, length, written = steps
    # The first and the last step that the period takes whole.
    first, last = (start.month - 1) // length + 1, (end.month - 1) // length + 1
    partial = (start.month - 1) % length or end.month % length
    if partial or start.year > end.year:
        return None
    each: list[Test] = []
    for at in range(start.year, end.year + 1):
        inside = range(first if at == start.year else 1, (last if at == end.year else 12 // length) + 1)
        values = [written(column, number) for number in inside]
        if None in values:
            return None
        tests = [Test(value=year.value, to=(at % 100 if short else at,))]
        if len(values) < 12 // length:
            tests.append(_one_of(column.value, values))
        each.append(tests[0] if len(tests) == 1 else Test(all_of=tuple(tests)))
    if len(each) > 1:
        return [Test(any_of=tuple(each))]
    found = list(each[0].all_of) or each
    if start == end or (start.day, end.day) != (1, end.day):
        day = next((c for c in table.columns if c.has("month_day")), None)
        if day is None and start.day != 1:
            return None
        if day is not None and start == end:
            found.append(Test(value=day.value, to=(start.day,)))
    return found


def _steps_of(table: Table) -> tuple[Column, int, Callable[[Column, int], Any]] | None:
    """The column that parts a year into months or quarters, how many months each step has, and how it is written."""
    month = next((c for c in table.columns if c.has("month")), None)
    if month is not None:
        return month, 1, _month_value
    quarter = next((c for c in table.columns if c.has("quarter")), None)
    return (quarter, 3, _quarter_value) if quarter is not None else None


def _quarter_value(column: Column, number: int) -> Any:
    """How the column writes a quarter."""
    if column.kind == "number":
        return number
    return next((v for v in column.values if str(v).strip().lower().lstrip("q") == str(number)), None)


def _one_of(value: Value, wanted: list[Any]) -> Test:
    return (
        Test(value=value, to=(wanted[0],)) if len(wanted) == 1 else Test(value=value, operator="in", to=tuple(wanted))
    )


def _month_value(column: Column, number: int) -> Any:
    """How the column writes a month."""
    if column.kind == "number":
        return number
    name = MONTHS[number - 1]
    return next((v for v in column.values if str(v).strip().lower() in {name, name[:3], name[:4]}), None)


def _recurring(table: Table, recurring: Any, using: Column | None) -> list[Test] | None:
    """Months and weekdays of any year."""
    tests: list[Test] = []
    if recurring.months:
        key = time_key(table, "month_of_year", using)
        if key is None:
            return None
        column = table.find(key.column or "")
        if key.kind == "part":
            wanted: list[Any] = [MONTHS[n - 1][:3].title() for n in recurring.months]
        else:
            wanted = [_month_value(column, n) for n in recurring.months] if column is not None else []
        if not wanted or any(value is None for value in wanted):
            return None
        tests.append(_one_of(key, wanted))
    if recurring.day_time is not None:
        able = [using] if using is not None and using.has("stamp", "clock") else day_columns(table)
        timed = day_test(able[0], recurring.day_time) if able else None
        if timed is None:
            return None
        tests.append(timed)
    if recurring.weekdays:
        key = time_key(table, "weekday", using)
        if key is None:
            return None
        side = _SIDES.get(recurring.weekdays)
        if side is not None and key.kind == "part":
            tests.append(Test(value=key.model_copy(update={"part": "weekend"}), to=(side,)))
            return tests
        wanted = [DAYS[n][:3].title() for n in recurring.weekdays]
        if key.kind == "column":
            column = table.find(key.column or "")
            assert column is not None  # the key was made of it
            wanted = [_weekday_value(column, n) for n in recurring.weekdays]
            if any(value is None for value in wanted):
                return None
        tests.append(_one_of(key, wanted))
    if recurring.day is not None:
        key = time_key(table, "day_of_month", using)
        if key is None:
            return None
        tests.append(Test(value=key, to=(recurring.day,)))
    if recurring.quarters:
        held = next((c for c in table.columns if c.has("quarter")), None) if using is None else None
        if held is not None:
            named = [_quarter_value(held, number) for number in recurring.quarters]
            return None if None in named else [*tests, _one_of(held.value, named)]
        months = tuple(m for quarter in recurring.quarters for m in range(3 * quarter - 2, 3 * quarter + 1))
        inner = _recurring(table, Recurring(months=months), using)
        if inner is None:
            return None
        tests += inner
    if recurring.weeks:
        return None
    return tests or None


def _weekday_value(column: Column, number: int) -> Any:
    """How the column writes a weekday, counted from Monday as 0."""
    if column.kind == "number":
        if column.low == 1 and column.high == 7:
            return number + 1
        return None
    name = DAYS[number]
    return next((v for v in column.values if name.startswith(str(v).strip().lower()) and len(str(v).strip()) > 1), None)


def two_periods(match: PeriodMatch) -> tuple[tuple[Scalar, Scalar], str] | None:
    """The first and the last period of a range, as a change compares them, and how long each is.

    "From 2020 to 2024" compares years, "from Q1 2024 to Q1 2025" quarters, "from May to July" months; a range of days
    has no two periods.
    """
    start, end = match.start, match.end
    if start is None or end is None:
        return None
    if match.grain == "decade":
        return (start.year, end.year - end.year % 10), "decade"
    text = match.text.lower()
    if _QUARTER.search(text):
        return (start.isoformat(), end.replace(month=end.month - 2, day=1).isoformat()), "quarter"
    if _MONTH.search(text):
        return (start.isoformat(), end.replace(day=1).isoformat()), "month"
    whole = (start.month, start.day, end.month, end.day) == (1, 1, 12, 31)
    return ((start.year, end.year), "year") if whole else None


_QUARTER = re.compile(r"\bq[1-4]\b|quarter|\d{4}-?q[1-4]")
_MONTH = re.compile(rf"\b(?:{'|'.join(name[:3] for name in MONTHS)})[a-z]*\b|\b\d{{4}}-\d{{2}}\b(?!-)")
