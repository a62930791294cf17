"""Time in a question over one table: which column says when, for which periods, in which steps."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from averment.agents.analyst.parts.nouns import Between, Grain
from averment.language.periods import PeriodMatch, find_grains, find_periods
from averment.language.periods.words import MONTH, month_number
from averment.language.tokens import split_words

if TYPE_CHECKING:
    from averment.agents.analyst.parts.draft import Draft
    from averment.tables.profile import TableProfile

GRAINS: tuple[Grain, ...] = ("day", "week", "month", "quarter", "year")
OF_TIME = frozenset("date time day timestamp datetime at on created updated month year when".split())
"""Words of a date's name that only say that it is one."""

_BEGINS = frozenset(
    word.stem for word in split_words("created opened started begun placed submitted received reported booked entered")
)
_GOES_ON = frozenset(
    word.stem
    for word in split_words(
        "closed ended resolved updated modified shipped delivered finished completed paid due expired deleted returned"
    )
)
_UNITS = r"day|week|month|quarter|year"
_BARE = re.compile(
    rf"(?:\b(?:by|per|each|every|and|over|across|which|what|best|worst|,)\s+(?:the\s+)?|,\s*)(?P<unit>{_UNITS})s?\b"
    r"(?!\s+of\b)"
)
_NO_YEAR = "year_missing"
_FISCAL = re.compile(r"\b(?:fiscal|financial)\b|\bfy ?\d")
_FISCAL_START = re.compile(
    rf"[,(]?\s*\b(?:(?:that |which |it |and )?(?:start|begin)(?:s|ing|ning)?(?: (?:in|on|with))?|from)\s+(?:the )?"
    rf"(?:1(?:st)? )?(?:of )?(?P<m>{MONTH})(?: 1(?:st)?\b)?\)?(?!\s+\d{{4}})"
)
_FISCAL_SPAN = re.compile(rf"\(?\b(?P<m>{MONTH})\s*(?:to|through|-|–)\s*{MONTH}\)?(?!\s+\d{{4}})")


@dataclass
class Times:
    """When: the column, the periods named in order, and the step the answer goes in."""

    column: str | None = None
    periods: list[PeriodMatch] = field(default_factory=list[PeriodMatch])
    grain: Grain | None = None
    changing: Grain | None = None
    """The step of a phrase such as "year over year"."""
    fiscal: int | None = None
    """The month in which fiscal years begin, where the question says it."""
    grain_places: set[int] = field(default_factory=set[int])
    """Where the question names the step."""

    @property
    def period(self) -> Between | None:
        """The first named period as a condition; None where none is named."""
        return self.between(self.periods[0]) if self.periods else None

    def between(self, match: PeriodMatch) -> Between:
        """A named period as a condition on the column that says when."""
        return Between(column=self.column or "", start=match.start, end=match.end, words=match.text)


def read_times(draft: Draft) -> Times:
    """The periods and steps of a question; what cannot be placed in time stays unread."""
    times = Times(column=_column(draft))
    if times.column is None:
        return times
    for found in find_grains(draft.text):
        places = draft.places(found.span)
        grain = grain_named(found.grain)
        if grain is None or found.kind == "part" or not draft.free(places):
            continue
        if found.kind == "change":
            times.changing = grain
        else:
            times.grain = times.grain or grain
            times.grain_places.update(places)
        draft.used.update(places)
    for found in _BARE.finditer(draft.folded):
        places = draft.places(found.span("unit"))
        grain = grain_named(found["unit"])
        if draft.free(places) and times.grain in {None, grain}:
            times.grain = grain
            times.grain_places.update(places)
            draft.used.update(places)
    times.periods = _periods(draft, times)
    return times


def grain_named(said: str) -> Grain | None:
    """The grain of that name."""
    grain: Grain
    for grain in GRAINS:
        if grain == said:
            return grain
    return None


def _fiscal_start(draft: Draft) -> re.Match[str] | None:
    """Where the question says in which month fiscal years begin; its words count as understood."""
    if not _FISCAL.search(draft.folded):
        return None
    return draft.take(_FISCAL_START) or draft.take(_FISCAL_SPAN)


def _column(draft: Draft) -> str | None:
    """The one column that says when; of several the one the question names, or that of the rows' own event."""
    columns = [column.name for column in draft.timestamps]
    if len(columns) < 2:
        return columns[0] if columns else None
    named = [
        name for name in columns if re.search(rf"\b{re.escape(name.replace('_', ' ').casefold())}\b", draft.folded)
    ]
    named += [name for name in columns if name.casefold() in draft.folded and name not in named]
    if named:
        return named[0] if len(named) == 1 else None
    said = {token.stem for token in draft.tokens}
    own = {word.stem for word in split_words(draft.profile.table)}
    return date_of(draft, said) or date_of(draft, own) or beginning(draft.profile)


def date_of(draft: Draft, stems: set[str]) -> str | None:
    """The one date that is called after some of these words: that of sessions is session_date."""
    fitting = [column.name for column in draft.timestamps if event_words(column.name) & stems]
    return fitting[0] if len(fitting) == 1 else None


def beginning(profile: TableProfile) -> str | None:
    """The one date that says when a row began, where every other says how it went on: created_at beside closed_at."""
    stems = {
        column.name: {word.stem for word in split_words(column.name)}
        for column in profile.columns
        if column.inferred_type == "timestamp"
    }
    first = [name for name, words in stems.items() if words & _BEGINS]
    return first[0] if len(first) == 1 and all(words & (_BEGINS | _GOES_ON) for words in stems.values()) else None


def is_other_event(profile: TableProfile, name: str, said: set[str]) -> bool:
    """Whether a date says when something else than the rows happened, and the rows are not named: signups of sessions.

    Rows counted by such a date would not be what was asked for.
    """
    own = {word.stem for word in split_words(profile.table)}
    others = [c.name for c in profile.columns if c.inferred_type == "timestamp" and c.name != name]
    elsewhere = any(event_words(other) & own for other in others)
    return elsewhere and not event_words(name) & own and not own & said


def event_words(name: str) -> set[str]:
    """What a date's name says beside that it is one."""
    return {word.stem for word in split_words(name)} - OF_TIME


def _periods(draft: Draft, times: Times) -> list[PeriodMatch]:
    kept: list[PeriodMatch] = []
    text, said = draft.text, _fiscal_start(draft)
    start = times.fiscal = None if said is None else month_number(said["m"])
    if said is not None:
        # "Starting in April" here is no period of its own.
        text = f"{text[: said.start()]}{' ' * (said.end() - said.start())}{text[said.end() :]}"
    for match in find_periods(text, anchor=draft.last_day, fiscal_start_month=start or 1):
        if start is None and _FISCAL.search(match.text.casefold()):
            draft.doubts.append(f"In which month does the year of “{match.text}” begin?")
        places = draft.places(match.span)
        if match.period is None or match.excluded or not draft.free(places):
            continue
        if match.context:
            draft.used.update(places)
            continue
        if match.ambiguity == _NO_YEAR and not _one_year(draft):
            draft.doubts.append(f"Which year do you mean with “{match.text}”?")
        elif match.ambiguity in {"vague", "day_or_month"}:
            draft.doubts.append(f"Which days do you mean with “{match.text}”?")
        draft.used.update(places)
        kept.append(match)
    if start is not None:
        draft.take(r"\b(?:where |with )?(?:the |our )?(?:fiscal|financial) years?\b")
    return kept


def _one_year(draft: Draft) -> bool:
    return all(str(column.minimum)[:4] == str(column.maximum)[:4] for column in draft.timestamps)
