"""Which columns know the time of day, and a stretch of every day as a condition on one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.names import is_time_of_day
from averment.plans.plan import Test, Value
from averment.reading.schema.roles import CLOCK
from averment.reading.words import name_words

if TYPE_CHECKING:
    from averment.language.periods import DayTime
    from averment.plans.plan import Plan, Scalar
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Table


def day_columns(table: Table) -> list[Column]:
    """The columns that know the time of day: one of hours, or else the moments and the times."""
    hours = [c for c in table.columns if c.words[-1:] == ("hour",) and c.kind == "number" and c.low in range(24)]
    held = next((c for c in hours if isinstance(c.high, int | float) and c.high <= 24), None)
    return [held] if held is not None else [c for c in table.columns if c.has("stamp", "clock")]


def day_test(column: Column, time: DayTime) -> Test | None:
    """A stretch of every day as a condition on a column that knows the time; None where it cannot say it."""
    if column.has("clock"):
        return _bounded(column.value, time, (_written(column, time.first), _written(column, time.last)), column)
    whole = all(each is None or each % 60 == 0 for each in (time.first, time.last))
    if whole:
        part = Value(kind="part", table=column.table, column=column.name, part="hour")
        return _hours(part if column.has("stamp") else column.value, time)
    if not column.has("stamp") or time.first == time.last:
        return None
    day = Value(kind="part", table=column.table, column=column.name, part="day")
    clock = Value(kind="minutes", operands=(day, column.value))
    return _bounded(clock, time, (time.first, time.last), column)


def _written(column: Column, minute: int | None) -> str | None:
    """A time as the column writes it; the end of the day is its last minute."""
    if minute is None:
        return None
    seconds = ":00" if len(str(column.low)) > 5 else ""
    return f"{minute // 60:02d}:{minute % 60:02d}{seconds}" if minute < 24 * 60 else None


def _bounded(value: Value, time: DayTime, ends: tuple[Scalar | None, Scalar | None], column: Column) -> Test | None:
    low, high = ends
    if time.first is not None and time.first == time.last:
        return _at(column, time.first)
    tests: list[Test] = []
    if low is not None:
        tests.append(Test(value=value, operator=">" if time.after else ">=", to=(low,)))
    if high is not None:
        tests.append(Test(value=value, operator="<=" if time.until else "<", to=(high,)))
    if len(tests) < 2 or low is None or high is None:
        return tests[0] if tests else None
    if time.first is not None and time.last is not None and time.first > time.last:
        return Test(any_of=tuple(tests))
    if time.until and not time.after:
        return Test(value=value, operator="between", to=(low, high))
    return Test(all_of=tuple(tests))


def _at(column: Column, minute: int) -> Test:
    """ "At 7 pm": that time where the times are those of a schedule, and the hour from it where they are any."""
    value, sharp = column.value, _written(column, minute) or ""
    planned = all(str(each)[4:5] in {"0", "5"} for each in column.values) and bool(column.values)
    after = _written(column, minute + 60)
    if planned or minute % 60 or after is None:
        return Test(value=value, to=(sharp,))
    return Test(all_of=(Test(value=value, operator=">=", to=(sharp,)), Test(value=value, operator="<", to=(after,))))


def _hours(key: Value, time: DayTime) -> Test | None:
    """Full hours as a condition on the hour."""
    first, last = (time.first or 0) // 60, 24 if time.last is None else time.last // 60
    if first == last:
        return Test(value=key, to=(first,))
    if first > last:
        return Test(value=key, operator="in", to=(*range(last), *range(first, 24)))
    if first == 0:
        return Test(value=key, operator="<", to=(last,))
    if last == 24:
        return Test(value=key, operator=">=", to=(first,))
    return (
        Test(value=key, to=(first,)) if last == first + 1 else Test(value=key, operator="between", to=(first, last - 1))
    )


def tests_day_time(plan: Plan) -> bool:
    """Whether a plan looks at the time of day."""
    return any(looks_at_time(test) for test in plan.tests())


def looks_at_time(test: Test) -> bool:
    """Whether a condition is one on the time of day."""
    return any(_knows(part.value, part.to) for part in test.parts() if part.value is not None)


def _knows(value: Value, to: tuple[Scalar, ...]) -> bool:
    if value.part == "hour" or is_time_of_day(value):
        return True
    timed = bool(to) and all(isinstance(each, str) and CLOCK.fullmatch(each) for each in to)
    return timed or name_words(value.column or "")[-1:] == ("hour",)


def is_timed(said: list[Test], tests: list[Test]) -> bool:
    """Whether a time of day is said already of the same column: of two only one can be meant, or one or the other."""
    columns = {column for test in tests for column in test.columns()}
    return any(columns & set(test.columns()) and looks_at_time(test) for test in said)


def says_when(column: Column, *, daily: bool) -> bool:
    """Whether a column says when: the time of the day, or the day."""
    return column.has("stamp", "clock") if daily else column.has("date", "year")
