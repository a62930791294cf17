"""Gathering: the measures, splits, filters and periods of a question, each from its own words.

What asks for an operation is taken out by the skill before; what is left over here is unread and never ignored.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from averment.agents.analyst.parts.filters import ValueSaid, read_comparisons, read_values
from averment.agents.analyst.parts.nouns import Aggregate, Dimension, Filter, Measure
from averment.agents.analyst.parts.times import Times, read_times
from averment.agents.analyst.parts.words import (
    AGGREGATES,
    AMOUNT_WORDS,
    INTENSIVE,
    MONEY,
    PASSED,
    QUANTITIES,
    ROW_NOUNS,
    SPLITTERS,
    UNIT_WORDS,
)
from averment.language.tokens import split_words

if TYPE_CHECKING:
    from averment.agents.analyst.parts.arithmetic import Named
    from averment.agents.analyst.parts.draft import Draft
    from averment.tables.profile import ColumnProfile


@dataclass
class Parts:
    """What a question speaks of, in the order of its words."""

    times: Times
    columns: list[str] = field(default_factory=list[str])
    """Measures that are named."""
    splits: list[Dimension] = field(default_factory=list[Dimension])
    """Dimensions that a splitting word stands before."""
    split_places: list[int] = field(default_factory=list[int])
    loose: list[str] = field(default_factory=list[str])
    """Dimensions that are named otherwise."""
    keys: list[str] = field(default_factory=list[str])
    """Keys that are named otherwise and stand in several rows each: a user of whom there are many sessions."""
    values: list[ValueSaid] = field(default_factory=list[ValueSaid])
    compared: list[Filter] = field(default_factory=list[Filter])
    aggregate: Aggregate | None = None
    counted: bool = False

    @property
    def filters(self) -> tuple[Filter, ...]:
        """All conditions on rows; values of one column are alternatives."""
        return (*_together(self.values), *self.compared)


def gather(draft: Draft, *, opened: Iterable[int] = ()) -> Parts:
    """The parts of a question over one table; after the words at ``opened`` a list of splits goes on."""
    parts = Parts(times=read_times(draft))
    parts.counted = _takes_count(draft)
    parts.values = read_values(draft)
    parts.aggregate = _aggregate(draft)
    links = draft.links()
    before_split = {*parts.times.grain_places, *opened}
    parts.compared = read_comparisons(draft, links)
    for link in links:
        if not draft.free(link.words):
            continue
        column = draft.column(link.target)
        draft.used.update(link.words)
        split = _is_split(draft, link.words[0], before_split)
        if split:
            before_split.add(link.words[-1])
        if column.inferred_type == "measure" and not (split and column.cardinality <= 12 and parts.columns):
            parts.columns.append(column.name)
        elif column.inferred_type == "timestamp":
            _dated(parts, column)
        elif split:
            parts.splits.append(Dimension(column=column.name))
            parts.split_places.append(link.words[0])
        elif column.inferred_type == "id":
            parts.counted = True
            if column.cardinality < draft.profile.row_count:
                parts.keys.append(column.name)
        else:
            parts.loose.append(column.name)
    if parts.times.grain is not None and parts.times.column is not None:
        parts.splits.append(Dimension(column=parts.times.column, grain=parts.times.grain))
    _plain_words(draft, parts)
    return parts


def measure_of(draft: Draft, parts: Parts) -> Measure | None:
    """The one measure asked about; None when none or several are."""
    columns = list(dict.fromkeys(parts.columns))
    if len(columns) == 1:
        if parts.counted and parts.aggregate is None:
            return None
        return Measure(aggregate=parts.aggregate or usual_aggregate(draft.column(columns[0])), column=columns[0])
    if not columns and (parts.counted or _speaks_of_rows(draft)) and parts.aggregate in {None, "sum"}:
        return counted_keys(parts) or Measure(aggregate="count")
    return None


def counted_keys(parts: Parts) -> Measure | None:
    """Users are counted by their key where a table has many rows of each; None where rows are what is counted."""
    keys = list(dict.fromkeys(parts.keys))
    return Measure(aggregate="count_distinct", column=keys[0]) if len(keys) == 1 else None


def measure_named(draft: Draft, parts: Parts, named: Named | None) -> Measure | None:
    """The one measure asked about, which may be a formula; None when none or several are."""
    if named is None:
        return measure_of(draft, parts)
    return None if parts.columns or parts.counted else formula_measure(draft, parts, named)


def formula_measure(draft: Draft, parts: Parts, named: Named) -> Measure:
    """What is computed of a formula: one that divides is of the totals, of others the parts are added up.

    What does not add up, such as prices, is averaged; "average" before a formula is of its rows.
    """
    formula, said = named.formula, parts.aggregate
    if formula.is_ratio and said in {None, "sum"}:
        return Measure(aggregate="sum", formula=formula, name=named.name, of_totals=True)
    usual = {usual_aggregate(draft.column(name)) for name in formula.columns}
    default: Aggregate = "avg" if usual == {"avg"} else "sum"
    return Measure(aggregate=said or default, formula=formula, name=named.name)


def usual_aggregate(column: ColumnProfile) -> Aggregate:
    """How the values of parts are put together where no word says it: prices and the like are averaged."""
    return "avg" if {word.stem for word in split_words(column.name)} & INTENSIVE else "sum"


def which_measure(draft: Draft, parts: Parts | None = None) -> str:
    """What to ask where the measure is not clear."""
    names = [column.name for column in draft.measures]
    if parts is not None and len(set(parts.columns)) > 1:
        return f"Which one do you mean: {', '.join(dict.fromkeys(parts.columns))}?"
    if not names:
        return f"The table {draft.profile.table} has no number to compute with. What shall I count?"
    return f"Which number do you mean? {draft.profile.table} has: {', '.join(names)}."


def unknown_words(draft: Draft, unread: tuple[str, ...]) -> str:
    """What to ask where words found no place."""
    names = ", ".join(column.name for column in draft.profile.columns)
    said = ", ".join(f"“{word}”" for word in unread)
    return f"I do not know what {said} means here. Please say it with these columns: {names}."


def _together(values: list[ValueSaid]) -> list[Filter]:
    found: dict[tuple[str, bool], Filter] = {}
    for each in values:
        key = (each.column, each.negated)
        known = found.get(key)
        if known is None:
            operator = "<>" if each.negated else "="
            found[key] = Filter(column=each.column, operator=operator, value=each.value, words=each.words)
        elif each.value != known.value and each.value not in known.others:
            found[key] = known.model_copy(update={"others": (*known.others, each.value)})
    return [*found.values()]


def _takes_count(draft: Draft) -> bool:
    found = draft.take(r"\bhow many\b|\b(?:the )?(?:number|count) of\b|\bcounts?\b|\bhead ?count\b")
    if found is None:
        return False
    # What is counted by the name of the table or of its rows is rows, whatever column the word might mean else.
    after = [place for place, token in enumerate(draft.tokens) if token.start >= found.end()][:2]
    while after and draft.normal(after[0]) in PASSED:
        after.pop(0)
    if after and draft.free(after[:1]) and draft.tokens[after[0]].stem in _row_words(draft) | _table_words(draft):
        draft.used.add(after[0])
    return True


def _aggregate(draft: Draft) -> Aggregate | None:
    kinds: list[Aggregate] = []
    for place, token in enumerate(draft.tokens):
        if place not in draft.used and token.normal in AGGREGATES:
            if not kinds or kinds[0] == AGGREGATES[token.normal]:
                draft.used.add(place)
            kinds.append(AGGREGATES[token.normal])
    return kinds[0] if kinds else None


def _is_split(draft: Draft, place: int, before: set[int]) -> bool:
    """Whether a splitting word stands before a place, or a list that one opened goes on there."""
    at = place - 1
    while at >= 0 and (draft.normal(at) in PASSED and draft.normal(at) not in SPLITTERS):
        at -= 1
    if draft.normal(at) in SPLITTERS:
        return True
    if draft.normal(at) == "and":
        at -= 1
    return at in before


def _dated(parts: Parts, column: ColumnProfile) -> None:
    """A date column that is named says when, and more only where a grain is asked for."""
    if parts.times.column in {None, column.name}:
        parts.times.column = column.name


def _plain_words(draft: Draft, parts: Parts) -> None:
    """Everyday words for the table's one amount, its one quantity and its rows."""
    for place, token in enumerate(draft.tokens):
        if place in draft.used:
            continue
        if token.stem in AMOUNT_WORDS:
            named = _named(draft, MONEY)
            if not parts.columns and not parts.counted and len(named) == 1:
                parts.columns.append(named[0])
                draft.used.add(place)
        elif token.stem in UNIT_WORDS:
            named = _named(draft, QUANTITIES)
            if not parts.columns and len(named) == 1:
                parts.columns.append(named[0])
                draft.used.add(place)
        if place not in draft.used and token.stem in _row_words(draft) and not parts.columns:
            parts.counted = True
            draft.used.add(place)
        elif place not in draft.used and token.stem in ROW_NOUNS:
            draft.used.add(place)
    draft.used.update(place for place, token in enumerate(draft.tokens) if token.normal == "sold" and parts.columns)


def _named(draft: Draft, words: frozenset[str]) -> list[str]:
    return [c.name for c in draft.measures if {word.stem for word in split_words(c.name)} & words]


def _row_words(draft: Draft) -> set[str]:
    """What one row is called: by the name of its key, or plainly a row."""
    found: set[str] = set(ROW_NOUNS)
    for column in draft.profile.columns:
        words = [word.stem for word in split_words(column.name)]
        if column.inferred_type == "id" and len(words) == 2 and column.cardinality == draft.profile.row_count:
            found.add(words[0])
    return found


def _table_words(draft: Draft) -> set[str]:
    return {word.stem for word in split_words(draft.profile.table)}


def is_one_row(draft: Draft, place: int, *, plural: bool = False) -> bool:
    """Whether a word calls a row by the name of its key or of its table: "per sale", and not "sales" unless asked."""
    token = draft.tokens[place]
    return token.stem in _row_words(draft) | _table_words(draft) and (plural or not token.normal.endswith("s"))


def is_row_word(draft: Draft, name: str) -> bool:
    """Whether a column is named like one row of the table, so that its values and the rows are the same."""
    words = {word.stem for word in split_words(name)}
    return (
        bool(words & (_row_words(draft) | _table_words(draft)))
        or draft.column(name).cardinality == draft.profile.row_count
    )


def _speaks_of_rows(draft: Draft) -> bool:
    return any(token.stem in _row_words(draft) for token in draft.tokens)
