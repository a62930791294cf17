"""All periods a text names: every form tried, the longest finds kept, then combined and placed in time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache, partial

from averment.errors import InvalidArguments
from averment.language.periods import day_forms, month_forms, quarter_forms, relative_forms, year_forms
from averment.language.periods.match import Bound, Form, PeriodDraft, PeriodMatch, PeriodText, Recurring, placed_in
from averment.language.periods.period_words import COUNT, EDGE, ORDINAL, ORDINALS, UNIT, count_number, unit_grain
from averment.language.periods.timeline import Grain, Period, finer
from averment.language.tokens import quoted_spans
from averment.language.word_lists import any_of, word_lists

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


def find_periods(
    text: str, *, anchor: date | None, fiscal_start_month: int = 1, day_first: bool | None = None
) -> list[PeriodMatch]:
    """Every period a text names, in order of appearance, none overlapping another.

    ``anchor`` is the day that "last month" counts from: today, or the latest date of the data; None leaves such phrases
    unplaced. ``fiscal_start_month`` moves what is called fiscal and nothing else. ``day_first`` settles 03/04/2021.

    Raises:
        InvalidArguments: the fiscal start is not a month.
    """
    if not 1 <= fiscal_start_month <= 12:
        raise InvalidArguments(f"A fiscal year must start in a month from 1 to 12, not {fiscal_start_month}.")
    reading = PeriodText.of(text, anchor=anchor, fiscal_start_month=fiscal_start_month, day_first=day_first)
    drafts = _chosen(reading, _all_drafts(reading))
    drafts = share_years(reading, drafts)
    drafts = _without_overlap(take_parts(reading, drafts))
    drafts = _lend_year(drafts)
    drafts = join_ranges(reading, drafts)
    drafts = open_sides(reading, drafts)
    return [_resolved(draft, anchor).matched(text) for draft in drafts]


@cache
def _forms() -> tuple[Form, ...]:
    modules = (day_forms, quarter_forms, month_forms, relative_forms, year_forms)
    return tuple(form for module in modules for form in module.forms())


def _all_drafts(reading: PeriodText) -> list[PeriodDraft]:
    drafts: list[PeriodDraft] = []
    for rank, (pattern, build) in enumerate(_forms()):
        for found in pattern.finditer(reading.folded):
            try:
                draft = build(reading, found)
            except (ValueError, OverflowError):
                # 31 February, week 54, a window before year 1: no such time, and its pieces mean nothing either.
                draft = PeriodDraft(found.start(), found.end(), "day", impossible=True)
            if draft is not None:
                drafts.append(replace(draft, rank=rank))
    return drafts


def _chosen(reading: PeriodText, drafts: list[PeriodDraft]) -> list[PeriodDraft]:
    """The longest finds that do not overlap; what stands inside a longer quotation is a name, not a time."""
    quotes = [(start, end) for start, end in quoted_spans(reading.text) if end - start < 0.8 * len(reading.text)]
    kept: list[PeriodDraft] = []
    for draft in sorted(drafts, key=lambda draft: (draft.start - draft.end, draft.start, draft.rank)):
        if any(draft.start < other.end and other.start < draft.end for other in kept):
            continue
        if any(
            start <= draft.start and draft.end <= end and end - start > draft.end - draft.start for start, end in quotes
        ):
            continue
        kept.append(draft)
    return sorted((draft for draft in kept if not draft.impossible), key=lambda draft: draft.start)


def _without_overlap(drafts: Sequence[PeriodDraft]) -> list[PeriodDraft]:
    """A part phrase reaches back; whatever it now covers goes."""
    kept: list[PeriodDraft] = []
    for draft in drafts:
        while kept and kept[-1].end > draft.start:
            kept.pop()
        kept.append(draft)
    return kept


def _lend_year(drafts: Sequence[PeriodDraft]) -> list[PeriodDraft]:
    """One year named once completes every yearless period of the text: "March vs April in 2021"."""
    years = {draft.year for draft in drafts if draft.grain == "year" and draft.period and not draft.period.is_open}
    lacking = [draft for draft in drafts if draft.lacks_year]
    year = next(iter(years)) if len(years) == 1 else None
    if year is None or not lacking or any(placed_in(draft, year) is None for draft in lacking):
        return list(drafts)
    return [
        draft.with_year(year, "year_inferred")
        if draft.lacks_year
        else replace(draft, context=True)
        if draft.grain == "year" and draft.year == year
        else draft
        for draft in drafts
    ]


def _resolved(draft: PeriodDraft, anchor: date | None) -> PeriodDraft:
    """A draft still without a year is placed at its latest start up to the anchor, and always marked."""
    if not draft.lacks_year:
        return draft
    if anchor is None:
        return replace(draft, ambiguity="year_missing")
    for year in range(anchor.year, anchor.year - 9, -1):
        period = placed_in(draft, year) if year > 0 else None
        if period is None:
            continue
        known = period.start or period.end
        if known is not None and known <= anchor:
            return replace(draft, period=period, anchor=anchor, ambiguity="year_missing")
    return replace(draft, ambiguity="year_missing")
