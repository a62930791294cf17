"""Certainty: whether every word of a question that asks for an operation found its operation in the reading."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.agents.analyst.parts.times import event_words
from averment.agents.analyst.query.words import AGGREGATES, FREQUENT, NEGATIONS, SPLITS, SUPERLATIVES
from averment.language.tokens import split_words

if TYPE_CHECKING:
    from averment.agents.analyst.query.draft import Draft
    from averment.agents.analyst.query.mentions import Marked
    from averment.tables.profile import TableProfile
    from averment.tables.select_spec import Condition, Select, Term


def loose_operations(marked: Marked, draft: Draft) -> list[str]:
    """What the question asks to be done and the draft does not do, in the question's words."""
    words = [token.normal for token in marked.tokens]
    held = {place for mention in marked.mentions if mention.kind in {"column", "table"} for place in mention.words}
    loose = [
        m.text
        for m in marked.mentions
        if m.kind in {"value", "comparison", "number", "text"} and not set(m.words) <= draft.used
    ]
    free = [(place, word) for place, word in enumerate(words) if place not in held]
    extreme = bool(draft.sorting) or any(m.function in {"min", "max"} for m in draft.measures)
    if not extreme:
        loose += [w for p, w in free if (w in SUPERLATIVES or w in FREQUENT) and (p == 0 or words[p - 1] != "at")]
    if not draft.measures and not draft.counted and not any(s.measure for s in draft.sorting):
        loose += [w for p, w in free if w in AGGREGATES and p not in draft.used]
        loose += ["how many" for p, w in free if w == "many" and p and words[p - 1] == "how" and not draft.outputs]
    if not draft.absent and not any(map(_is_negative, (*draft.conditions, *draft.both))):
        loose += [w for p, w in free if w in NEGATIONS and p not in draft.used]
    if not draft.splits and not draft.outputs:
        loose += [w for _, w in free if w in SPLITS]
    if "both" in words and not draft.both and not _lists(words):
        loose.append("both")
    if any(measure.name == "ratio" for measure in draft.measures):
        return loose
    for phrase in ("ratio", "percentage", "percent", "difference", "growth", "correlation", "proportion"):
        loose += [w for _, w in free if w == phrase]
    return loose


def _lists(words: list[str]) -> bool:
    """Whether "both" only opens a list of what to show: "list both the id and the name"."""
    place = words.index("both")
    return place > 0 and words[place - 1] in {"show", "list", "give", "return", "me", "find"}


def _is_negative(condition: Condition) -> bool:
    return (
        condition.negated
        or condition.operator in {"<>", "not in", "<", "<=", "null"}
        or any(map(_is_negative, condition.any_of))
    )


def tables_of(select: Select) -> set[str]:
    """The tables a query shows columns of."""
    return {output.term.table for output in select.outputs if output.term.table}


_SHAPES = frozenset("distribution histogram describe summary summarize summarise statistics".split())
_GRAINS = frozenset(
    """
    day week month quarter year days weeks months quarters years daily weekly monthly quarterly yearly annual annually
    weekday hourly
    """.split()
)
_AMOUNTS = frozenset({"<", "<=", ">", ">=", "between"})
_MOMENTS = frozenset("date dates day days time times when moment".split())


def leaves_out(select: Select, profile: TableProfile, marked: Marked) -> bool:
    """Whether a reading over one table passes over what a plain word of the question asks for.

    "Hires per year" is no list of dates, "unique users by country" no list of users, "average sessions per user" no
    average of keys, and of two dates the one that nobody named is a guess.
    """
    held = {place for mention in marked.mentions if mention.kind in {"column", "table"} for place in mention.words}
    said = {token.normal for token in marked.tokens}
    free = {token.normal for place, token in enumerate(marked.tokens) if place not in held}
    terms = list(_terms(select))
    if not select.groups and ("per" in free or free & _SHAPES):
        return True
    if "by" in free and not (select.groups or select.order or select.conditions):
        return True
    kinds = {column.name: column.inferred_type for column in profile.columns}
    dated = {term.column for term in terms if kinds.get(term.column or "") == "timestamp"}
    if free & _GRAINS and not select.conditions and not any(term.kind == "part" for term in terms):
        return True
    if "when" in free and (select.order or _functions(select) & {"min", "max"}) and not dated:
        return True
    for term in terms:
        inner = kinds.get(term.arguments[0].column or "") if term.arguments else None
        if inner == "id" and term.function in {"avg", "sum", "median", "stddev"}:
            return True
        if inner == "timestamp" and term.function == "count" and not said & _MOMENTS:
            return True
    if _passes_over_a_column(select, terms, marked):
        return True
    if _lists_groups(select, profile) and any(each.operator in _AMOUNTS for each in select.conditions):
        return True  # customers with an amount above so much: of one row, or of all their rows?
    several = sum(kind == "timestamp" for kind in kinds.values()) > 1
    stems = {token.stem for token in marked.tokens} | {word.stem for word in split_words(profile.table)}
    return several and any(not event_words(name) & stems for name in dated if name is not None)


def _passes_over_a_column(select: Select, terms: list[Term], marked: Marked) -> bool:
    """Whether a column that is named has no part in a query, or one is measured that nobody named.

    "Which agent closed the most tickets" is about closed_at too, and "average tickets per customer" not about ratings.
    """
    if any(term.query is not None for term in terms) or any(each.query is not None for each in select.conditions):
        return False  # what is asked of a query inside is not seen from here
    used = {term.column for term in terms if term.column}
    named = [mention for mention in marked.mentions if mention.kind == "column" and mention.columns()]
    for mention in named:
        choices = {choice.column for choice in mention.columns()}
        if not mention.tables() and not choices & used and select.limit is not None:
            return True
    known = {choice.column for mention in marked.mentions for choice in mention.columns()}
    measured = [term.arguments[0].column for term in terms if term.kind == "aggregate" and term.arguments]
    return any(column is not None and column not in known for column in measured)


def _lists_groups(select: Select, profile: TableProfile) -> bool:
    """Whether a query lists values that each stand in many rows of a long table."""
    if select.groups or select.distinct or profile.row_count <= ENTITY_ROWS or select.set_operation:
        return False
    columns = [profile.column(output.term.column or "") for output in select.outputs if output.term.kind == "column"]
    return len(columns) == len(select.outputs) and all(
        column is not None and column.inferred_type == "dimension" and 2 * column.cardinality <= profile.row_count
        for column in columns
    )


def list_once(select: Select, profile: TableProfile) -> Select:
    """A list of values that each stand in many rows, without its repetitions: "products sold in Texas"."""
    if select.order or select.limit is not None or not _lists_groups(select, profile):
        return select
    if any(each.operator in _AMOUNTS for each in select.conditions):
        return select
    return select.model_copy(update={"distinct": True})


def left_per(select: Select, marked: Marked) -> bool:
    """Whether "per" asks for groups and a query makes none."""
    held = {place for mention in marked.mentions if mention.kind in {"column", "table"} for place in mention.words}
    return not select.groups and any(t.normal == "per" for p, t in enumerate(marked.tokens) if p not in held)


def _terms(select: Select) -> Iterator[Term]:
    """Every term of a query's outputs, groups, order and conditions, and what they are made of."""
    todo = [output.term for output in select.outputs]
    todo += [*select.groups, *(order.term for order in select.order)]
    todo += [each.term for each in (*select.conditions, *select.having) if each.term is not None]
    while todo:
        term = todo.pop()
        todo += term.arguments
        yield term


ENTITY_ROWS = 300
"""Up to this many rows a table is taken for a list of things, one a row; a longer one for records about things."""

UNIQUE_SHARE = 0.9


def is_row_question(select: Select, profile: TableProfile, said: set[str]) -> bool:
    """Whether looking rows up can answer it: no aggregate is left out, and each row stands for one thing.

    In a long table of records "which region has the highest amount" means the region's total, not its best record.
    """
    named = {AGGREGATES[word] for word in said & set(AGGREGATES)} - {"min", "max"}
    if named and not named & _functions(select):
        return False
    if profile.row_count <= ENTITY_ROWS or not select.order or select.groups:
        return True
    shown = select.outputs[0].term
    column = profile.column(shown.column) if shown.column else None
    return column is not None and column.cardinality >= UNIQUE_SHARE * profile.row_count


def _functions(select: Select) -> set[str]:
    terms = [output.term for output in select.outputs]
    found: set[str] = set()
    while terms:
        term = terms.pop()
        terms += term.arguments
        if term.function is not None:
            found.add(term.function)
        if term.query is not None:
            found |= _functions(term.query)
    return found
