"""Understanding questions about cohorts: retention, and how many are new, active or come back."""

from __future__ import annotations

import re

from averment.agents.analyst.cohorts.reading import CohortsReading, Kind
from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.events import member_columns, take_event_words, when_column, which_date
from averment.agents.analyst.parts.filters import read_values
from averment.agents.analyst.parts.gather import Parts
from averment.agents.analyst.parts.nouns import Grain
from averment.agents.analyst.parts.times import grain_named, read_times
from averment.language.tokens import split_words

_RETENTION = (
    r"\b(?:retention|cohorts?)(?: (?:retention|analysis|analyses|tables?|rates?|curves?|charts?|matrix|"
    r"report|heat ?map|"
    r"groups?))*\b|\bretained\b"
)
_GRAIN = r"\b(?:(?P<unit>week|month|quarter|year)(?:ly|s)?|(?P<annual>annual(?:ly)?)|(?P<daily>daily))\b"
_FIRST = r"\b(?:first|initial|earliest)(?:[- ]ever)?\b"
_KINDS: tuple[tuple[Kind, str], ...] = (
    ("new", r"\b(?:brand[- ])?new\b|\bfirst[- ]time\b|\bnewly acquired\b|\bacquired\b"),
    ("returning", r"\breturning\b|\brepeat(?:ing)?\b|\bexisting\b"),
    ("active", r"\bactive\b|\bunique active\b"),
)
_PER = re.compile(
    r"\b(?:by|per|each|every|over)\s+(?:the\s+)?(?:day|week|month|quarter|year)s?\b|\b(?:dai|week|month|quarter|year)ly\b"
    r"|\bannual(?:ly)?\b|\bover time\b"
)
_COUNT = r"\bhow many\b|\b(?:the )?(?:number|count) of\b|\bcounts?\b|\bunique\b|\bdistinct\b|\bdifferent\b"
_OTHERS = re.compile(
    r"\b(?:churn\w*|average|mean|median|revenue per|share|percent\w*|correlat\w*|compare[ds]?|versus|vs|lost|growth|"
    r"predict\w*|cumulative|running|moving|rolling|excluding|except|not|without|never|more than|at least)\b|%"
)


def read_cohorts(draft: Draft) -> CohortsReading | Unclear | None:
    """The cohorts a question asks about; None when it asks about none."""
    retention = draft.says(_RETENTION)
    if _OTHERS.search(draft.folded):
        return (
            Unclear("Retention is told as the members of each cohort that come back. Do you mean: retention by month?")
            if retention and not draft.says(r"churn")
            else None
        )
    if retention:
        return _retention(draft)
    return _members(draft) if _PER.search(draft.folded) else None


def _retention(draft: Draft) -> CohortsReading | Unclear | None:
    while draft.take(_RETENTION):
        pass
    if any(column.inferred_type != "timestamp" and "retention" in column.name for column in draft.profile.columns):
        return None
    named = _dates_named(draft)
    first = draft.take(_FIRST) is not None
    grain = _grain(draft) or "month"
    member = _member(draft)
    draft.take(_COUNT)
    said = take_event_words(draft)
    dates = [column.name for column in draft.timestamps]
    if not dates:
        return None
    start: str | None = None
    if first or len(dates) == 1:
        when = when_column(draft, said)
    elif len(named) == 1:
        start = named[0]
        others = [name for name in dates if name != start]
        when = others[0] if len(others) == 1 else when_column(draft, {w.stem for w in split_words(draft.profile.table)})
    else:
        return Unclear(f"Which date says when a member begins: {', '.join(dates)}, or the first of them?")
    if when is None or when == start:
        return Unclear(which_date(draft))
    return _made(draft, "retention", member, when, grain, start)


def _members(draft: Draft) -> CohortsReading | Unclear | None:
    kinds: list[Kind] = [kind for kind, pattern in _KINDS if re.search(pattern, draft.folded)]
    if not kinds or not draft.timestamps:
        return None
    member = _member(draft, said=True)
    if member is None:
        return None
    for _, pattern in _KINDS:
        draft.take(pattern)
    # New and returning ones side by side are all that are active.
    kind: Kind = kinds[0] if len(kinds) == 1 else "active"
    grain = _grain(draft)
    draft.take(_COUNT)
    draft.take(_COUNT)
    said = take_event_words(draft)
    when = when_column(draft, said)
    if when is None:
        return Unclear(which_date(draft))
    return _made(draft, kind, member, when, grain or "month", None)


def _made(
    draft: Draft, kind: Kind, member: str | Unclear | None, when: str, grain: Grain, start: str | None
) -> CohortsReading | Unclear:
    if isinstance(member, Unclear):
        return member
    if member is None:
        names = ", ".join(column.name for column in draft.profile.columns if column.inferred_type != "measure")
        return Unclear(f"Whose coming and going? Please name one of: {names}.")
    times = read_times(draft)
    parts = Parts(times=times, values=read_values(draft))
    if len(times.periods) > 1 or any(each.negated for each in parts.values):
        return Unclear("For which one period? The question names several.")
    period = times.between(times.periods[0]).model_copy(update={"column": when}) if times.periods else None
    return CohortsReading(
        kind=kind,
        table=draft.profile.table,
        member=member,
        when=when,
        grain=grain,
        start=start,
        filters=parts.filters,
        period=period,
    )


def _member(draft: Draft, *, said: bool = False) -> str | Unclear | None:
    """Whose cohorts: the column that is named, else the only one that names customers, users or the like."""
    named: list[str] = []
    for link in draft.links():
        column = draft.column(link.target)
        if column.cardinality < draft.profile.row_count and link.target in member_columns(draft):
            named.append(link.target)
            draft.used.update(link.words)
    draft.doubts.clear()
    found = list(dict.fromkeys(named)) or ([] if said else member_columns(draft))
    keys = [name for name in found if draft.column(name).inferred_type == "id"]
    if len(found) > 1 and len(keys) != 1:
        return Unclear(f"Whose coming and going: {' or '.join(found)}?")
    return (keys or found)[0] if found else None


def _dates_named(draft: Draft) -> list[str]:
    """The dates that are named by their own words: "signup" for signup_date."""
    found: list[str] = []
    for column in draft.timestamps:
        own = {word.stem for word in split_words(column.name)} - {"date", "time", "day", "at", "on", "month"}
        places = [place for place, token in enumerate(draft.tokens) if token.stem in own and place not in draft.used]
        joined = "".join(sorted(own)) if len(own) == 2 else ""
        places += [place for place, token in enumerate(draft.tokens) if joined and token.stem == joined]
        if own and places:
            found.append(column.name)
            draft.used.update(places)
    return found


def _grain(draft: Draft) -> Grain | None:
    grain: Grain | None = None
    while (found := draft.take(_GRAIN)) is not None:
        here = "year" if found["annual"] else "day" if found["daily"] else found["unit"]
        grain = grain or grain_named(here)
    if grain is None and draft.take(r"\b(?:by|per|each|every) days?\b"):
        return "day"
    draft.take(r"\bover time\b")
    return grain
