"""Ratios: "the ratio of A to B for each C", each side counted or summed under its own conditions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.agents.analyst.query.draft import Draft, Measure, Split
from averment.agents.analyst.query.mentions import Marked, mark
from averment.agents.analyst.query.vocabulary import Place, Vocabulary
from averment.tables.relate import join_path
from averment.tables.select_spec import ROWS, Condition, Output, Select, Term, aggregate, column

if TYPE_CHECKING:
    from collections.abc import Callable

    from averment.agents.analyst.query.roles import RoleReader

_SPLIT = re.compile(
    r",?\s*(?:vary\s+|varies\s+)?\b(?:for|within|in|across|by|per|of)\s+"
    r"(?:each|every|all|the different|different)\s+(?P<by>.+)$"
    r"|\bvary\s+(?:across|by)\s+(?P<also>.+)$",
    re.IGNORECASE,
)
_RATIO = re.compile(r"\b(?P<share>percentage\s+)?ratio\s+of\s+(?:the\s+)?(?P<rest>.+)$", re.IGNORECASE)
_TO = re.compile(r"\s+to\s+(?:the\s+)?")
_PER = re.compile(r"\s+per\s+")
_WHOLE = re.compile(r"\s+in the (?:whole )?(?:database|data|table)\b", re.IGNORECASE)
_ORDERED = re.compile(r",?\s*\b(?:ordered|sorted|order|sort)\b.*$", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """The two sides of a ratio and what it is split by, in words."""

    top: str
    bottom: str
    by: str
    percent: bool


def find_ratio(text: str) -> Asked | None:
    """The ratio a question asks for."""
    sentences = re.split(r"(?<=[?.!])\s+", text)
    for sentence in sentences:
        found = _RATIO.search(sentence.strip(" ?.!"))
        if found is None:
            continue
        words = _WHOLE.sub("", _ORDERED.sub("", found["rest"]))
        split = _SPLIT.search(words)
        by = ""
        if split is not None:
            by = (split["by"] or split["also"] or "").strip()
            words = words[: split.start()]
        parts = _TO.split(words, maxsplit=1)
        if len(parts) < 2:
            parts = _PER.split(words, maxsplit=1)
        if len(parts) < 2:
            return None
        return Asked(parts[0].strip(), parts[1].strip(), by, bool(found["share"]))
    return None


@dataclass(frozen=True)
class _Side:
    """One side: what is counted or summed, and the rows it takes."""

    function: str
    table: str
    place: Place | None
    conditions: tuple[Condition, ...]


def read_ratio(asked: Asked, vocabulary: Vocabulary, reader: Callable[[Marked], RoleReader]) -> Draft | None:
    """The ratio as a draft; None when a side cannot be read."""
    splits = _splits(asked.by, vocabulary, reader) if asked.by else []
    if asked.by and not splits:
        return None
    top, bottom = _side(asked.top, vocabulary, reader), _side(asked.bottom, vocabulary, reader)
    if top is None or bottom is None:
        return None
    tested = {_columns(each) for each in top.conditions}
    shared = tuple(each for each in bottom.conditions if _columns(each) not in tested and top.conditions)
    own = tuple(each for each in bottom.conditions if each not in shared)
    tables = list(dict.fromkeys([top.table, bottom.table, *(s.table for s in splits)]))
    apart = top.table != bottom.table and not splits
    plain = [_is_single(side, splits, vocabulary) for side in (top, bottom)]
    if all(plain):
        upper, lower = (column(s.place.table, s.place.column) for s in (top, bottom) if s.place is not None)
    else:
        several = len(tables) > 1
        upper = _amount(top, top.conditions, vocabulary, apart=apart, several=several)
        lower = _amount(bottom, own, vocabulary, apart=apart, several=several)
    term = Term(kind="arithmetic", operation="/", arguments=(upper, lower))
    if asked.percent:
        hundred = Term(kind="constant", value=100)
        term = Term(kind="arithmetic", operation="*", arguments=(term, hundred))
    draft = Draft()
    draft.conditions = list(shared)
    needed = (splits[0].table,) if all(plain) and splits else (top.table,) if apart else tuple(tables)
    made = Measure("avg", term=term, tables=needed, name="ratio", plain=all(plain))
    draft.measures = [made]
    if apart:
        # Two amounts that stand for themselves have one ratio, however many rows there are.
        draft.limit = 1
    if all(plain):
        draft.outputs = [
            Place(s.table, name) for s in splits for name in ([s.column] if s.column else vocabulary.label(s.table))
        ]
    else:
        draft.splits = splits
    for name in tables:
        draft.see(name)
    return draft if len(tables) == 1 or apart or join_path(vocabulary.relations, tables) is not None else None


def _is_single(side: _Side, splits: list[Split], vocabulary: Vocabulary) -> bool:
    """Whether a side is a column of the very rows the ratio is split by, so that nothing is summed."""
    if side.place is None or side.conditions or len(splits) != 1 or splits[0].table != side.place.table:
        return False
    key = splits[0].column
    return key is None or key == vocabulary.keys.get(side.place.table) or key in vocabulary.label(side.place.table)


def _columns(condition: Condition) -> tuple[str | None, str | None]:
    first = condition.any_of[0] if condition.any_of else condition
    return (first.term.table, first.term.column) if first.term is not None else (None, None)


def _amount(
    side: _Side, conditions: tuple[Condition, ...], vocabulary: Vocabulary, *, apart: bool, several: bool
) -> Term:
    key = vocabulary.keys.get(side.table)
    if side.place is not None and side.function != "count":
        term = aggregate("sum", column(side.place.table, side.place.column))
    elif several and not apart and key is not None:
        term = aggregate("count", column(side.table, key), distinct=True)
    else:
        term = ROWS
    if apart:
        query = Select(table=side.table, outputs=(Output(term=term, alias="amount"),), conditions=conditions)
        return Term(kind="scalar", query=query)
    return term.model_copy(update={"conditions": conditions})


def _side(words: str, vocabulary: Vocabulary, reader: Callable[[Marked], RoleReader]) -> _Side | None:
    draft = reader(mark(words, vocabulary)).read()
    if draft.counted or draft.absent or draft.both or draft.splits:
        return None
    numbers = [p for p in draft.outputs if vocabulary.column(p).inferred_type == "measure"]
    conditions = tuple(draft.conditions)
    measures = [m for m in draft.measures if m.function in {"count", "sum"}]
    if measures:
        one = measures[0]
        if one.place is not None and one.function == "sum":
            return _Side("sum", one.place.table, one.place, conditions)
        table = one.table or (one.place.table if one.place else None)
        return None if table is None else _Side("count", table, None, conditions)
    if numbers:
        return _Side("sum", numbers[0].table, numbers[0], conditions)
    tables = [*draft.present, *draft.tables]
    if tables and not draft.sorting:
        return _Side("count", tables[0], None, conditions)
    return None


def _splits(words: str, vocabulary: Vocabulary, reader: Callable[[Marked], RoleReader]) -> list[Split]:
    draft = reader(mark(f"for each {words}", vocabulary)).read()
    if draft.splits:
        return draft.splits
    return [Split(place.table, place.column) for place in draft.outputs] or [Split(name) for name in draft.present]
