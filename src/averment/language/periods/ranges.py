"""How period phrases combine: members of a list share a year, and two with "to" between them make one range."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from averment.language.periods.match import PeriodDraft, PeriodText, Recurring, placed_in
from averment.language.periods.timeline import Period, finer

_LIST = re.compile(
    r"^\s*(?:,|;|/|&|\+|-|,?\s*(?:and|or|vs\.?|versus|to|through|thru|until|till|up\s+to|against|than|with|over|and\s+then|"
    r"compared\s+(?:to|with|against)|relative\s+to|as\s+well\s+as|and\s+also|plus))\s*(?:(?:in|for|of|from|the|both|all)\s+)*$"
)
_RANGE = re.compile(
    r"^\s*,?\s*(?:-+>?|→|\.\.+|to|through|thru|until|till|up\s+to|up\s+until|and\s+ending(?:\s+(?:in|on|at))?|ending(?:\s+(?:in|on))?|"
    r"(?:and\s+)?(?:until|through|to))\s*(?:and\s+including\s+)?(?:in\s+|on\s+|the\s+)*$"
)
_AND = re.compile(r"^\s*,?\s*and\s+(?:in\s+|on\s+|the\s+)*$")
_BEFORE_RANGE = re.compile(
    r"(?<!\w)(?:(?P<between>(?:any\s+time\s+)?(?:in\s+|in-)?between)|(?P<from>from|starting(?:\s+(?:in|on|from|at))?|"
    r"beginning(?:\s+(?:in|on))?|for|within|during|over|in|across))\s+(?:the\s+)?(?:years?\s+|months?\s+(?:of\s+)?|period\s+(?:of\s+)?|quarters?\s+)?(?:of\s+|from\s+|between\s+)?(?:the\s+)?$"
)


def share_years(reading: PeriodText, drafts: Sequence[PeriodDraft]) -> list[PeriodDraft]:
    """Yearless members of a list get the year of their neighbours: "Q1 and Q2 2021", "Q1 2021 vs Q2"."""
    shared = list(drafts)
    for place in range(1, len(shared)):
        left, right = shared[place - 1], shared[place]
        if left.certain != right.certain and left.grain == right.grain and _LIST.match(_gap(reading, left, right)):
            shared[place - 1], shared[place] = replace(left, certain=True), replace(right, certain=True)
    for place in range(len(shared) - 2, -1, -1):
        left, right = shared[place], shared[place + 1]
        if left.lacks_year and right.year is not None and right.anchor is None and _listed(reading, left, right):
            shared[place] = _earlier(left, right) if _is_range(reading, left, right) else left.with_year(right.year)
    for place in range(1, len(shared)):
        left, right = shared[place - 1], shared[place]
        if right.lacks_year and left.year is not None and left.anchor is None and _listed(reading, left, right):
            shared[place] = _later(left, right) if _is_range(reading, left, right) else right.with_year(left.year)
    return shared


def _gap(reading: PeriodText, left: PeriodDraft, right: PeriodDraft) -> str:
    return reading.folded[left.end : right.start]


def _listed(reading: PeriodText, left: PeriodDraft, right: PeriodDraft) -> bool:
    if "year" in (left.grain, right.grain):
        return False
    return bool(_LIST.match(_gap(reading, left, right)) or _is_range(reading, left, right))


def _is_range(reading: PeriodText, left: PeriodDraft, right: PeriodDraft) -> bool:
    gap = _gap(reading, left, right)
    if _RANGE.match(gap):
        return True
    opening = _BEFORE_RANGE.search(reading.folded[: left.start])
    return bool(opening and opening["between"] and _AND.match(gap))


def _earlier(left: PeriodDraft, right: PeriodDraft) -> PeriodDraft:
    """November to February 2021 begins in the year before."""
    assert right.year is not None
    same = left.with_year(right.year)
    if same.period and right.period and same.period.start and right.period.end and same.period.start > right.period.end:
        return left.with_year(right.year - 1)
    return same


def _later(left: PeriodDraft, right: PeriodDraft) -> PeriodDraft:
    assert left.year is not None
    same = right.with_year(left.year)
    if same.period and left.period and same.period.end and left.period.start and same.period.end < left.period.start:
        return right.with_year(left.year + 1)
    return same


def join_ranges(reading: PeriodText, drafts: Sequence[PeriodDraft]) -> list[PeriodDraft]:
    """Neighbours with "to" between them become one range; "between … and …" too."""
    joined: list[PeriodDraft] = []
    waiting = list(drafts)
    while waiting:
        left = waiting.pop(0)
        if waiting and left.bound == "within" and waiting[0].bound == "within":
            both = _range(reading, left, waiting[0])
            if both is not None:
                waiting.pop(0)
                left = both
        joined.append(left)
    return joined


def _range(reading: PeriodText, left: PeriodDraft, right: PeriodDraft) -> PeriodDraft | None:
    if not _is_range(reading, left, right) or "weekday" in (left.grain, right.grain):
        return None
    opening = _BEFORE_RANGE.search(reading.folded[: left.start])
    start = left.start
    if opening and (opening["between"] or opening["from"].startswith(("from", "starting", "beginning"))):
        start = opening.start()
    base = replace(
        left,
        start=start,
        end=right.end,
        bound="range",
        anchor=left.anchor or right.anchor,
        certain=left.certain or right.certain,
        ambiguity=left.ambiguity or right.ambiguity,
        alternatives=(),
        grain=finer(left.grain, right.grain),
    )
    if left.lacks_year and right.lacks_year:
        return replace(base, at_year=partial(_spanned, left, right), recurring=_all_between(left, right))
    if left.period is None or right.period is None:
        return replace(
            base, period=None, at_year=None, ambiguity="anchor_missing" if base.ambiguity is None else base.ambiguity
        )
    first, last = left.period, right.period
    if first.start and last.end and first.start > last.end:
        if left.grain != right.grain or opening is None:
            return None
        first, last = last, first
    return replace(
        base, period=Period(first.start, last.end, base.grain), at_year=None, recurring=None, year=right.year
    )


def _spanned(left: PeriodDraft, right: PeriodDraft, year: int) -> Period | None:
    """A yearless range placed so that it ends in a year."""
    last = placed_in(right, year)
    first = placed_in(left, year)
    if first and last and first.start and last.end and first.start > last.end:
        first = placed_in(left, year - 1)
    return Period(first.start, last.end, finer(left.grain, right.grain)) if first and last else None


def _all_between(left: PeriodDraft, right: PeriodDraft) -> Recurring | None:
    """The months or quarters a yearless range runs through, around the turn of the year too; None for days."""
    one, two = left.recurring, right.recurring
    if one is None or two is None or one.day or two.day:
        return None
    if one.quarters and two.quarters:
        return Recurring(quarters=_around(one.quarters[0], two.quarters[-1], 4))
    if one.months and two.months:
        return Recurring(months=_around(one.months[0], two.months[-1], 12))
    return None


def _around(first: int, last: int, size: int) -> tuple[int, ...]:
    count = (last - first) % size + 1
    return tuple((first - 1 + step) % size + 1 for step in range(count))
