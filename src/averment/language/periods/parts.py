"""A part of a named period: the first three months of 2021, the last week of March 2020, the end of Q2 2021.

These forms need the period they are a part of, so they run after the others and swallow the draft they stand before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date

from averment.language.periods.match import PeriodDraft, PeriodText
from averment.language.periods.period_words import COUNT, EDGE, ORDINAL, ORDINALS, UNIT, count_number, unit_grain
from averment.language.periods.timeline import Grain, Period

_JOINT = r"\s+(?:of|in|from)\s+(?:the\s+)?(?:year\s+|month\s+of\s+)?$"
_PART = re.compile(
    rf"{EDGE}(?:the\s+)?(?P<o>{ORDINAL}|last|final|opening|closing)\s+(?:(?P<n>{COUNT})\s+)?(?P<u>{UNIT}){_JOINT}"
)
_EDGE_DAY = re.compile(rf"{EDGE}(?:the\s+)?(?P<e>start|beginning|end|close|first\s+day|last\s+day)(?:{_JOINT})")
Narrow = Callable[[Period], Period | None]
_SIZE: dict[Grain, int] = {"day": 1, "week": 7, "month": 31, "quarter": 92, "half": 184, "year": 366, "decade": 3653}


def take_parts(reading: PeriodText, drafts: Sequence[PeriodDraft]) -> list[PeriodDraft]:
    """The drafts with every "part of" phrase before them drawn in."""
    return [_taken(reading, draft) for draft in drafts]


def _taken(reading: PeriodText, draft: PeriodDraft) -> PeriodDraft:
    before = reading.folded[: draft.start]
    found = _PART.search(before)
    if found and draft.grain != "weekday":
        grain = unit_grain(found["u"])
        if _SIZE.get(grain, 0) < _SIZE.get(draft.grain, 0):
            number = ORDINALS.get(found["o"], 1)
            count = count_number(found["n"]) if found["n"] else 1
            from_end = found["o"] in {"last", "final", "closing"}
            return _narrowed(draft, found.start(), lambda whole: _part(whole, grain, number, count, from_end), grain)
    found = _EDGE_DAY.search(before)
    if found and draft.grain not in {"weekday", "day"}:
        first = found["e"] in {"start", "beginning"} or found["e"].startswith("first")
        return _narrowed(draft, found.start(), lambda whole: _edge(whole, first), "day")
    return draft


def _narrowed(draft: PeriodDraft, start: int, narrow: Narrow, grain: Grain) -> PeriodDraft:
    if draft.period is not None:
        part = narrow(draft.period)
        return replace(draft, start=start, period=part, grain=grain, alternatives=()) if part else draft
    if draft.at_year is None:
        return replace(draft, start=start, grain=grain) if draft.ambiguity == "anchor_missing" else draft
    at_year = draft.at_year

    def placed(year: int) -> Period | None:
        whole = at_year(year)
        return narrow(whole) if whole else None

    return replace(draft, start=start, grain=grain, at_year=placed, recurring=None)


def _part(whole: Period, grain: Grain, number: int, count: int, from_end: bool) -> Period | None:
    if whole.is_open:
        return None
    parts = whole.split(grain)
    if grain == "week" and len(parts) > 1:
        parts = _whole_weeks(parts)
    chosen = parts[-count:] if from_end else parts[number - 1 :][:count]
    if number > 1 and count > 1 and not from_end:
        return None
    if len(chosen) < count:
        return None
    return Period(chosen[0].start, chosen[-1].end, grain)


def _whole_weeks(parts: list[Period]) -> list[Period]:
    """A week belongs where its Thursday falls, as ISO 8601 has it: ends cut below four days go."""
    return [part for part in parts if (part.days or 0) >= 4]


def _edge(whole: Period, first: bool) -> Period | None:
    day: date | None = whole.start if first else whole.end
    return Period(day, day, "day") if day else None
