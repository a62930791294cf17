"""Phrases that count from an anchor: yesterday, last quarter, the past 30 days, year to date, two weeks ago.

"last month" is the calendar month before the anchor's; "past month" and "last 3 months" are windows that end with the
anchor day, with the whole calendar periods as the alternative. Without an anchor the phrase is found and left unplaced.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from averment.language.periods.match import Ambiguity, Form, PeriodDraft, PeriodText, Recurring
from averment.language.periods.period_words import (
    COUNT,
    EDGE,
    FULL_WEEKDAY,
    MONTH,
    UNIT,
    VAGUE_COUNTS,
    WEEKDAYS,
    count_number,
    month_number,
    unit_grain,
    words_after,
    words_before,
)
from averment.language.periods.timeline import (
    Grain,
    Period,
    add_months,
    complete_before,
    day_of,
    month_of,
    period_at,
    window_after,
    window_before,
)

Placing = Callable[[date], Period]

_LAST = r"(?:last|past|previous|prior|preceding|trailing|most\s+recent|latest|recent)"
_CURRENT = r"(?:this|current|the\s+current|the\s+present|present|the\s+ongoing)"
_NEXT = r"(?:next|coming|upcoming|following)"
_WHOLE = re.compile(
    r"[\s,(]*(?:exclud\w+|not\s+(?:including|counting)|without|except(?:ing)?(?:\s+for)?|before|prior\s+to)\s+(?:the\s+)?"
    r"(?:current|this|present|ongoing)\s+(?:calendar\s+|iso\s+|fiscal\s+)?(?:week|month|quarter|year|one)\)?"
)
_INCLUSIVE = re.compile(
    rf"[\s,(]*(?:inclusive\s+of|including|counting)\s+(?:(?P<today>today(?:'s\s+date)?|the\s+current\s+day)|(?P<n>{COUNT})\s+(?P<u>{UNIT})\s+ago)\)?"
)
# What follows "the last year" when it means the last one of a list, not the year before the anchor.
_OF_A_LIST = frozenset(
    """
    that in where when not the they he she it did does was were with which of to a an is for on listed there before
    after shown who has have had someone anyone any played won
    """.split()
)


def _draft(
    reading: PeriodText,
    found: re.Match[str],
    grain: Grain,
    place: Placing,
    *,
    others: tuple[Placing, ...] = (),
    ambiguity: Ambiguity | None = None,
    certain: bool = True,
    end: int | None = None,
) -> PeriodDraft:
    stop = found.end() if end is None else end
    if reading.anchor is None:
        return PeriodDraft(found.start(), stop, grain, ambiguity="anchor_missing", certain=certain)
    period = place(reading.anchor)
    alternatives = tuple(dict.fromkeys(other(reading.anchor) for other in others))
    return PeriodDraft(
        found.start(),
        stop,
        grain,
        period,
        None,
        ambiguity=ambiguity,
        alternatives=tuple(other for other in alternatives if other != period),
        anchor=reading.anchor,
        certain=certain,
    )


def _day(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    word = found.group()
    offset = 0
    if "yesterday" in word:
        offset = -2 if "before" in word else -1
    elif "tomorrow" in word:
        offset = 2 if "after" in word else 1
    return _draft(reading, found, "day", lambda anchor: period_at(anchor + timedelta(days=offset), "day"))


def _this(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    grain, month = unit_grain(found["u"]), _fiscal_month(reading, found)
    return _draft(reading, found, grain, lambda anchor: period_at(anchor, grain, month))


def _last_one(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    grain, word, month = unit_grain(found["u"]), found["l"], _fiscal_month(reading, found)
    if found["the"] and _is_of_a_list(reading, found):
        return None

    def calendar(anchor: date) -> Period:
        return complete_before(anchor, 1, grain, month)

    rolls = word in {"past", "trailing"} or (bool(found["the"]) and word == "last")
    if not rolls or found["calendar"]:
        whole = _WHOLE.match(reading.folded, found.end())
        end = whole.end() if whole else None
        certain = not (found["the"] and word in {"previous", "preceding", "prior", "latest"})
        return _draft(reading, found, grain, calendar, certain=certain, end=end)
    return _window(reading, found, grain, 1, calendar)


def _is_of_a_list(reading: PeriodText, found: re.Match[str]) -> bool:
    after = words_after(reading, found.end(), 1)
    if after and after[0] in _OF_A_LIST:
        return True
    before = words_before(reading, found.start(), 2)
    return bool(before) and before[-1] in {"is", "was", "what", "which", "were"}


def _last_many(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    count, grain, month = count_number(found["n"]), unit_grain(found["u"]), _fiscal_month(reading, found)
    if count < 1 or (found["l"] in {"previous", "preceding"} and reading.folded[found.end() :].startswith(" of ")):
        return None

    def rolling(anchor: date) -> Period:
        return window_before(anchor, count, grain)

    def whole(anchor: date) -> Period:
        return complete_before(anchor, count, grain, month)

    left_out = _WHOLE.match(reading.folded, found.end())
    vague: Ambiguity | None = "vague" if found["n"] in VAGUE_COUNTS else None
    if left_out or found["calendar"]:
        end = left_out.end() if left_out else None
        return _draft(reading, found, grain, whole, others=(rolling,), ambiguity=vague, end=end)
    return _window(reading, found, grain, count, whole, vague)


def _window(
    reading: PeriodText, found: re.Match[str], grain: Grain, count: int, whole: Placing, vague: Ambiguity | None = None
) -> PeriodDraft:
    """A rolling window; "inclusive of 30 days ago" draws in the day it starts from."""
    tail = _INCLUSIVE.match(reading.folded, found.end())
    end = tail.end() if tail else None

    def rolling(anchor: date) -> Period:
        return window_before(anchor, count, grain)

    def longer(anchor: date) -> Period:
        return Period(_back(anchor, count, grain), anchor, grain)

    if tail and tail["n"]:
        return _draft(reading, found, grain, longer, others=(whole, rolling), ambiguity=vague, end=end)
    return _draft(reading, found, grain, rolling, others=(whole, longer), ambiguity=vague, end=end)


def _next_one(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    grain, month = unit_grain(found["u"]), _fiscal_month(reading, found)
    if found["the"] and _is_of_a_list(reading, found):
        return None
    return _draft(
        reading, found, grain, lambda anchor: period_at(anchor, grain, month).shift(1), certain=not found["the"]
    )


def _next_many(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    count, grain = count_number(found["n"]), unit_grain(found["u"])
    return _draft(reading, found, grain, lambda anchor: window_after(anchor, count, grain)) if count else None


def _ago(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    count, grain = count_number(found["n"]), unit_grain(found["u"])

    def calendar(anchor: date) -> Period:
        return period_at(anchor, grain).shift(-count)

    def exact(anchor: date) -> Period:
        day = _back(anchor, count, grain)
        return Period(day, day, "day")

    return _draft(reading, found, grain, calendar, others=(exact,))


def _back(anchor: date, count: int, grain: Grain) -> date:
    if grain in ("day", "week"):
        return anchor - timedelta(days=count * (7 if grain == "week" else 1))
    return add_months(anchor, -count * {"month": 1, "quarter": 3, "half": 6, "year": 12}.get(grain, 120))


def _to_date(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    word = found.groupdict().get("u") or {"y": "year", "q": "quarter", "m": "month", "w": "week"}[found["short"][0]]
    grain, month = unit_grain(word), _fiscal_month(reading, found)
    year = found.groupdict().get("y")

    def place(anchor: date) -> Period:
        end = anchor if not year else day_of(int(year), anchor.month, min(anchor.day, 28)).start or anchor
        if year and int(year) == anchor.year:
            end = anchor
        return Period(period_at(end, grain, month).start, end, grain)

    return _draft(reading, found, grain, place)


def _named_month(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    month, which = month_number(found["m"]), found["which"]

    def place(anchor: date) -> Period:
        year = anchor.year
        if which in {"last", "previous", "past"} and month >= anchor.month:
            year -= 1
        elif which == "next" and month <= anchor.month:
            year += 1
        return month_of(year, month)

    return _draft(reading, found, "month", place)


def _year_relative(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    """ "March last year", "Q2 this year": a month or quarter in a year counted from the anchor."""
    offset = {"last": -1, "previous": -1, "this": 0, "next": 1}[found["which"]]
    if found["m"]:
        month = month_number(found["m"])
        return _draft(reading, found, "month", lambda anchor: month_of(anchor.year + offset, month))
    first = 3 * int(found["q"]) - 2
    return _draft(reading, found, "quarter", lambda anchor: period_at(date(anchor.year + offset, first, 1), "quarter"))


def _same_last_year(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    grain: Grain = unit_grain(found["u"]) if found["u"] in {"month", "quarter", "week", "day"} else "day"
    back = unit_grain(found["b"])
    return _draft(reading, found, grain, lambda anchor: period_at(_back(anchor, 1, back), grain))


def _named_day(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    number, which = WEEKDAYS[found["d"]], found["which"]

    def place(anchor: date) -> Period:
        monday = anchor - timedelta(days=anchor.weekday())
        day = monday + timedelta(days=number)
        if which in {"last", "previous", "past"} and day >= anchor:
            day -= timedelta(days=7)
        elif which == "next" and day <= anchor:
            day += timedelta(days=7)
        return Period(day, day, "day")

    return _draft(reading, found, "day", place)


def _weekdays(reading: PeriodText, found: re.Match[str]) -> PeriodDraft | None:
    word = found["d"]
    days = (5, 6) if word.startswith("weekend") else (0, 1, 2, 3, 4) if word.startswith("weekday") else None
    if days is None:
        days = (WEEKDAYS[word.removesuffix("s")],)
    return PeriodDraft(found.start("d"), found.end("d"), "weekday", recurring=Recurring(weekdays=days))


def _fiscal_month(reading: PeriodText, found: re.Match[str]) -> int:
    return reading.fiscal_start_month if re.search(r"fiscal|financial|\bfy", found.group()) else 1


def forms() -> Iterator[Form]:
    """Every relative form, the more telling first."""
    unit, count = rf"(?P<u>{UNIT})\b", rf"(?P<n>{COUNT})"
    kind = (
        r"(?P<calendar>(?:full|complete|whole|entire|calendar|completed)\s+)?"
        r"(?:iso\s+|fiscal\s+|financial\s+|business\s+)?"
    )
    now = r"(?:(?<=as of )|(?<=to )|(?<=until )|(?<=till )|(?<=and ))now"
    step = r"(?P<u>year|quarter|month|week)"
    the = r"(?P<the>the\s+)?"
    for pattern, build in (
        (r"(?:the\s+)?day\s+(?:before\s+yesterday|after\s+tomorrow)\b", _day),
        (rf"(?:today|yesterday|tomorrow|{now}|the\s+present(?:\s+day)?)\b", _day),
        (rf"(?:so\s+far\s+)?{_CURRENT}\s+{kind}{unit}(?!\s+(?:over|on)\s)", _this),
        (rf"{the}(?P<l>{_LAST})\s+{kind}{unit}(?!\s+of\b|\s+(?:over|on)\s)", _last_one),
        (rf"(?:the\s+)?(?P<l>{_LAST})\s+(?:a\s+)?{count}\s+(?:of\s+)?{kind}{unit}", _last_many),
        (rf"(?:the\s+)?{count}\s+(?P<l>most\s+recent|latest|last|previous|preceding)\s+{kind}{unit}", _last_many),
        (rf"within\s+(?:the\s+)?(?P<l>last|past)\s+{count}\s+{kind}{unit}", _last_many),
        (rf"{the}{_NEXT}\s+{kind}{unit}(?!\s+of\b)", _next_one),
        (rf"(?:the\s+)?(?:next|coming|upcoming)\s+{count}\s+{kind}{unit}", _next_many),
        (rf"(?:a\s+)?{count}\s+(?:of\s+)?{unit}\s+(?:ago|back|earlier\s+than\s+today)\b", _ago),
        (rf"(?:fiscal\s+|financial\s+)?{step}[- ]to[- ]date\b(?:\s+(?P<y>20[0-9]{{2}}))?", _to_date),
        (r"(?:fiscal\s+)?(?P<short>ytd|qtd|mtd|wtd)\b(?:\s+(?P<y>20[0-9]{2})\b)?", _to_date),
        (rf"so\s+far\s+(?:in\s+)?(?:this|the\s+current)\s+{step}\b", _to_date),
        (rf"(?:this|the\s+current)\s+{step},?\s+(?:so\s+far|to\s+date|until\s+now|up\s+to\s+now)\b", _to_date),
        (rf"(?P<which>last|previous|past|this|next)\s+(?P<m>{MONTH})(?!\s*[0-9]|\s+(?:be|have|not)\b)", _named_month),
        (rf"(?:(?P<m>{MONTH})|q(?P<q>[1-4]))\s+(?:of\s+)?(?P<which>last|previous|this|next)\s+year\b", _year_relative),
        (
            r"(?:the\s+)?same\s+(?P<u>month|quarter|week|day|period|time)\s+(?:of\s+|in\s+)?"
            r"(?:the\s+)?(?:last|previous|prior)\s+(?P<b>year|month|quarter)\b",
            _same_last_year,
        ),
        (r"this\s+(?P<u>time|day|week|month|quarter)\s+last\s+(?P<b>year|month)\b", _same_last_year),
        (rf"(?P<which>last|previous|past|this|next)\s+(?P<d>{FULL_WEEKDAY})\b", _named_day),
        (
            rf"(?:on|every|each|only)\s+(?:a\s+)?(?P<d>{FULL_WEEKDAY}s?|weekends?|(?<!each )(?<!every )weekdays?)\b"
            rf"(?!,?\s+(?:the|[0-9]|{MONTH}))",
            _weekdays,
        ),
        (rf"(?P<d>{FULL_WEEKDAY}s|weekends|weekdays)\b(?!\s+interval)", _weekdays),
    ):
        yield re.compile(EDGE + pattern), build
