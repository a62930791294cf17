"""Days and stretches of days as people write them: ISO, with a month's name, or as bare numbers.

03/04/2021 reads two ways. A date elsewhere in the text that reads only one way settles it, a stated ``day_first`` too;
otherwise the month comes first and the other reading is kept as an alternative.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from averment.language.periods.match import Form, PeriodDraft, PeriodText, Recurring, placed, yearless
from averment.language.periods.period_words import (
    DAY,
    DAY_ENDING,
    EDGE,
    MONTH,
    OF,
    WEEKDAY,
    YEAR,
    YEAR_OR_SHORT,
    month_number,
    year_number,
)
from averment.language.periods.timeline import Period, day_of, period_at

_SLASHED = re.compile(EDGE + r"(?<![/-])([0-9]{1,2})([/-])([0-9]{1,2})\2([0-9]{4}|[0-9]{2})(?![\w/-])")


def _iso(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    return placed(found, day_of(int(found["y"]), int(found["m"]), int(found["d"])))


def _compact(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    return replace(placed(found, day_of(int(found["y"]), int(found["m"]), int(found["d"]))), certain=False)


def _named(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    return placed(found, day_of(year_number(found["y"]), month_number(found["m"]), int(found["d"])))


def _yearless(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    month, day = month_number(found["m"]), int(found["d"])
    day_of(2000, month, day)  # A day no month has is no day: the error drops the find.
    return yearless(found, "day", lambda at: day_of(at, month, day), Recurring(months=(month,), day=day), certain=True)


def _stretch(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    """1-15 March 2021: two days of one month."""
    month, first, last = month_number(found["m"]), int(found["d"]), int(found["d2"])
    if last <= first:
        return None

    def at_year(year: int) -> Period:
        return Period(date(year, month, first), date(year, month, last), "day")

    year = found.groupdict().get("y")
    if year:
        return replace(placed(found, at_year(year_number(year))), bound="range")
    at_year(2000)
    return replace(yearless(found, "day", at_year, Recurring(months=(month,)), certain=True), bound="range")


def _week_of_day(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    day = _named(reading, found) if found.groupdict().get("m") else None
    if day is None or day.period is None or day.period.start is None:
        return None
    return placed(found, period_at(day.period.start, "week"), day.period.start.year)


def _numeric(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    if found["sep"] == "." and len(found["y"]) == 2:
        return None  # 3.11.15 is a version more often than a day.
    first, second, year = int(found["a"]), int(found["b"]), year_number(found["y"])
    by_day = _read(year, second, first)
    by_month = _read(year, first, second)
    if by_day is None or by_month is None or first == second:
        only = by_day or by_month
        return placed(found, only) if only else None
    order = reading.day_first if reading.day_first is not None else _resolved_order(reading)
    if found["sep"] == "." or order is not None:
        return placed(found, by_day if found["sep"] == "." or order else by_month)
    return replace(placed(found, by_month), ambiguity="day_or_month", alternatives=(by_day,))


def _read(year: int, month: int, day: int) -> Period | None:
    try:
        return day_of(year, month, day)
    except ValueError:
        return None


def _resolved_order(reading: PeriodText) -> bool | None:
    """True when another date of the text can only be read day first, False when only month first."""
    orders: set[bool] = set()
    for found in _SLASHED.finditer(reading.folded):
        first, second = int(found.group(1)), int(found.group(3))
        if first > 12 >= second:
            orders.add(True)
        elif second > 12 >= first:
            orders.add(False)
    return orders.pop() if len(orders) == 1 else None


def forms() -> Iterator[Form]:
    """Every day form, the more telling first."""
    month, year, day = rf"(?P<m>{MONTH})", rf"(?P<y>{YEAR})", rf"(?P<d>{DAY})"
    ending = rf"(?:\s?{DAY_ENDING}\b)?"
    weekday = rf"(?:(?:the\s+)?{WEEKDAY},?\s+(?:the\s+)?)?"
    of_month = rf"(?:\s+(?:day\s+)?of\s+|[\s-]+){month}"
    after_year = r"(?![0-9])"
    joint = r"\s*(?:-|to|through|thru|until|till|and)\s*(?:the\s+)?"
    clock = r"(?:[t\s][0-9]{1,2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?\s?(?:z\b|[+-][0-9]{2}:?[0-9]{2}\b)?)?"
    for pattern, build in (
        (
            rf"(?<![-/])(?P<y>[12][0-9]{{3}})([-/.])(?P<m>[0-9]{{1,2}})\2(?P<d>[0-9]{{1,2}})(?![0-9]|[-/.][0-9]){clock}",
            _iso,
        ),
        (r"(?P<y>(?:19|20)[0-9]{2})(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12][0-9]|3[01])(?![\w.,])", _compact),
        (rf"{weekday}(?:the\s+)?{day}{ending}{of_month}(?:{OF}|-){year}", _named),
        (rf"(?P<d>{DAY})-{month}-(?P<y>{YEAR_OR_SHORT})", _named),
        (rf"{weekday}{month}[\s-]*(?:the\s+)?{day}{ending}(?:\s+day)?(?:{OF}|-){year}", _named),
        (rf"(?P<y>[12][0-9]{{3}})[\s,-]+{month}[\s-]+{day}{ending}(?!\w)", _named),
        (rf"{month}\s+{day}{ending}{joint}(?P<d2>{DAY}){ending}{OF}{year}", _stretch),
        (rf"(?:the\s+)?{day}{ending}{joint}(?P<d2>{DAY}){ending}{of_month}{OF}{year}", _stretch),
        (
            rf"{month}\s+{day}{ending}\s*(?:-|to|through|until|till)\s*(?:the\s+)?(?P<d2>{DAY}){ending}(?![\w/])",
            _stretch,
        ),
        (
            rf"(?:the\s+)?{day}{ending}\s*(?:-|to|through|until|till)\s*(?:the\s+)?(?P<d2>{DAY}){ending}{of_month}",
            _stretch,
        ),
        (
            rf"(?:the\s+)?week\s+(?:of|commencing|starting|ending|beginning)\s+{month}\s+{day}{ending}{OF}{year}",
            _week_of_day,
        ),
        (
            rf"(?:the\s+)?week\s+(?:of|commencing|starting|ending|beginning)\s+{day}{ending}{of_month}{OF}{year}",
            _week_of_day,
        ),
        (
            r"(?<![/-])(?P<a>[0-9]{1,2})(?P<sep>[/.-])(?P<b>[0-9]{1,2})(?P=sep)(?P<y>(?:19|20)[0-9]{2}|[0-9]{2})(?![\w/-]|\.[0-9])",
            _numeric,
        ),
        (
            rf"{weekday}{month}\s*(?:the\s+)?{day}{ending}{after_year}(?![\w/%]|[.,:][0-9])(?!\s+(?:percent|%))",
            _yearless,
        ),
        (rf"{weekday}(?:the\s+)?{day}{ending}{of_month}(?!\s*[-/]?\s*[0-9])", _yearless),
    ):
        yield re.compile(EDGE + pattern), build
