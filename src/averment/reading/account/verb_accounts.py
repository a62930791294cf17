"""Accounting for verbs: words that no column holds, and that only say what the plan does anyway."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.reading.account.harmless import is_harmless
from averment.reading.lattice.unnamed_kinds import KINDS
from averment.reading.words import DERIVED, kinship, lexicon, name_words, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column

_VERB = re.compile(r"\w{3,}(?:ed|ing)")


_SELLING = frozenset({"sold", "sells", "sell"})


def verb_traced(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether a word without a place of its own says no more than the plan does."""
    text = spans[place].text
    if is_harmless(plan, spans, place) or _is_its_unit(plan, text):
        return True
    if text in KINDS and _is_named_before(plan, spans, place):
        return True
    if _is_joined_by(plan, text):
        return True
    if _happens_alone(plan, spans, place) or _says_what_is_used(plan, text) or _is_an_amount(plan, spans, place):
        return True
    if _is_added_up(plan, text) and (text not in _SELLING or any(s.type in {"ROW", "COLUMN"} for s in spans[place:])):
        return True  # Whether pieces or money are meant is open in "which product sold the most".
    outcome = text in word_list("outcome_verb")
    if text in word_list("relation_verb") and not outcome and _relates(spans):
        return True
    if _is_done_to(plan, spans, place):
        return True
    related = text in word_list("event_verb") or text in word_list("relation_verb")
    # "won" says which of the events are meant, and not only who took part in them.
    return related and _reaches_events(plan, alone=not outcome)


def _is_its_unit(plan: Plan, text: str) -> bool:
    """Whether a word is the unit in which all that is figured is: "net weight, kg" of ``Net (kg)``."""
    figured = [m.of for m in plan.measures if m.of is not None and m.of.kind == "column"]
    units = text in word_list("unit_words") and bool(figured)
    return units and all(text in name_words(value.column or "") for value in figured)


def _is_named_before(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether "type" stands behind a column that holds types: the payment type is the payment."""
    column = column_before(spans, place)
    return column is not None and column.has("category") and (column.table, column.name) in set(plan.columns())


def _says_what_is_used(plan: Plan, text: str) -> bool:
    """Whether a verb is of the family of what the plan looks into: those killed in ``killings``, embarked at a town."""
    if _VERB.fullmatch(text) is None:
        return False
    names = [*plan.tables(), plan.table, *(column for _, column in plan.columns())]
    return any(kinship(text, word) >= DERIVED for name in names for word in name_words(name))


def _is_joined_by(plan: Plan, text: str) -> bool:
    """Whether a verb is what joins two tables of the plan, or what is ruled out: ``raised_by`` for who raised."""
    names = [join.left_column for join in plan.joins]
    for test in plan.tests():
        if test.inner is not None:
            names += [column for _, column in test.inner.columns()]
    pointing = [words for name in names if (words := name_words(name)) and words[-1] in {"by", "to"}]
    return any(kinship(text, words[0]) >= DERIVED for words in pointing)


def _is_an_amount(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether a verb of giving and taking only follows the amount that is figured: fees collected, actual spend."""
    before = at(spans, place - 1)
    if before is None or spans[place].text not in word_list("money_verb"):
        return False
    figured = [m.of for m in plan.measures if m.of is not None]
    if before.cue("sum"):  # the total raised, where what is added up is money
        return bool(figured) and all(set(name_words(of.column or "")) & word_list("money_name") for of in figured)
    if before.type != "COLUMN":
        return False
    return any((value.table, value.column) == (before.data.table, before.data.name) for value in figured)


def _is_added_up(plan: Plan, text: str) -> bool:
    """Whether what a verb makes more of is what a plan adds up: sold, where pieces are added up."""
    names = [set(name.split("_")) for name in lexicon("words")["doing"].get(text, "").split()]
    added = [set(name_words(m.of.column or "")) for m in plan.measures if m.function == "sum" and m.of is not None]
    return bool(added) and all(any(name <= words for name in names) for words in added)


def _happens_alone(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether a verb says no more of the counted rows than that they are there: matches that were played."""
    before = at(spans, place - 1)
    counts = any(m.function == "rows" for m in plan.measures)
    return (
        spans[place].text in word_list("happening")
        and counts
        and before is not None
        and before.type in {"ROW", "COLUMN"}
    )


def _is_done_to(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether a verb only joins a number with the rows that have it: the fare paid by the passengers."""
    before, after = at(spans, place - 1), at(spans, place + 1)
    if before is None or after is None or spans[place].text not in word_list("event_verb"):
        return False
    return before.type == "COLUMN" and after.type == "ROW" and after.data in {None, plan.table}


def _relates(spans: Sequence[Span]) -> bool:
    """Whether a verb only says how two things that are named belong together: orchestras that a company manages.

    With a time beside it, it may say what happened then, which no column need hold.
    """
    things = [s for s in spans if s.type in {"ROW", "COLUMN", "VALUE", "DENY"}]
    return len(things) > 1 and not any(s.type == "TIME" for s in spans)


def _reaches_events(plan: Plan, *, alone: bool = True) -> bool:
    """Whether a plan looks into another table than the one it is about, or rules such rows out.

    Where each row is an event, one table ``alone`` says who took part.
    """
    looks_back = any(t.inner is not None for t in plan.tests())
    counted = plan.rank is not None and any(m.function == "rows" for m in plan.measures)
    parties = plan.distinct or any(m.function == "distinct" for m in plan.measures) or bool(plan.by and plan.where)
    return bool(plan.joins) or looks_back or plan.combine is not None or (alone and (parties or counted))


def at(spans: Sequence[Span], place: int) -> Span | None:
    """The span of a place, or None beyond the first and the last."""
    return spans[place] if 0 <= place < len(spans) else None


def column_before(spans: Sequence[Span], place: int) -> Column | None:
    """The column that is named right before a place, or None."""
    before = at(spans, place - 1)
    beside = before is not None and before.type == "COLUMN" and before.end == spans[place].start
    return before.data if before is not None and beside else None
