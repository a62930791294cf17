"""Times of the day and days of the week: "before 9 in the morning", "between 7 and 9 am", "at night", "on weekends"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from averment.language.numbers.number_words import ONES
from averment.language.periods import DayTime, PeriodMatch, Recurring
from averment.reading.times.day_times import day_columns
from averment.reading.words import DAYS, lexicon, singular

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_view import Schema

DAY = 24 * 60
_WRITTEN = {word: number for word, number in ONES.items() if 1 <= number <= 12}
_CLOCK = re.compile(
    r"(?<![\w:./$€£-])(?:(?P<named>noon|midday|midnight)"
    rf"|(?P<hour>\d{{1,2}}|{'|'.join(_WRITTEN)})(?:(?P<sign>[:.])(?P<minute>[0-5]\d)(?::00)?)?"
    r"(?:\s*(?P<half>[ap]\.?m\b\.?)|\s*(?P<sharp>o'?\s?clock))?"
    r"(?:,?\s+(?:in the|at)\s+(?P<part>morning|afternoon|evening|night)\b)?)(?![\w%:]|\.\d)",
    re.IGNORECASE,
)
_NAMED = {"noon": 12, "midday": 12, "midnight": 0}
_CLEAR = 8
"""From this hour on an hour that is written with its minutes is that of the clock of 24: 9:30, but not 7:30."""


@dataclass(frozen=True, slots=True)
class _ClockTime:
    """A time of day as it is written: its hour on the clock of 12 or 24, and which half of the day, where it says."""

    start: int
    end: int
    hour: int
    minute: int
    half: str
    plain: bool
    """Whether only the clock of 24 can be meant."""
    bare: bool
    """Whether it is no more than a number."""

    def is_clear(self, lead: str) -> bool:
        """Whether it is a time, and in which half of the day; before 8 o'clock is in the morning."""
        return not self.bare and (bool(self.half) or self.plain or lead in {"before", "until"})

    def at(self, half: str = "") -> int:
        """The minute of the day; ``half`` is the half of the day that something else says."""
        half = self.half or ("" if self.plain else half)
        hour = self.hour % 12 + 12 * (half == "pm") if half and self.hour <= 12 else self.hour
        return hour * 60 + self.minute


def clock_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that some words are times of the day, where a table knows them."""
    if not any(day_columns(table) for table in schema.tables.values()):
        return
    question = lattice.question
    spans = [(span, time) for span, time in _explicit(question) if time is not None]
    for span, time in spans:
        _add(lattice, span, time)
    for name, body in lexicon("words")["time_of_day"].items():
        first, last = (int(hour) * 60 for hour in body.split())
        for found in re.finditer(rf"\b((?:in|during|on) (?:the )?|at )?{name}s?\b", question, re.IGNORECASE):
            start, end = found.span()
            if any(one < end and start < two for (one, two), _ in spans):
                continue  # "9 in the morning" is one time.
            if found[1] is None and _ONE_OF_THEM.search(question[:start]):
                continue  # last night, the price of a night
            if any(end <= one and "(" in question[end:one] and ")" not in question[end:one] for (one, _), _ in spans):
                _skip(lattice, found.span())  # "evening games (kick-off after 7pm)": the brackets say what it means.
                continue
            _add(lattice, found.span(), DayTime(first, last))


_ONE_OF_THEM = re.compile(
    r"(?:\b(?:this|last|next|yesterday|tomorrow|per|each|every|one|of|that|by|an?(?:\s+(?!\w*day\b)\w+)?)|\d)\s+$",
    re.IGNORECASE,
)


def _explicit(question: str) -> list[tuple[tuple[int, int], DayTime | None]]:
    """The stretches of a day that a question writes out, each with where it stands."""
    found: list[tuple[tuple[int, int], DayTime | None]] = []
    said = [_said(match) for match in _CLOCK.finditer(question)]
    place = 0
    while place < len(said):
        one = said[place]
        two = said[place + 1] if place + 1 < len(said) else None
        both = _pair(question, one, two) if two is not None else None
        if both is not None:
            found.append(both)
            place += 2
            continue
        place += 1
        lead, start = _before(question, one.start)
        later, end = _behind(question, one.end)
        lead = later or lead
        if lead and one.is_clear(lead):
            found.append(((start, end), _one(lead, one.at())))
    return found


def _said(match: re.Match[str]) -> _ClockTime:
    if match["named"]:
        return _ClockTime(*match.span(), _NAMED[match["named"].lower()], 0, "", True, False)
    written = match["hour"].lower()
    hour, minute = _WRITTEN.get(written) or int(written), int(match["minute"] or 0)
    half = (match["half"] or "").replace(".", "").lower()
    dotted = match["sign"] == "." and not half
    part = (match["part"] or "").lower()
    if part and not half and hour <= 12:
        half = "am" if part == "morning" or (part == "night" and (hour < 6 or hour == 12)) else "pm"
    full = written.startswith("0") or hour > 12 or hour == 0 or (bool(match["minute"]) and hour >= _CLEAR)
    bare = (not match["minute"] and not half and not match["sharp"]) or dotted or hour > 24
    return _ClockTime(*match.span(), hour, minute, half, not half and full, bare)


def _pair(question: str, one: _ClockTime, two: _ClockTime) -> tuple[tuple[int, int], DayTime | None] | None:
    """ "Between 8 and 10 am", "after 10 pm and before 6 in the morning"; None where the two are no stretch of a day."""
    between = question[one.end : two.start].lower()
    lead, start = _before(question, one.start)
    second, begin = _before(question, two.start)
    joined = re.fullmatch(r"\s*(and|or)\s*", question[one.end : begin].lower()) if begin > one.end else None
    span = (start, two.end)
    if joined and {lead, second} in ({"after", "before"}, {"from", "before"}, {"after", "until"}, {"from", "until"}):
        if not one.is_clear(lead) or not two.is_clear(second):
            return span, None
        turned = lead in {"before", "until"}
        first, last = (two, one) if turned else (one, two)
        begins, ends = (second, lead) if turned else (lead, second)
        if joined[1] == "or" and first.at() < last.at():
            return span, None
        return span, DayTime(first.at(), last.at() or DAY, after=begins == "after", until=ends == "until")
    opened = re.search(r"\bbetween\s+$", question[: one.start], re.IGNORECASE)
    closing = r"\s*(?:and|to|-)\s*" if opened else r"\s*(?:to|until|till|-)\s*"
    if not re.fullmatch(closing, between) or (two.bare and not (two.plain and not one.bare)):
        return None
    if not (two.half or two.plain) or (one.bare and not opened and lead != "from" and not two.half):
        return span, None
    first, last = one.at(two.half), two.at()
    if first >= last and not one.half and not one.plain:
        first = one.at("am" if two.half == "pm" else "pm")  # between 11 and 1 pm
    return (opened.start() if opened else start, two.end), DayTime(first, last or DAY, until=True)


def _one(lead: str, minute: int) -> DayTime | None:
    if not 0 < minute < DAY:
        return None  # Every time of the day is after midnight.
    match lead:
        case "before" | "until":
            return DayTime(None, minute, until=lead == "until")
        case "after" | "from":
            return DayTime(minute, None, after=lead == "after")
        case _:
            return DayTime(minute, minute, until=True)


@cache
def _phrases(*names: str) -> re.Pattern[str]:
    body = lexicon("words")["clock"]
    said = sorted((phrase for name in names for phrase in body[name]), key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, said))})\b", re.IGNORECASE)


def _before(question: str, start: int) -> tuple[str, int]:
    """What stands before a time and says how it bounds the day, and where that begins."""
    best = "", start
    for name in ("before", "until", "after", "from", "at"):
        for match in _phrases(name).finditer(question[:start]):
            if not question[match.end() : start].strip() and match.start() < best[1]:
                best = name, match.start()
    return best


def _behind(question: str, end: int) -> tuple[str, int]:
    """The same of what stands behind it: or later, onwards."""
    for name, meant in (("later", "from"), ("earlier", "until")):
        match = re.compile(rf"\s*,?\s*{_phrases(name).pattern}(?!\s+\w*day\b)", re.IGNORECASE).match(question, end)
        if match is not None:
            return meant, match.end()
    return "", end


def _inside(lattice: Lattice, span: tuple[int, int]) -> list[int]:
    return [n for n, (start, end) in enumerate(lattice.places) if start < span[1] and span[0] < end]


def _add(lattice: Lattice, span: tuple[int, int], time: DayTime) -> None:
    inside = _inside(lattice, span)
    if inside:
        text = lattice.question[span[0] : span[1]]
        match = PeriodMatch(None, "hour", text, span, recurring=Recurring(day_time=time))
        lattice.add(inside[0], inside[-1] + 1, "TIME", 0.98, match)


def _skip(lattice: Lattice, span: tuple[int, int]) -> None:
    inside = _inside(lattice, span)
    if inside:
        lattice.add(inside[0], inside[-1] + 1, "STOP", 0.98)


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
