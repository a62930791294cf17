"""What a reading of time is made of: the match handed out, and the draft the grammar works on.

A draft may lack its year; ``at_year`` builds its period once the year is known from the words around it or the anchor.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from datetime import date
from typing import Literal

from averment.language.periods.timeline import Grain, Period
from averment.language.tokens import Span, fold

Ambiguity = Literal["year_missing", "year_inferred", "day_or_month", "anchor_missing", "vague"]
"""Why a reading is not the only one.

``year_missing``: no year was named; with an anchor the latest such period is taken. ``year_inferred``: the year stands
elsewhere in the text. ``day_or_month``: 03/04/2021 reads both ways. ``anchor_missing``: "last month" without a today.
``vague``: early, late, mid, a season, "a few".
"""

Bound = Literal["within", "since", "after", "before", "until", "range"]


@dataclass(frozen=True, slots=True)
class DayTime:
    """A stretch of every day, in minutes from midnight; over midnight where its last comes before its first.

    The first minute counts unless ``after``, the last only with ``until``; one and the same is that time alone.
    """

    first: int | None = None
    last: int | None = None
    after: bool = False
    until: bool = False


@dataclass(frozen=True, slots=True)
class Recurring:
    """A part of the calendar that comes back: March of any year, the 3rd of March, Mondays, any first quarter."""

    months: tuple[int, ...] = ()
    day: int | None = None
    quarters: tuple[int, ...] = ()
    weekdays: tuple[int, ...] = ()
    weeks: tuple[int, ...] = ()
    day_time: DayTime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _PeriodFacts:
    """What is known about the reading of a period.

    ``alternatives`` are other periods the words may mean. ``anchor`` is the day the reading was counted from, None when
    none was used. ``certain`` is False for a bare number or name that only looks like time. ``context`` marks a year
    that was named to complete other periods ("March vs April in 2021"); ``excluded`` a period to leave out ("except in
    May").
    """

    bound: Bound = "within"
    ambiguity: Ambiguity | None = None
    alternatives: tuple[Period, ...] = ()
    recurring: Recurring | None = None
    anchor: date | None = None
    certain: bool = True
    context: bool = False
    excluded: bool = False


@dataclass(frozen=True, slots=True)
class PeriodMatch(_PeriodFacts):
    """A period found in a text, with all that is known about the reading.

    ``period`` is None when it cannot be placed (no anchor, no year); then ``recurring`` or ``ambiguity`` says what is
    known.
    """

    period: Period | None
    grain: Grain
    text: str
    span: Span

    @property
    def start(self) -> date | None:
        """First day, None when open or unplaced."""
        return self.period.start if self.period else None

    @property
    def end(self) -> date | None:
        """Last day, None when open or unplaced."""
        return self.period.end if self.period else None


@dataclass(frozen=True, slots=True)
class PeriodText:
    """The text under the grammar: as written, folded to the same length, and what relative words count from."""

    text: str
    folded: str
    anchor: date | None
    fiscal_start_month: int
    day_first: bool | None

    @classmethod
    def of(
        cls, text: str, *, anchor: date | None = None, fiscal_start_month: int = 1, day_first: bool | None = None
    ) -> PeriodText:
        """A reading of a text."""
        return cls(text, fold(text), anchor, fiscal_start_month, day_first)


@dataclass(frozen=True, slots=True)
class PeriodDraft(_PeriodFacts):
    """A period phrase on its way to a match."""

    start: int
    end: int
    grain: Grain
    period: Period | None = None
    year: int | None = None
    at_year: Callable[[int], Period | None] | None = None
    impossible: bool = False
    rank: int = 0

    @property
    def lacks_year(self) -> bool:
        """Whether only the year is missing."""
        return self.period is None and self.at_year is not None

    def with_year(self, year: int, ambiguity: Ambiguity | None = None) -> PeriodDraft:
        """The draft placed in a year; unchanged when that year has no such period (29 February)."""
        placed = placed_in(self, year)
        if placed is None:
            return self
        recurring = self.recurring if ambiguity else None
        return replace(self, period=placed, year=year, ambiguity=ambiguity or self.ambiguity, recurring=recurring)

    def matched(self, text: str) -> PeriodMatch:
        """The finished match."""
        known = {one.name: getattr(self, one.name) for one in fields(_PeriodFacts)}
        return PeriodMatch(self.period, self.grain, text[self.start : self.end], (self.start, self.end), **known)


def placed_in(draft: PeriodDraft, year: int) -> Period | None:
    """The period of a yearless draft in a year, None where there is none."""
    if draft.at_year is None:
        return None
    try:
        return draft.at_year(year)
    except (ValueError, OverflowError):
        return None


Build = Callable[[PeriodText, re.Match[str]], PeriodDraft | None]
Form = tuple[re.Pattern[str], Build]
"""A pattern over folded text, and what builds a draft from a find; None when the words only look like time."""


def placed(found: re.Match[str], period: Period, year: int | None = None) -> PeriodDraft:
    """The draft of a find whose period is known."""
    named = year if year is not None else period.end.year if period.end else None
    return PeriodDraft(found.start(), found.end(), period.grain, period, named)


def yearless(
    found: re.Match[str], grain: Grain, at_year: Callable[[int], Period | None], recurring: Recurring, *, certain: bool
) -> PeriodDraft:
    """The draft of a find that lacks its year, and comes back every year till then."""
    return PeriodDraft(found.start(), found.end(), grain, at_year=at_year, recurring=recurring, certain=certain)
