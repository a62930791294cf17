"""Days that are not written as dates: other forms of text, bare years, numbers like 20240314, epochs, year and month.

A form is taken only where nearly every value of the column reads by it; of month first and day first, the one that
reads more values, and of two that read all of them the one with more days in the periods asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from averment.tables.engines.backend import quote, quote_text
from averment.tables.guard.names import name_parts

if TYPE_CHECKING:
    from averment.tables.catalog import Dialect
    from averment.tables.profile.profiler import ColumnProfile, TableProfile

_TIMES = ("", " %H:%M", " %H:%M:%S", " %I:%M %p", " %I:%M:%S %p")
_DAYS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%m/%d/%Y", "%m/%d/%y", "%m-%d-%Y", "%d/%m/%Y", "%d/%m/%y", "%d-%m-%Y"),
    *("%d.%m.%Y", "%d.%m.%y", "%b %d %Y", "%b %d, %Y", "%B %d, %Y", "%B %d %Y", "%d %b %Y", "%d %B %Y", "%d-%b-%y"),
    *("%d-%b-%Y", "%b-%y", "%b %Y", "%B %Y", "%Y-%m", "%Y/%m", "%m/%Y", "%Y%m%d", "%Y%m"),
)
_DATE_WORDS = frozenset(
    {"date", "day", "dt", "ds", "time", "timestamp", "ts", "period", "at", "when", "epoch", "created"}
)
_YEAR_WORDS = frozenset({"year", "yr", "yyyy", "jahr", "season"})
_MONTH_WORDS = frozenset({"month", "mon", "mm"})
_DAY_WORDS = frozenset({"day", "dd", "dom", "mday"})
FIRST_YEAR, LAST_YEAR = 1700, 2100
_MOST_FORMS = 3
_PLAIN = ("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y", "%d-%b-%Y", "%Y%m%d")


def day_forms(dialect: Dialect, profile: TableProfile) -> Iterator[tuple[str, str, bool]]:
    """Every way to date a table's rows by a column that holds no dates: its name, the day, whether it has times."""
    if dialect != "duckdb":
        return
    for column in profile.columns:
        if column.inferred_type == "timestamp":
            continue
        name = f"{quote(profile.table)}.{quote(column.name)}"
        if column.data_type == "string":
            forms = _forms_of(column)
            for form in forms:
                yield column.name, _read_by(name, form), "%H" in form or "%I" in form
            if mixed := forms[:1] or _mixed_forms(column):
                # Other forms that can mean one day only are read as well, for columns that several hands wrote.
                every = dict.fromkeys((*mixed, *_PLAIN))
                yield column.name, f"coalesce({', '.join(_read_by(name, form) for form in every)})", False
        elif column.data_type in {"integer", "float"}:
            yield from _numbers(column, name)
    yield from _parts(profile)


def _forms_of(column: ColumnProfile) -> list[str]:
    """The forms by which all samples read."""
    samples = [str(value) for value in column.sample_values if str(value).strip()]
    if not samples or not all(any(letter.isdigit() for letter in sample) for sample in samples):
        return []
    return [day + time for day in _DAYS for time in _TIMES if all(_reads(sample, day + time) for sample in samples)]


def _read_by(name: str, form: str) -> str:
    return f"CAST(try_strptime({name}, {quote_text(form)}) AS DATE)"


def _mixed_forms(column: ColumnProfile) -> list[str]:
    """A few forms by which together all values at hand read, no value by two of them as different days."""
    texts = [str(value) for value, _ in column.values or () if value is not None] or list(column.sample_values)
    left = [text for text in texts if text.strip()]
    if len(left) < 3 or not all(any(letter.isdigit() for letter in text) for text in left):
        return []
    chosen: list[str] = []
    forms = [day + time for day in _DAYS for time in _TIMES]
    while left and len(chosen) < _MOST_FORMS:
        form = max(forms, key=lambda one: sum(_reads(text, one) for text in left))
        if not any(_reads(text, form) for text in left):
            return []
        chosen.append(form)
        left = [text for text in left if not _reads(text, form)]
    if left or any(len({datetime.strptime(t.strip(), f).date() for f in chosen if _reads(t, f)}) > 1 for t in texts):
        return []
    return chosen


def _reads(text: str, form: str) -> bool:
    try:
        return FIRST_YEAR <= datetime.strptime(text.strip(), form).year <= LAST_YEAR
    except ValueError:
        return False


def _numbers(column: ColumnProfile, name: str) -> Iterator[tuple[str, str, bool]]:
    words = set(name_parts(column.name))
    low, high = column.minimum, column.maximum
    if not isinstance(low, int | float) or not isinstance(high, int | float) or isinstance(low, bool):
        return
    whole = f"CAST({name} AS BIGINT)"
    if low >= FIRST_YEAR and high <= LAST_YEAR and (words & (_YEAR_WORDS | _DATE_WORDS)):
        yield column.name, f"make_date({whole}, 1, 1)", False
    elif low >= 17_000_101 and high <= 21_001_231:
        yield column.name, f"CAST(try_strptime(CAST({whole} AS VARCHAR), '%Y%m%d') AS DATE)", False
    elif low >= 170_001 and high <= 210_012 and words & (_DATE_WORDS | _MONTH_WORDS):
        yield column.name, f"CAST(try_strptime(CAST({whole} AS VARCHAR), '%Y%m') AS DATE)", False
    elif words & _DATE_WORDS and low >= 3e8 and high <= 4.2e9:
        yield column.name, f"CAST(to_timestamp({whole}) AT TIME ZONE 'UTC' AS DATE)", False
    elif words & _DATE_WORDS and low >= 3e11 and high <= 4.2e12:
        yield column.name, f"CAST(to_timestamp({whole} / 1000) AT TIME ZONE 'UTC' AS DATE)", False


def _parts(profile: TableProfile) -> Iterator[tuple[str, str, bool]]:
    """Year, month and perhaps day in columns of their own."""
    year = _named(profile, _YEAR_WORDS)
    month = _named(profile, _MONTH_WORDS)
    if year is None or month is None or year.data_type != "integer":
        return
    day = _named(profile, _DAY_WORDS)
    name = {one.name: f"{quote(profile.table)}.{quote(one.name)}" for one in (year, month, day) if one is not None}
    if month.data_type == "integer":
        number = f"CAST({name[month.name]} AS BIGINT)"
    else:
        text = f"substr({name[month.name]}, 1, 3)"
        number = f"CAST(month(try_strptime({text} || ' 2000', '%b %Y')) AS BIGINT)"
    exact = day is not None and day.data_type == "integer"
    date = f"CAST({name[day.name]} AS BIGINT)" if exact and day is not None else "1"
    made = f"make_date(CAST({name[year.name]} AS BIGINT), {number}, {date})"
    if exact and day is not None:
        # A day that a month does not have is no date.
        fits = f"{name[day.name]} BETWEEN 1 AND 31 AND {number} BETWEEN 1 AND 12"
        text = f"{name[year.name]} || '-' || {number} || '-' || {date}"
        made = f"CASE WHEN {fits} THEN CAST(try_strptime({text}, '%Y-%m-%d') AS DATE) END"
    yield year.name, made, False


def _named(profile: TableProfile, words: frozenset[str]) -> ColumnProfile | None:
    for column in profile.columns:
        parts = name_parts(column.name)
        if (len(parts) == 1 and parts[0] in words) or (words is _DAY_WORDS and set(parts) == {"day", "of", "month"}):
            return column
    return None
