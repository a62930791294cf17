"""All periods a text names: every form tried, the longest finds kept, then combined and placed in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import cache

from averment.errors import InvalidArguments
from averment.language.periods import day_forms, month_forms, quarter_forms, relative_forms, year_forms
from averment.language.periods.bounds import open_sides
from averment.language.periods.match import Form, PeriodDraft, PeriodMatch, PeriodText, placed_in
from averment.language.periods.parts import take_parts
from averment.language.periods.ranges import join_ranges, share_years
from averment.language.tokens import quoted_spans


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
