"""Dates as people write them: with a month's name, as a month of a year, as a quarter or as a week.

A form is recognised on shapes (a value with each digit written as 9) and becomes formats of the engine's own parser, so
that a long column is read without a step per row in Python. What is not a date beyond doubt is not one: every value of
the column must have a form, all of them the same unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

Unit = Literal["day", "month", "quarter", "week"]

MAX_FORMATS = 8

_MONTHS = (
    "january|february|march|april|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
)
_DAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday|mon|tue|wed|thu|fri|sat|sun"
_CLEANING: tuple[tuple[str, str], ...] = (
    (r"(?i)\bsept\b", "Sep"),
    (r"(?i)\b([a-z]{3})\.", r"\1"),
    (r"(?i)([0-9])(?:st|nd|rd|th)\b", r"\1"),
    (r"(?i)([ap])\.m\.", r"\1m"),
    (r" *\([A-Z]{2,5}\)$", ""),
    (r" ?(?:GMT|UTC|UT|Z)$", " +0000"),
)
"""What is written around a date without saying more: (what is found, what it becomes), for Python and the engine."""

_WEEKDAY = rf"(?:(?P<weekday>{_DAYS}),? +)?"
_MONTH = rf"(?P<month>{_MONTHS})"
_CLOCK = (
    r"(?P<clock>(?:,? +|T)(?P<hour>9{1,2}):(?P<minute>99)(?::(?P<second>99(?P<part>\.9{1,6})?))?"
    r"(?: ?(?P<half>[ap]m))?(?: ?(?P<zone>[+-]99:?99))?)?"
)
_YEAR, _DAY = r"(?P<year>9999)", r"(?P<day>9{1,2})"
_WRITTEN: tuple[tuple[Unit, str], ...] = (
    ("day", rf"{_WEEKDAY}{_DAY}(?P<mark>[-/ ]?){_MONTH}(?:,? |(?P=mark)){_YEAR}{_CLOCK}"),
    ("day", rf"{_WEEKDAY}{_MONTH}(?: +{_DAY},? +|-{_DAY.replace('day', 'day_')}-){_YEAR}{_CLOCK}"),
    ("day", rf"{_WEEKDAY}{_YEAR}(?P<mark>[-/ ]){_MONTH}(?P=mark){_DAY}{_CLOCK}"),
    ("day", rf"{_WEEKDAY}{_MONTH} +{_DAY}{_CLOCK[:-1]} {_YEAR}"),
    ("day", rf"{_DAY}(?P<mark>[-/ ]){_MONTH}(?P=mark)(?P<short>99)"),
    ("day", rf"{_MONTH} {_DAY}, (?P<short>99)"),
    ("month", rf"{_MONTH}(?:[-/]|,? ){_YEAR}"),
    ("month", rf"{_YEAR}[-/ ]{_MONTH}"),
    ("month", rf"{_MONTH}(?:-| ?')(?P<short>99)"),
    ("month", rf"(?P<swapped>9{{1,2}})-{_MONTH}"),
    ("month", rf"{_YEAR}(?P<number_mark>[-/])(?P<number>99)"),
    ("month", rf"(?P<number>99)/{_YEAR}"),
    ("quarter", r"(?P<first_year>9999)[-/ ]?Q9"),
    ("quarter", r"(?:Q9[-/ ]?|9Q[- ]?)9999"),
    ("week", r"9999-?W99"),
)
_FORMS: tuple[tuple[Unit, re.Pattern[str]], ...] = tuple(
    (unit, re.compile(pattern, re.IGNORECASE)) for unit, pattern in _WRITTEN
)
_DIRECTIVES = {
    "day": "%d",
    "day_": "%d",
    "year": "%Y",
    "short": "%y",
    "swapped": "%y",
    "number": "%m",
    "minute": "%M",
    "half": "%p",
    "zone": "%z",
}


@dataclass(frozen=True)
class DateWords:
    """How a column's dates are written.

    ``formats`` are the parser's, ``cleaning`` what is taken out first; ``short`` means years of two digits, ``span``
    that each value could be a span of years as well (2000-01), ``swapped`` that some have the year first (a spreadsheet
    that is told May-10 shows 10-May, and leaves Sep-63 as it is), ``year_first`` where a quarter's year stands.
    """

    unit: Unit
    formats: tuple[str, ...] = ()
    cleaning: tuple[tuple[str, str], ...] = ()
    short: bool = False
    swapped: bool = False
    span: bool = False
    numbers: bool = False
    timed: Literal["all", "some", "none"] = "none"
    zoned: Literal["all", "some", "none"] = "none"
    year_first: bool = True

    @property
    def note_codes(self) -> list[str]:
        """The note codes of how the values were read."""
        read = {"day": "dates_read", "month": "months_read", "quarter": "quarters_read", "week": "weeks_read"}
        told = [read[self.unit]]
        if self.timed == "some":
            told.append("dates_as_midnight")
        return [*told, "converted_to_utc"] if self.zoned == "all" else told


def read_date_words(shapes: Iterable[str]) -> DateWords | None:
    """How the dates with these shapes are written, or None where one of them is no such date.

    Units that differ (a day here, a month there) give None too: the column would mean two things.
    """
    units: set[Unit] = set()
    formats: dict[str, None] = {}
    cleaning: dict[tuple[str, str], None] = {}
    matches: list[re.Match[str]] = []
    for shape in shapes:
        cleaned = _clean(shape, cleaning)
        found = _match(cleaned)
        if found is None:
            return None
        unit, match = found
        units.add(unit)
        matches.append(match)
        formats[_format(match) if unit in ("day", "month") else cleaned] = None
    if len(units) != 1 or len(formats) > MAX_FORMATS:
        return None
    (unit,) = units
    order = tuple(step for step in _CLEANING if step in cleaning)
    if unit in ("quarter", "week"):
        first = [_part(match, "first_year") is not None for match in matches]
        return None if 0 < sum(first) < len(first) else DateWords(unit, cleaning=order, year_first=all(first))
    swapped = _how_many(_part(match, "swapped") for match in matches)
    short = _how_many(_part(match, "short") or _part(match, "swapped") for match in matches)
    if short == "some" or swapped == "all":
        return None
    return DateWords(
        unit,
        tuple(formats),
        order,
        short=short == "all",
        swapped=swapped == "some",
        span=all(_part(match, "number_mark") is not None for match in matches),
        numbers=any(_part(match, "number") is not None for match in matches),
        timed=_how_many(_part(match, "clock") for match in matches),
        zoned=_how_many(_part(match, "zone") for match in matches),
    )


def _clean(shape: str, used: dict[tuple[str, str], None]) -> str:
    for step in _CLEANING:
        cleaned = re.sub(step[0], step[1].replace("0", "9"), shape)
        if cleaned != shape:
            used[step] = None
            shape = cleaned
    return shape


def _match(cleaned: str) -> tuple[Unit, re.Match[str]] | None:
    for unit, form in _FORMS:
        match = form.fullmatch(cleaned)
        if match is not None:
            return unit, match
    return None


def _part(match: re.Match[str], name: str) -> str | None:
    return match.groupdict().get(name)


def _how_many(parts: Iterable[str | None]) -> Literal["all", "some", "none"]:
    there = [part is not None for part in parts]
    return "all" if all(there) else "some" if any(there) else "none"


def _format(match: re.Match[str]) -> str:
    """The parser's format of a matched shape: its parts as directives, all else as it is written."""
    text = match.string
    for name in sorted(match.groupdict(), key=match.start, reverse=True):
        written = match[name]
        if written is None or name in ("mark", "number_mark", "clock", "part"):
            continue
        if name == "month":
            directive = "%b" if len(written) == 3 else "%B"
        elif name == "weekday":
            directive = "%a" if len(written) == 3 else "%A"
        elif name == "hour":
            directive = "%I" if _part(match, "half") else "%H"
        elif name == "second":
            directive = "%S.%f" if _part(match, "part") else "%S"
        else:
            directive = _DIRECTIVES[name]
        text = text[: match.start(name)] + directive + text[match.end(name) :]
    return text
