"""Understanding questions about one end of each group: the last order of each customer, the best product per state."""

from __future__ import annotations

import re

from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.agents.analyst.parts.events import take_event_words, when_column, which_date
from averment.agents.analyst.parts.gather import (
    Parts,
    gather,
    is_one_row,
    measure_of,
    usual_aggregate,
    which_measure,
)
from averment.agents.analyst.parts.nouns import Measure
from averment.agents.analyst.picks.reading import PicksReading
from averment.language.tokens import split_words

_N = r"\d{1,3}|two|three|four|five|ten"
_UNITS = r"(?:days?|weeks?|months?|quarters?|years?|hours?|minutes?|decades?)"
_NOT_NAMED = (
    rf"(?! (?:names?|letters?|words?|half|digits?|characters?|place|time|initials?|{_UNITS}|(?:{_N}) {_UNITS})\b)"
)
_LATE = r"(?:most recent(?:ly)?|latest|newest|last|final|current)"
_EARLY = r"(?:first(?:[- ]ever)?|earliest|oldest|initial|very first)"
_OF_AGE = frozenset("age birth born birthday birthdate dob".split())
_TIMED = re.compile(
    rf"\b(?:the )?(?:(?P<n>{_N}) )?(?:(?P<late>{_LATE})|(?P<early>{_EARLY})){_NOT_NAMED}"
    rf"(?: (?P<m>{_N})(?! {_UNITS}))?(?: (?:known|recorded|available|reported|seen))?\b"
)
_HIGH = r"(?:highest|largest|biggest|greatest|most|top|best)"
_LOW = r"(?:lowest|smallest|least|bottom|worst|fewest)"
_RANKED = re.compile(
    rf"\b(?:with |has |have |had |having )?(?:the )?(?:(?P<n>{_N}) )?(?:(?P<high>{_HIGH})|(?P<low>{_LOW}))"
    rf"(?: (?P<m>{_N}))?(?P<often> (?:common|frequent(?:ly)?|popular|visited|used|viewed)(?: used| seen)?)?\b"
)
_WHEN = re.compile(rf"^when (?:was|were|did|is|has)\b.*\b(?:{_HIGH}|{_LOW})\b")
_TOP = re.compile(
    rf"^(?:please )?(?:show |list |give |find |who are |what are |which are )?(?:me )?(?:the )?"
    rf"(?:(?P<high>top|highest)|(?P<low>bottom|lowest)) (?P<n>{_N}) (?P<what>\w+)(?P<m>)(?= (?:by|"
    rf"with the (?:{_HIGH}|{_LOW})|"
    rf"in terms of)\b)"
)
_EACH = re.compile(r"\b(?:each|every|per|within)\b")
_EACH_TIMED = re.compile(r"\b(?:each|every|per|within|by)\b")
_ASKING = r"^(?:which|what|who)\b|\b(?:with|has|have|is|are|was)\b"
_OTHERS = re.compile(
    r"\b(?:how many|number of|count of|average|mean|median|total number|compare[ds]?|versus|vs|share|percent\w*|growth|"
    r"change[ds]?|difference|between|days? since|cumulative|running|moving|rolling|trend\w*|cohorts?|"
    r"retention|outliers?|"
    r"correlat\w*|new|order(?:ed)? by|sort(?:ed)?|than|since|until|more|both|never|without|not|distribution|histogram|"
    r"x-axis|y-axis|bar|pie|line chart|scatter)\b|%"
)
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}


def read_picks(draft: Draft) -> PicksReading | Unclear | None:
    """The end of each group a question asks for; None when it asks for none."""
    if _OTHERS.search(draft.folded):
        return None
    when = _WHEN.search(draft.folded)
    if when is not None:
        return _when(draft)
    listed = _TOP.search(draft.folded)
    if listed is not None and not _EACH.search(draft.folded):
        return _top_rows(draft)
    timed = _TIMED.search(draft.folded)
    if timed is not None and _EACH_TIMED.search(draft.folded):
        return _timed(draft)
    if _EACH.search(draft.folded) and _RANKED.search(draft.folded):
        return _ranked(draft)
    return None


def _timed(draft: Draft) -> PicksReading | Unclear | None:
    found = draft.take(_TIMED)
    if found is None:
        return None
    if re.search(r"\b(?:oldest|newest)\b", found.group()) and _has_age(draft):
        return Unclear(f"The {found.group().strip()} by age, or by date?")
    if _names_a_date(draft, found.end()):
        return _dated(draft, found)
    follows = draft.places((found.end(), found.end() + 40))[:1]
    said = _event_after(draft, follows)
    parts = gather(draft)
    said |= take_event_words(draft)
    if parts.aggregate is not None or not parts.splits:
        return None
    named = list(dict.fromkeys((*parts.loose, *parts.columns)))
    if not said and not named and not parts.counted:
        return None
    by = when_column(draft, said)
    if by is None:
        return Unclear(which_date(draft))
    if len(parts.times.periods) > 1:
        return Unclear("For which one period? The question names several.")
    return PicksReading(
        table=draft.profile.table,
        splits=tuple(parts.splits),
        word="latest" if found["late"] else "earliest",
        descending=bool(found["late"]),
        by=by,
        most=_number(found["n"] or found["m"]),
        shown=tuple(named) or tuple(column.name for column in draft.profile.columns),
        filters=parts.filters,
        period=parts.times.period,
    )


def _dated(draft: Draft, found: re.Match[str]) -> PicksReading | Unclear | None:
    """The first or last date itself of each group."""
    parts = gather(draft)
    said = take_event_words(draft)
    draft.take(r"\b(?:dates?|times?|timestamps?|days?)\b")
    if parts.columns or parts.loose or parts.aggregate is not None or not parts.splits or found["n"] or found["m"]:
        return None
    by = when_column(draft, said)
    if by is None or len(parts.times.periods) > 1:
        return Unclear(which_date(draft))
    return PicksReading(
        table=draft.profile.table,
        splits=tuple(parts.splits),
        word="latest" if found["late"] else "earliest",
        descending=bool(found["late"]),
        by=by,
        filters=parts.filters,
        period=parts.times.period,
        dated=True,
    )


def _when(draft: Draft) -> PicksReading | Unclear | None:
    """When a number was highest or lowest: the row with its date."""
    found = draft.take(_RANKED)
    draft.take(r"^when\b")
    if found is None or found["n"] or found["m"] or found["often"]:
        return None
    parts = gather(draft)
    take_event_words(draft)
    draft.take(r"\b(?:recorded|measured|observed|reached|ever|it)\b")
    columns = list(dict.fromkeys(parts.columns))
    if len(columns) != 1 or parts.splits or parts.loose or parts.aggregate is not None or len(parts.times.periods) > 1:
        return None
    if usual_aggregate(draft.column(columns[0])) == "sum":
        return Unclear(f"The row with the {found.group().strip()} {columns[0]}, or the day or month with its total?")
    if not draft.timestamps:
        return None
    names = [column.name for column in draft.profile.columns if column.name not in columns]
    when = [column.name for column in draft.timestamps]
    return PicksReading(
        table=draft.profile.table,
        splits=(),
        word="highest" if found["high"] else "lowest",
        descending=bool(found["high"]),
        by=columns[0],
        shown=(*when, *(name for name in names if name not in when)),
        filters=parts.filters,
        period=parts.times.period,
    )


def _top_rows(draft: Draft) -> PicksReading | None:
    """So many rows at one end of a number, where what is named is a row: "top 5 employees by salary"."""
    found = _TOP.search(draft.folded)
    if found is None:
        return None
    at = draft.places(found.span("what"))
    if len(at) != 1 or not (is_one_row(draft, at[0], plural=True) or _is_unique(draft, at[0])):
        return None
    draft.used.update(draft.places(found.span()))
    draft.take(_RANKED)
    parts = gather(draft)
    columns = list(dict.fromkeys(parts.columns))
    if len(columns) != 1 or parts.splits or parts.loose or parts.aggregate is not None or len(parts.times.periods) > 1:
        return None
    return PicksReading(
        table=draft.profile.table,
        splits=(),
        word="highest" if found["high"] else "lowest",
        descending=bool(found["high"]),
        by=columns[0],
        most=_number(found["n"] or found["m"]),
        shown=tuple(column.name for column in draft.profile.columns),
        filters=parts.filters,
        period=parts.times.period,
    )


def _is_unique(draft: Draft, place: int) -> bool:
    """Whether a word names a column whose every value stands in one row."""
    links = [link for link in draft.links() if link.words == (place,)]
    draft.doubts.clear()
    return any(draft.column(link.target).cardinality == draft.profile.row_count for link in links)


def _has_age(draft: Draft) -> bool:
    return any({word.stem for word in split_words(column.name)} & _OF_AGE for column in draft.profile.columns)


def _event_after(draft: Draft, places: list[int]) -> set[str]:
    """The event right behind "first" or "last", taken before a column might claim its word."""
    if not places:
        return set()
    free = set(range(len(draft.tokens))) - draft.used
    held = free - set(places)
    draft.used |= held
    said = take_event_words(draft)
    draft.used -= held
    return said


def _names_a_date(draft: Draft, start: int) -> bool:
    """Whether a date itself is asked for, whose least or greatest is no row."""
    rest = draft.folded[start : start + 40]
    return re.match(r"\s+(?:\w+ )?(?:\w+ )?(?:dates?|times?|timestamps?|days?)\b", rest) is not None


def _ranked(draft: Draft) -> PicksReading | Unclear | None:
    found = draft.take(_RANKED)
    if found is None:
        return None
    descending = bool(found["high"])
    draft.take(r"^(?:which|what|who)\b")
    # A row by its name is no column: "order" is neither order_id nor order_date.
    named = [place for place in range(len(draft.tokens)) if draft.free([place]) and is_one_row(draft, place)]
    draft.used.update(named)
    parts = gather(draft)
    parts.counted = parts.counted or bool(named)
    groups = [each for each in parts.splits if each.column not in parts.loose]
    if not groups or len(parts.times.periods) > 1:
        return None
    made = _entity(draft, parts, often=bool(found["often"]))
    if made is None or isinstance(made, Unclear):
        return made
    entity, measure, by = made
    return PicksReading(
        table=draft.profile.table,
        splits=tuple(groups),
        word=("most common" if descending else "least common")
        if found["often"]
        else ("highest" if descending else "lowest"),
        descending=descending,
        by=by,
        most=_number(found["n"] or found["m"]),
        shown=tuple(column.name for column in draft.profile.columns) if entity is None else (),
        entity=entity,
        measure=measure,
        filters=parts.filters,
        period=parts.times.period,
    )


def _entity(draft: Draft, parts: Parts, *, often: bool) -> tuple[str | None, Measure | None, str] | Unclear | None:
    """What is picked: values of a column by a measure, or rows by a number; nothing where it is only a number."""
    columns = list(dict.fromkeys(parts.columns))
    if len(parts.loose) == 1:
        if often:
            return None if columns else (parts.loose[0], Measure(aggregate="count"), "")
        measure = measure_of(draft, parts)
        if measure is None:
            return Unclear(f"By what shall they be ranked? {which_measure(draft, parts)}")
        if parts.aggregate is None and measure.column and usual_aggregate(draft.column(measure.column)) == "avg":
            return Unclear(f"By the average or by the highest {measure.column} of each {parts.loose[0]}?")
        return parts.loose[0], measure, ""
    if parts.loose or often or parts.aggregate is not None or not parts.counted:
        return None
    if not columns:
        # A row has no height of its own.
        return Unclear(f"By what shall they be ranked? {which_measure(draft, parts)}")
    return (None, None, columns[0]) if len(columns) == 1 else None


def _number(said: str | None) -> int:
    if said is None:
        return 1
    return _NUMBERS[said] if said in _NUMBERS else max(1, int(said))
