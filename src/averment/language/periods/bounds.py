"""Words that open one side of a period (since, before, until, onwards) or leave it out (except, other than)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from averment.language.periods.match import Bound, PeriodDraft, PeriodText
from averment.language.periods.timeline import Period
from averment.language.word_lists import any_of, word_lists

_OPENING: tuple[Bound, ...] = ("since", "until", "after", "before")
_TAIL = r"(?:\s+(?:the|in|on|of|year|years|month|about|around))*\s+$"
_OPENERS: list[tuple[Bound, re.Pattern[str]]] = [
    (bound, re.compile(rf"(?<![\w-]){any_of(word_lists('periods.openers')[bound])}{_TAIL}")) for bound in _OPENING
]
_FROM = re.compile(r"(?<!\w)(?:from|starting(?:\s+(?:from|in|on))?|since)\s+(?:the\s+)?(?:year\s+)?$")
_BY = re.compile(r"(?<![\w-])by\s+(?:(?:about|around|year)\s+)?$")
_GLUED = re.compile(r"(?<!\w)(?P<w>pre|post)-$")
_CLOSER_PHRASES: dict[Bound, str] = {
    "since": r"""
        ,?\s*(?:and|or) (?:onwards?|later|after|afterwards?|since|beyond|newer|up)
        onwards?
        forward
        on(?=\s*(?:[.,;?!)]|$))
        (?:to|until|through|till|-)\s*(?:date|now|today|present|the present(?: day)?|current)
        \+(?=\s|$)
    """,
    "until": r"""
        ,?\s*(?:and|or) (?:earlier|before|older|prior)
    """,
}
_CLOSERS: list[tuple[Bound, re.Pattern[str]]] = [
    (bound, re.compile(rf"\s*{any_of(phrases)}(?!\w)")) for bound, phrases in _CLOSER_PHRASES.items()
]
_EXCLUDED_PHRASES = """
    (?:other|apart|different) (?:than|from)
    exclud\\w+
    except(?:ing)?(?: for)?
    (?:but )?not
    without
    leaving out
    ignoring
    omitting
"""
_EXCLUDED = re.compile(rf"(?<!\w){any_of(_EXCLUDED_PHRASES)}(?:\s+(?:in|for|during|the|month|year|of|on))*\s+$")


def open_sides(reading: PeriodText, drafts: Sequence[PeriodDraft]) -> list[PeriodDraft]:
    """The drafts with the words that open a side drawn in, and those to be left out marked."""
    done: list[PeriodDraft] = []
    floor = 0
    for place, draft in enumerate(drafts):
        ceiling = drafts[place + 1].start if place + 1 < len(drafts) else len(reading.folded)
        opened = _opened(reading, draft, floor, ceiling)
        left_out = _EXCLUDED.search(reading.folded, floor, opened.start)
        done.append(replace(opened, excluded=True) if left_out else opened)
        floor = opened.end
    return done


def _opened(reading: PeriodText, draft: PeriodDraft, floor: int, ceiling: int) -> PeriodDraft:
    if draft.bound == "range" or draft.grain == "weekday":
        return draft
    for bound, pattern in _CLOSERS:
        found = pattern.match(reading.folded, draft.end, ceiling)
        # "before 2003 and after 2003": the word belongs to the next period when it stands right before one.
        if found and (ceiling == len(reading.folded) or reading.folded[found.end() : ceiling].strip()):
            start = _from_before(reading, floor, draft.start)
            return _bounded(draft, bound, start, found.end())
    glued = _GLUED.search(reading.folded, floor, draft.start)
    if glued:
        return _bounded(draft, "before" if glued["w"] == "pre" else "after", glued.start(), draft.end)
    for bound, pattern in _OPENERS:
        found = pattern.search(reading.folded, floor, draft.start)
        if found and not (found.group().startswith("th") and draft.grain in {"decade", "century"}):
            return _bounded(draft, bound, found.start(), draft.end)
    by = _BY.search(reading.folded, floor, draft.start)
    return _bounded(draft, "until", by.start(), draft.end) if by and draft.certain else draft


def _from_before(reading: PeriodText, floor: int, place: int) -> int:
    found = _FROM.search(reading.folded, floor, place)
    return found.start() if found else place


def _bounded(draft: PeriodDraft, bound: Bound, start: int, end: int) -> PeriodDraft:
    draft = replace(draft, start=start, end=end, bound=bound, certain=True)
    if draft.period is not None:
        return replace(
            draft,
            period=_open(draft.period, bound),
            alternatives=tuple(_open(other, bound) for other in draft.alternatives),
        )
    if draft.at_year is None:
        return draft
    at_year = draft.at_year

    def placed(year: int) -> Period | None:
        whole = at_year(year)
        return _open(whole, bound) if whole else None

    return replace(draft, at_year=placed)


def _open(period: Period, bound: Bound) -> Period:
    match bound:
        case "since":
            return Period(period.start, None, period.grain)
        case "until":
            return Period(None, period.end, period.grain)
        case "after":
            return Period(period.end + timedelta(days=1) if period.end else None, None, period.grain)
        case "before":
            return Period(None, period.start - timedelta(days=1) if period.start else None, period.grain)
        case "within" | "range":
            return period
