"""Written dates become a typed column: the engine's expression, and the doubts that its values must settle first.

Two digits of a year are read as 1930 to 2029. The turn is a constant, not the clock: the same file is the same table
next year, or what was proved about it could not be proved again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from averment.tables.engines.backend import quote_text
from averment.tables.types.date_words import DateWords

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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
