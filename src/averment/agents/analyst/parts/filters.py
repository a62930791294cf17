"""Conditions in a question: values of columns it names, and amounts it compares columns with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from averment.agents.analyst.parts.nouns import Filter, Operator
from averment.agents.analyst.parts.words import PASSED, SPLITTERS
from averment.language.linking import Link, ValueIndex
from averment.language.numbers import find_comparisons
from averment.language.periods import find_periods

if TYPE_CHECKING:
    from averment.agents.analyst.parts.draft import Draft

_SURE = frozenset({"exact", "case", "stem", "alias"})
_NOT = frozenset("not except excluding exclude excludes without besides neither nor isnt arent never outside".split())
_OTHER_THAN = frozenset("other rather".split())
_WAY = frozenset("for in from at via through to by on with is are was were be it".split())
"""Words that may stand between a negation and the value it is about."""

_EQUATES = frozenset("is are was were be equals equal to being the in".split())
_OF_NOT = frozenset("isn aren wasn weren t other than".split())
_JOINS = frozenset("and or nor".split())
_OPERATORS: dict[str, Operator] = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_NEAR = frozenset("is are was were be of with where whose that having has have had".split())


@dataclass(frozen=True)
class ValueSaid:
    """A value of a column that the question names, and where."""

    column: str
    value: str
    words: str
    first: int
    last: int
    negated: bool = False


def read_values(draft: Draft) -> list[ValueSaid]:
    """The values that are named; one that stands in two columns is a doubt."""
    index = ValueIndex(
        (column.name, str(value))
        for column in draft.profile.columns
        if column.inferred_type != "measure"
        for value, _ in column.values or ()
    )
    names = {column.name.casefold() for column in draft.profile.columns}
    found: list[ValueSaid] = []
    matches = index.find(draft.text, fuzzy=False)
    for match in sorted(matches, key=lambda one: (-one.score, one.span)):
        places = draft.places(match.span)
        if match.how not in _SURE or not places or not draft.free(places) or _is_split_by(draft, places[0]):
            continue
        if draft.text[slice(*match.span)].casefold() in names or all(draft.normal(p).isdigit() for p in places):
            continue  # a column of that very name comes first, and a bare number names no value
        words = draft.text[slice(*match.span)]
        rivals = {
            one.column for one in index.find(draft.text, fuzzy=False) if one.span == match.span and one.how in _SURE
        }
        if len(rivals) > 1:
            draft.doubts.append(f"Does “{words}” mean a value of {' or of '.join(sorted(rivals))}?")
        denied = _denied(draft, places[0] - 1)
        draft.used.update([*places, *denied])
        found.append(ValueSaid(match.column, match.value, words, places[0], places[-1], bool(denied)))
    for each in found:
        _take_name(draft, each)
    return _spread(draft, sorted(found, key=lambda each: each.first))


def _denied(draft: Draft, before: int) -> list[int]:
    """The places of the words right before a value that deny it."""
    while draft.normal(before) in PASSED or draft.normal(before) in _WAY:
        before -= 1
    if draft.normal(before) in _NOT:
        return [before]
    if draft.normal(before) == "t" and draft.normal(before - 1) in {"isn", "aren", "wasn", "weren", "don", "doesn"}:
        return [before - 1, before]
    if draft.normal(before) == "than" and draft.normal(before - 1) in _OTHER_THAN:
        return [before - 1, before]
    return []


def _spread(draft: Draft, found: list[ValueSaid]) -> list[ValueSaid]:
    """What is denied of the first of a list is denied of all of it: "excluding Texas and Utah"."""
    spread: list[ValueSaid] = []
    for each in found:
        last = spread[-1] if spread else None
        if last is not None and last.negated and not each.negated and last.column == each.column:
            between = [draft.normal(place) for place in range(last.last + 1, each.first)]
            each = replace(each, negated=set(between) <= _JOINS | PASSED)  # the same value, denied
        spread.append(each)
    return spread


def _is_split_by(draft: Draft, place: int) -> bool:
    return draft.normal(place - 1) in SPLITTERS


def _take_name(draft: Draft, said: ValueSaid) -> None:
    """A column's own name beside its value ("the West region") says nothing more."""
    words = set(said.column.casefold().replace("_", " ").split())
    draft.used.update(place for place in (said.first - 1, said.last + 1) if draft.normal(place) in words)
    # "Where the state is not Texas": the name stands before the word that equates it with the value.
    before = said.first - 1
    while draft.normal(before) in _EQUATES or draft.normal(before) in _NOT or draft.normal(before) in _OF_NOT:
        before -= 1
    if before < said.first - 1 and draft.normal(before) in words:
        draft.used.update(range(before, said.first))


def read_comparisons(draft: Draft, links: Sequence[Link]) -> list[Filter]:
    """Amounts that columns are compared with; a comparison without a column beside it stays unread."""
    skip = [match.span for match in find_periods(draft.text, anchor=draft.last_day)]
    found: list[Filter] = []
    for one in find_comparisons(draft.text, skip=skip):
        places = draft.places(one.span)
        if not places or not draft.free(places) or one.op == "outside" or one.quality is not None:
            continue
        link = next((link for link in links if _is_beside(draft, link, places)), None)
        if link is None or draft.column(link.target).inferred_type not in {"measure", "dimension"}:
            continue
        if draft.column(link.target).data_type not in {"integer", "float"}:
            continue
        words = f"{link.target} {one.text}"
        if one.op == "between":
            pairs: list[tuple[Operator, object]] = [(">=", one.low), ("<=", one.high)]
        else:
            pairs = [(_OPERATORS[one.op], one.low if one.low is not None else one.high)]
        found += [Filter(column=link.target, operator=op, value=_plain(v), words=words) for op, v in pairs]
        draft.used.update([*places, *link.words])
    return found


def _plain(value: object) -> int | float:
    number = float(str(value))
    return int(number) if number.is_integer() else number


def _is_beside(draft: Draft, link: Link, places: list[int]) -> bool:
    """Whether a column's name ends right before a comparison, little words aside."""
    at = places[0] - 1
    while draft.normal(at) in _NEAR:
        at -= 1
    return draft.free(link.words) and link.words[-1] == at
