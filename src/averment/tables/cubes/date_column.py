"""Which column tells the day of a metric's rows: one of its own table, or of a table it refers to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING

from averment.errors import NoDateColumn, PeriodWithoutData
from averment.tables.cubes.cube_sql import Rows, day_of, period_sql
from averment.tables.engines.backend import quote, quote_text
from averment.tables.guard.names import name_parts

if TYPE_CHECKING:
    from averment.tables.catalog import Dialect
    from averment.tables.engines.engine import Engine
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


_NAMES = ("date", "day", "dt", "ds", "ts", "timestamp", "time", "datetime", "created", "occurred", "ordered", "at")

_OTHER_DAYS = frozenset(
    {"birth", "birthday", "born", "dob", "signup", "updated", "modified", "expires", "expiry", "due"}
)

"""Days of something else than the row itself."""


@dataclass(frozen=True, kw_only=True)
class DayColumn:
    """The column that dates the rows, and how many of them fall into each period."""

    table: str
    column: str
    rows_before: int
    rows_after: int
    first: date
    last: date
    has_times: bool
    sql: str
    """The calendar day of a row."""
    written: bool = False
    """Whether the column holds no dates, and the day is read from its text or number."""


_READ = 0.97

"""Where fewer of a column's values read by a form, the form is not the column's."""


def find_day(
    engine: Engine, rows: Rows, profiles: Sequence[TableProfile], *, named: tuple[str, str] | None = None
) -> DayColumn:
    """The best date column; ``named`` is the one that the metric itself speaks of.

    Raises:
        NoDateColumn: no table that the rows reach has a date.
        PeriodWithoutData: no date column has rows in both periods.
    """
    found: list[tuple[tuple[object, ...], DayColumn]] = []
    for profile in profiles:
        if not rows.source.reaches(profile.table):
            continue
        ways = [
            (column.name, day_of(rows.dialect, profile.table, column.name), column.data_type == "datetime", False)
            for column in profile.columns
            if column.inferred_type == "timestamp"
        ]
        if not ways or named is not None:
            ways += [(*way, True) for way in day_forms(rows.dialect, profile)]
        for column, sql, has_times, written in ways:
            seen = _look(engine, rows, profile.table, column, sql, has_times=has_times, written=written)
            if seen is not None:
                found.append((_rank(seen, rows.source.base, named), seen))
    if not found:
        raise NoDateColumn(
            f"Neither {rows.source.base} nor a table it refers to has a column of dates.",
            hint="Any common date format works, one format per column; years and months may be separate columns.",
        )
    best = min(found, key=lambda pair: pair[0])[1]
    for count, period, name in (
        (best.rows_before, rows.baseline, "baseline"),
        (best.rows_after, rows.comparison, "comparison"),
    ):
        if count == 0:
            raise PeriodWithoutData(
                f"The {name} period from {period[0]} to {period[1]} has no rows by {best.table}.{best.column}.",
                hint=f"The data covers {best.first} to {best.last}; choose periods in that range.",
                details={"period": name, "first": str(best.first), "last": str(best.last)},
            )
    return best


def _rank(day: DayColumn, base: str, named: tuple[str, str] | None) -> tuple[object, ...]:
    """Smaller is better: rows in both periods, the one the metric names, the base's own, a telling name, more rows."""
    words = name_parts(day.column)
    telling = min((_NAMES.index(word) for word in words if word in _NAMES), default=len(_NAMES))
    return (
        min(day.rows_before, day.rows_after) == 0,
        (day.table, day.column) != named,
        day.written,
        bool(_OTHER_DAYS & set(words)),
        day.table != base,
        telling,
        -(day.rows_before + day.rows_after),
        day.table,
        day.column,
    )


def _look(
    engine: Engine, rows: Rows, table: str, column: str, sql: str, *, has_times: bool, written: bool
) -> DayColumn | None:
    from dataclasses import replace

    dated = replace(rows, day_sql=sql, day_table=table)
    row = engine.run(period_sql(dated), timeout=120.0).table.to_pylist()[0]
    first, last = _as_day(row["first_day"]), _as_day(row["last_day"])
    if first is None or last is None:
        return None
    if written and int(row["n_dated"] or 0) < _READ * int(row["n_rows"] or 0):
        return None
    return DayColumn(
        table=table,
        column=column,
        rows_before=int(row["n_before"] or 0),
        rows_after=int(row["n_after"] or 0),
        first=first,
        last=last,
        has_times=has_times and not written,
        sql=sql,
        written=written,
    )


def _as_day(value: object) -> date | None:
    if isinstance(value, datetime):
        return value.date()
    if isinstance(value, date):
        return value
    return date.fromisoformat(value[:10]) if isinstance(value, str) else None
