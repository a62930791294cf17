"""Certainty: whether every word of a question that asks for an operation found its operation in the reading."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.analyst.query.words import AGGREGATES, FREQUENT, NEGATIONS, SPLITS, SUPERLATIVES

if TYPE_CHECKING:
    from averment.agents.analyst.query.draft import Draft
    from averment.agents.analyst.query.mentions import Marked
    from averment.tables.profile import TableProfile
    from averment.tables.select_spec import Condition, Select


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
