"""Dates as people write them become a typed column: with a month's name, as a month, a quarter or a week, or mixed.

A form is recognised on shapes (a value with each digit written as 9) and becomes formats of the engine's own parser, so
that a long column is read without a step per row in Python. What is not a date beyond doubt is not one: every value of
the column must have a form, all of them the same unit. Where digits leave day and month open, the values that can be
read in one way only decide for the others; without such a value the column stays text. Two digits of a year are read as
1930 to 2029: the turn is a constant, so that what was proved about a file can be proved again next year."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from averment.tables.engines.backend import quote_text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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


LAST_SHORT_YEAR = 29

FUTURE_FROM = 27

"""Two-digit years from here on, with nothing earlier beside them, are of the last century."""

OLDEST, LATEST = 1500, 2100


@dataclass(frozen=True)
class DateColumn:
    """A column's type and expression with the notes' codes; ``problem`` says why it stays text, where that is known."""

    type: str = "VARCHAR"
    expression: str = ""
    note_codes: list[str] = field(default_factory=list[str])
    problem: str | None = None


def date_column(
    connection: DuckDBPyConnection, relation: str, value: str, words: DateWords, *, id_like: bool
) -> DateColumn:
    """The column whose values (an expression over the relation) are written so."""
    if words.zoned == "some":
        return DateColumn(problem="mixed_time_zones")
    note_codes = words.note_codes
    text = cleaned_text(value, words.cleaning)
    if words.unit == "quarter":
        return DateColumn("DATE", _quarter(text, words), note_codes)
    if words.unit == "week":
        return DateColumn("DATE", _week(text), note_codes)
    formats = ", ".join(quote_text(form) for form in words.formats)
    parsed = f"TRY_STRPTIME({text}, {formats if len(words.formats) == 1 else f'[{formats}]'})"
    if words.numbers and (id_like or not _are_months(connection, relation, value, parsed)):
        return DateColumn()
    if words.span and _are_spans(connection, relation, value):
        return DateColumn(problem="year_spans")
    if words.short:
        years = _short_years(connection, relation, parsed)
        days = words.unit == "month" and _may_be_days(connection, relation, value, words, years)
        turn = _turn(years) if years and not (id_like or days) else None
        if turn is None:
            return DateColumn(problem="two_digit_years")
        # The engine reads 69 to 99 as the last century and all else as this one.
        parsed = f"(CASE WHEN year({parsed}) >= {turn} THEN {parsed} - INTERVAL 100 YEAR ELSE {parsed} END)"
        note_codes.append("short_years" if turn == 2000 + LAST_SHORT_YEAR + 1 else "short_years_past")
        note_codes += ["spreadsheet_months"] if words.swapped else []
    if words.zoned == "all":
        parsed = f"timezone('UTC', {parsed})"
    kind = "DATE" if words.timed == "none" else "TIMESTAMP"
    return DateColumn(kind, f"CAST({parsed} AS {kind})", note_codes)


def cleaned_text(value: str, steps: Iterable[tuple[str, str]]) -> str:
    """A value's expression with what is written around a date taken out."""
    for found, kept in steps:
        value = f"regexp_replace({value}, {quote_text(found)}, {quote_text(kept)}, 'g')"
    return value


def _quarter(text: str, words: DateWords) -> str:
    year = f"substr({text}, 1, 4)" if words.year_first else f"right({text}, 4)"
    number = f"right({text}, 1)" if words.year_first else f"substr(ltrim({text}, 'Qq'), 1, 1)"
    month = f"(CAST({number} AS INTEGER) * 3 - 2)"
    return f"CASE WHEN {number} BETWEEN '1' AND '4' THEN make_date(CAST({year} AS INTEGER), {month}, 1) END"


def _week(text: str) -> str:
    """The Monday; a year of 52 weeks has no week 53."""
    monday = f"TRY_STRPTIME(substr({text}, 1, 4) || '-' || right({text}, 2) || '-1', '%G-%V-%u')"
    return f"CAST(CASE WHEN week({monday}) = CAST(right({text}, 2) AS INTEGER) THEN {monday} END AS DATE)"


def _are_months(connection: DuckDBPyConnection, relation: str, value: str, parsed: str) -> bool:
    """Whether every value is a month of a year that a table may speak of; codes are written with such digits too."""
    row = connection.execute(
        f"SELECT bool_and(coalesce(year({parsed}) BETWEEN {OLDEST} AND {LATEST}, false)) "
        f"FROM {relation} WHERE {value} IS NOT NULL"
    ).fetchone()
    return bool(row and row[0])


def _are_spans(connection: DuckDBPyConnection, relation: str, value: str) -> bool:
    """Whether each value could be a season (2000-01, 2001-02): the second number always follows the first."""
    row = connection.execute(
        f"SELECT bool_and(CAST(right({value}, 2) AS INTEGER) = (CAST(substr({value}, 1, 4) AS INTEGER) + 1) % 100) "
        f"FROM {relation} WHERE {value} IS NOT NULL"
    ).fetchone()
    return bool(row and row[0])


def _short_years(connection: DuckDBPyConnection, relation: str, parsed: str) -> list[int]:
    rows = connection.execute(
        f"SELECT DISTINCT year({parsed}) % 100 AS y FROM {relation} WHERE {parsed} IS NOT NULL ORDER BY y"
    ).fetchall()
    return [int(row[0]) for row in rows]


def _may_be_days(connection: DuckDBPyConnection, relation: str, value: str, words: DateWords, years: list[int]) -> bool:
    """Whether Apr-12 may be the twelfth of April: no number that is no day, and more numbers than months.

    Beside 10-May it must be the other way round: no number after a month is a day, or a spreadsheet had swapped it too.
    """
    after = f"TRY_CAST(right({value}, 2) AS INTEGER)"
    row = connection.execute(
        f"SELECT count(DISTINCT lower(substr({value}, 1, 3))), bool_or({after} BETWEEN 1 AND 28) "
        f"FROM {relation} WHERE {value} IS NOT NULL"
    ).fetchone()
    months, some_day = row or (0, True)
    if words.swapped:
        return bool(some_day)
    return years[0] != 0 and years[-1] <= 31 and len(years) > months


def _turn(years: list[int]) -> int | None:
    """From which year on the last century is meant, or None where the years tell of another turn than the usual.

    Years lie in one stretch; where they are cut at their widest gap, the stretch must not cross the turn.
    """
    if years[0] >= FUTURE_FROM and years[-1] <= LAST_SHORT_YEAR:
        return 2000
    following = [*years[1:], years[0] + 100]
    gaps = [after - before for before, after in zip(years, following, strict=True)]
    oldest = following[gaps.index(max(gaps))] % 100
    crosses = oldest <= LAST_SHORT_YEAR < years[-1]
    return None if crosses else 2000 + LAST_SHORT_YEAR + 1


_ISO = re.compile(r"9999(?P<mark>[-/.])9{1,2}(?P=mark)9{1,2}")

_NUMERIC = re.compile(r"9{1,2}(?P<mark>[/.-])9{1,2}(?P=mark)9999")


@dataclass(frozen=True)
class DateMixture:
    """The spellings of a column: formats that leave nothing open, what is cleaned first, and marks between digits."""

    formats: tuple[str, ...]
    cleaning: tuple[tuple[str, str], ...]
    marks: tuple[str, ...]


def read_date_mixture(shapes: Iterable[str]) -> DateMixture | None:
    """The spellings of dates with these shapes, or None where one of them is no whole date or all are spelt alike."""
    formats: dict[str, None] = {}
    cleaning: dict[tuple[str, str], None] = {}
    marks: dict[str, None] = {}
    for shape in shapes:
        if (match := _ISO.fullmatch(shape)) is not None:
            formats[match["mark"].join(("%Y", "%m", "%d"))] = None
        elif (match := _NUMERIC.fullmatch(shape)) is not None:
            marks[match["mark"]] = None
        else:
            words = read_date_words((shape,))
            if words is None or words.unit != "day" or words.short or words.timed != "none":
                return None
            formats |= dict.fromkeys(words.formats)
            cleaning |= dict.fromkeys(words.cleaning)
    spellings = len(formats) + len(marks)
    if not 1 < spellings <= MAX_FORMATS:
        return None
    return DateMixture(tuple(formats), tuple(cleaning), tuple(marks))


def order_of_days(connection: DuckDBPyConnection, relation: str, value: str, mixture: DateMixture) -> dict[str, bool]:
    """For each mark between digits whether the day comes first, as far as the values say so; empty where they disagree.

    A mark whose values leave it open is as the others are, where these agree.
    """
    found: dict[str, bool] = {}
    for mark in mixture.marks:
        text = quote_text(mark)
        pattern = quote_text(rf"[0-9]{{1,2}}\{mark}[0-9]{{1,2}}\{mark}[0-9]{{4}}")
        row = connection.execute(
            f"SELECT max(CAST(split_part(v, {text}, 1) AS INTEGER)), max(CAST(split_part(v, {text}, 2) AS INTEGER)) "
            f"FROM (SELECT {value} AS v FROM {relation}) WHERE regexp_full_match(v, {pattern})"
        ).fetchone()
        first, second = (int(row[0] or 0), int(row[1] or 0)) if row else (0, 0)
        if first > 12 and second > 12:
            return {}
        if first > 12 or second > 12:
            found[mark] = first > 12
    known = set(found.values())
    if len(known) == 1:
        found |= {mark: next(iter(known)) for mark in mixture.marks}
    return found


def mixture_formats(mixture: DateMixture, order: dict[str, bool]) -> list[str]:
    """The parser's formats of all spellings."""
    numeric = [mark.join(("%d", "%m", "%Y") if order[mark] else ("%m", "%d", "%Y")) for mark in mixture.marks]
    return [*mixture.formats, *numeric]
