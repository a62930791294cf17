"""Hours of the day and days of the week: "before 9am", "between 7 and 9 am", "in the morning", "on weekends"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.language.periods import PeriodMatch, Recurring
from averment.plans.plan import Test, Value
from averment.reading.words import DAYS, lexicon, singular

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_HOUR = r"(\d{1,2})(?::(\d\d))?\s*(a\.?m\.?|p\.?m\.?|o'clock)?(?![\w%])|\b(noon|midday|midnight)\b"
_FORMS = (
    (rf"\b(?:between|from)\s+(?:{_HOUR})\s+(?:and|to|until|till)\s+(?:{_HOUR})", "between"),
    (rf"\b(?:before|until|till|prior to|earlier than|by)\s+(?:{_HOUR})", "before"),
    (rf"\b(?:after|since|from|later than|past)\s+(?:{_HOUR})", "after"),
    (rf"\b(?:at|around)\s+(?:{_HOUR})", "at"),
)
_NAMED = {"noon": 12, "midday": 12, "midnight": 0}


def clock_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that some words are hours of the day, where a table knows the hour."""
    if not any(hour_key(table) is not None for table in schema.tables.values()):
        return
    for pattern, kind in _FORMS:
        for found in re.finditer(pattern, lattice.question, re.IGNORECASE):
            groups = found.groups()
            hours = [
                _hour(groups[n : n + 4], groups[-2] if kind == "between" else None) for n in range(0, len(groups), 4)
            ]
            if kind == "between" and len(hours) == 2 and None not in hours:
                _add(lattice, found.span(), _range(hours[0] or 0, hours[1] or 24))
            elif kind != "between" and hours[0] is not None:
                first = hours[0]
                made = {"before": range(first), "after": range(first, 24), "at": range(first, first + 1)}[kind]
                _add(lattice, found.span(), tuple(made))
    for name, body in lexicon("words")["time_of_day"].items():
        first, last = map(int, body.split())
        for found in re.finditer(rf"\b(?:(?:in|during|on) (?:the )?|at )?{name}s?\b", lattice.question, re.IGNORECASE):
            _add(lattice, found.span(), _range(first, last))


def _hour(parts: tuple[str | None, ...], half: str | None) -> int | None:
    """The hour that is written, on the clock of 24; None where it is no full hour or may be anything else."""
    number, minutes, written, named = parts
    if named is not None:
        return _NAMED[named.lower()]
    half_day = (written or half or "").replace(".", "").lower()
    if number is None or minutes not in {None, "00"} or (not half_day and minutes is None):
        return None
    hour = int(number)
    if half_day in {"am", "pm"}:
        return hour % 12 + 12 * (half_day == "pm") if 1 <= hour <= 12 else None
    return hour if hour <= 24 else None


def _range(first: int, last: int) -> tuple[int, ...]:
    """The hours from the first up to the last, over midnight where it is earlier."""
    return tuple(range(first, last)) if first < last else (*range(last), *range(first, 24))


def _add(lattice: Lattice, span: tuple[int, int], hours: tuple[int, ...]) -> None:
    inside = [n for n, (start, end) in enumerate(lattice.places) if start < span[1] and span[0] < end]
    if inside and hours:
        text = lattice.question[span[0] : span[1]]
        match = PeriodMatch(None, "hour", text, span, recurring=Recurring(hours=hours))
        lattice.add(inside[0], inside[-1] + 1, "TIME", 0.98, match)


def hour_key(table: Table, using: Column | None = None) -> Value | None:
    """What says the hour of a row: a column of hours, or the part of a moment."""
    held = next(
        (c for c in table.columns if c.words[-1:] == ("hour",) and c.kind == "number" and c.low in range(24)), None
    )
    if held is not None and using is None and isinstance(held.high, int | float) and held.high <= 24:
        return held.value
    moments = [c for c in table.columns if c.has("stamp")] if using is None else [using] if using.has("stamp") else []
    return Value(kind="part", table=moments[0].table, column=moments[0].name, part="hour") if moments else None


def hour_test(key: Value, hours: tuple[int, ...]) -> Test:
    """Hours of the day as a condition."""
    low, high = min(hours), max(hours)
    if len(hours) != high - low + 1:
        return Test(value=key, operator="in", to=hours)
    if low == 0:
        return Test(value=key, operator="<", to=(high + 1,))
    if high == 23:
        return Test(value=key, operator=">=", to=(low,))
    return Test(value=key, to=(low,)) if low == high else Test(value=key, operator="between", to=(low, high))


def weekday_spans(lattice: Lattice) -> None:
    """Names of days where no longer period holds them."""
    for place, word in enumerate(lattice.words):
        if singular(word) in DAYS and not any(s.type == "TIME" and s.start <= place < s.end for s in lattice.spans):
            recurring = Recurring(weekdays=(DAYS.index(singular(word)),))
            match = PeriodMatch(None, "weekday", word, lattice.places[place], recurring=recurring)
            lattice.add(place, place + 1, "TIME", 0.9, match)
    ends = {"weekend": (5, 6), "weekday": (0, 1, 2, 3, 4)} if {"weekend", "weekends"} & set(lattice.words) else {}
    for place, word in enumerate(lattice.words):
        days = ends.get(singular(word))
        if days is not None:
            match = PeriodMatch(None, "weekday", word, lattice.places[place], recurring=Recurring(weekdays=days))
            begin = place - (place > 1 and lattice.words[place - 2 : place] == ["on", "the"])
            begin -= begin > 0 and lattice.words[begin - 1] in {"on", "at"}
            lattice.add(begin, place + 1, "TIME", 0.97, match)
