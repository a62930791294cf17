"""The arithmetic of periods: years, quarters, months, ISO weeks and days, both ends included.

Nothing here reads text. A function that would leave the calendar (before year 1, after 9999) raises ``OverflowError``
or ``ValueError`` as the standard library does; readers of text turn that into "no period".
"""

from __future__ import annotations

from calendar import monthrange
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from averment.errors import InvalidDateRange

Grain = Literal["hour", "day", "weekday", "week", "month", "quarter", "half", "year", "decade", "century"]
"""A step of time. ``hour`` and ``weekday`` are only ever asked for as groupings."""

_MONTHS_IN: dict[Grain, int] = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120, "century": 1200}
_DAYS_IN: dict[Grain, int] = {"hour": 1, "day": 1, "weekday": 1, "week": 7}
_ORDER: tuple[Grain, ...] = (
    "hour",
    "day",
    "weekday",
    "week",
    "month",
    "quarter",
    "half",
    "year",
    "decade",
    "century",
)


def finer(one: Grain, other: Grain) -> Grain:
    """The smaller of two grains."""
    return one if _ORDER.index(one) <= _ORDER.index(other) else other


@dataclass(frozen=True, slots=True)
class Period:
    """A stretch of days, both ends included; ``None`` leaves that side open. ``grain`` is the step it was named in.

    Raises:
        InvalidDateRange: it ends before it starts.
    """

    start: date | None
    end: date | None
    grain: Grain

    def __post_init__(self) -> None:
        if self.start is not None and self.end is not None and self.end < self.start:
            raise InvalidDateRange(f"The period ends on {self.end}, before it starts on {self.start}.")

    @property
    def is_open(self) -> bool:
        """Whether one side has no bound."""
        return self.start is None or self.end is None

    @property
    def days(self) -> int | None:
        """How many days it holds; None when a side is open."""
        if self.start is None or self.end is None:
            return None
        return (self.end - self.start).days + 1

    def holds(self, day: date) -> bool:
        """Whether a day lies inside."""
        return (self.start is None or self.start <= day) and (self.end is None or day <= self.end)

    def covers(self, other: Period) -> bool:
        """Whether another period lies wholly inside."""
        starts = self.start is None or (other.start is not None and self.start <= other.start)
        ends = self.end is None or (other.end is not None and other.end <= self.end)
        return starts and ends

    def shift(self, steps: int, grain: Grain | None = None) -> Period:
        """The period moved by whole steps; ends that are month ends stay month ends."""
        by = grain or self.grain
        return Period(_moved(self.start, steps, by), _moved(self.end, steps, by, is_end=True), self.grain)

    def split(self, grain: Grain) -> list[Period]:
        """The calendar periods of a grain that touch this one, cut to it, in order; they partition it.

        Raises:
            InvalidDateRange: a side is open, so there is no list of parts.
        """
        if self.start is None or self.end is None:
            raise InvalidDateRange("An open-ended period cannot be split into parts.")
        parts: list[Period] = []
        day = self.start
        while True:
            whole = period_at(day, grain)
            end = whole.end if whole.end is not None and whole.end < self.end else self.end
            parts.append(Period(day, end, grain))
            if end >= self.end:
                return parts
            day = end + timedelta(days=1)


def _moved(day: date | None, steps: int, grain: Grain, *, is_end: bool = False) -> date | None:
    if day is None:
        return None
    if grain in _DAYS_IN:
        return day + timedelta(days=steps * _DAYS_IN[grain])
    moved = add_months(day, steps * _MONTHS_IN[grain])
    if is_end and day.day == monthrange(day.year, day.month)[1]:
        return month_end(moved.year, moved.month)
    return moved


def add_months(day: date, months: int) -> date:
    """The same day some months on, or the last day of that month where it is shorter."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def month_end(year: int, month: int) -> date:
    """The last day of a month."""
    return date(year, month, monthrange(year, month)[1])


def months_from(year: int, month: int, count: int, grain: Grain) -> Period:
    """A period of whole months that starts with a given one."""
    first = date(year, month, 1)
    last = add_months(first, count - 1)
    return Period(first, month_end(last.year, last.month), grain)


def year_of(year: int) -> Period:
    """A calendar year."""
    return Period(date(year, 1, 1), date(year, 12, 31), "year")


def fiscal_year_of(year: int, start_month: int) -> Period:
    """The fiscal year that ends in a calendar year, as FY2021 is meant."""
    return months_from(year if start_month == 1 else year - 1, start_month, 12, "year")


def quarter_of(year: int, quarter: int, start_month: int = 1) -> Period:
    """A quarter of a calendar year, or of the fiscal year that ends in it."""
    first = fiscal_year_of(year, start_month).start
    assert first is not None
    first = add_months(first, 3 * (quarter - 1))
    return months_from(first.year, first.month, 3, "quarter")


def half_of(year: int, half: int, start_month: int = 1) -> Period:
    """A half of a calendar year, or of the fiscal year that ends in it."""
    first = fiscal_year_of(year, start_month).start
    assert first is not None
    first = add_months(first, 6 * (half - 1))
    return months_from(first.year, first.month, 6, "half")


def month_of(year: int, month: int) -> Period:
    """A calendar month."""
    return Period(date(year, month, 1), month_end(year, month), "month")


def week_of(year: int, week: int) -> Period:
    """An ISO week, Monday to Sunday."""
    monday = date.fromisocalendar(year, week, 1)
    return Period(monday, monday + timedelta(days=6), "week")


def day_of(year: int, month: int, day: int) -> Period:
    """A single day."""
    only = date(year, month, day)
    return Period(only, only, "day")


def period_at(day: date, grain: Grain, start_month: int = 1) -> Period:
    """The calendar period of a grain that holds a day; years, halves and quarters follow the fiscal start month."""
    match grain:
        case "hour" | "day" | "weekday":
            return Period(day, day, "day")
        case "week":
            monday = day - timedelta(days=day.weekday())
            return Period(monday, monday + timedelta(days=6), "week")
        case "month":
            return month_of(day.year, day.month)
        case "quarter" | "half" | "year":
            size = _MONTHS_IN[grain]
            into = (day.month - start_month) % 12 % size
            first = add_months(day.replace(day=1), -into)
            return months_from(first.year, first.month, size, grain)
        case "decade":
            return Period(date(day.year // 10 * 10, 1, 1), date(day.year // 10 * 10 + 9, 12, 31), "decade")
        case "century":
            first_year = (day.year - 1) // 100 * 100 + 1
            return Period(date(first_year, 1, 1), date(first_year + 99, 12, 31), "century")


def window_before(anchor: date, count: int, grain: Grain) -> Period:
    """The rolling window of some steps that ends with the anchor day, the anchor included."""
    if grain in _DAYS_IN:
        return Period(anchor - timedelta(days=count * _DAYS_IN[grain] - 1), anchor, grain)
    start = add_months(anchor + timedelta(days=1), -count * _MONTHS_IN[grain])
    return Period(start, anchor, grain)


def window_after(anchor: date, count: int, grain: Grain) -> Period:
    """The rolling window of some steps that begins the day after the anchor."""
    first = anchor + timedelta(days=1)
    if grain in _DAYS_IN:
        return Period(first, anchor + timedelta(days=count * _DAYS_IN[grain]), grain)
    return Period(first, add_months(first, count * _MONTHS_IN[grain]) - timedelta(days=1), grain)


def complete_before(anchor: date, count: int, grain: Grain, start_month: int = 1) -> Period:
    """The last whole calendar periods before the one that holds the anchor."""
    current = period_at(anchor, grain, start_month)
    assert current.start is not None
    end = current.start - timedelta(days=1)
    first = current.shift(-count).start
    return Period(first, end, grain)
