"""Accounting for columns: a name that the plan uses, or that only says which rows it is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.account.cue_traces import values_of
from averment.reading.account.verb_accounts import at
from averment.reading.words import DERIVED, has_happened, is_plural, kinship, name_words, singular, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column


def column_traced(plan: Plan, span: Span, columns: set[tuple[str, str]], spans: Sequence[Span], place: int) -> bool:
    """Whether a plan does something with the column that a span names, or needs nothing of it."""
    column = span.data
    if column.figure is not None:
        return any(column.figure in (m, m.over) for m in (*plan.measures, *(t.measure for t in plan.having)))
    if column.expression is not None and column.expression.operation in {"-", "+"}:
        return column.expression in values_of(plan)  # Both numbers beside each other are no difference and no sum.
    if column.expression is not None:
        return set(column.expression.columns()) <= columns
    return (
        (column.table, column.name) in columns
        or _shown_for(plan, column, columns)
        or _names_rows(plan, column, spans, place)
        or (_is_counted_by(column, plan) and not {"name", "names", "title", "titles"} & set(span.text.split()))
        or (column.has("key") and (_counts_each(plan, spans, place) or _of_each_key(plan, column)))
        or (plan.combine is not None and column.has("label") and column.table in plan.tables())
        or _describes(column, spans, place)
        or _happens(column, spans, place)
        or (column.kind == "date" and column.filled == column.rows and has_happened(span.text))
        or _is_true_of_all(plan, column, spans, place)
        or any(set(column.words) < set(name_words(name)) and _is_share(name) for _, name in columns)
    )


def _describes(column: Column, spans: Sequence[Span], place: int) -> bool:
    """Whether a name only says what a value before it is a value of: "a fantasy book"."""
    before = spans[place - 1] if place else None
    return before is not None and before.type == "VALUE" and bool({"name", "title"} & set(column.words))


def _is_true_of_all(plan: Plan, column: Column, spans: Sequence[Span], place: int) -> bool:
    """Whether rows are counted that each had it done to them: every check was signed by somebody.

    How many people did it is another question.
    """
    verb = spans[place].text.split()
    people = any(s.type == "ROW" and s.text in word_list("person") | word_list("people") for s in spans[:place])
    counts = bool(plan.measures) and all(m.function == "rows" for m in plan.measures)
    told = column.words[-1:] == ("by",) and column.filled == column.rows
    return told and counts and not people and verb[-1] != "by" and has_happened(verb[0])


def _is_share(name: str) -> bool:
    """Whether a column's name says that it is a part in percent."""
    return bool({"share", "percent", "percentage", "pct", "rate", "ratio"} & set(name_words(name)))


def _happens(column: Column, spans: Sequence[Span], place: int) -> bool:
    """Whether a verb that a date is named after belongs to the value behind it: "started at Harbor"."""
    after = spans[place + 1] if place + 1 < len(spans) else None
    verb = spans[place].text.split()[0]
    valued = after is not None and after.type == "VALUE" and verb.endswith("ed")
    if valued and after is not None and any(kinship(verb, word) >= DERIVED for word in after.data[0].words):
        return True  # "Embarked at Southampton", a value of the town of embarking
    if column.kind != "date" or after is None or after.type not in {"VALUE", "TEST"}:
        return False
    if after.type == "TEST":
        return verb.endswith("ed")  # "sailed from Hamburg"
    return verb not in column.words[1:] and any(kinship(verb, word) >= DERIVED for word in after.data[0].words)


def _names_rows(plan: Plan, column: Column, spans: Sequence[Span], place: int) -> bool:
    """Whether a plural only says which rows a figure is of: "average price of districts with …"."""
    before = spans[place - 1] if place else None
    asked = is_found(before) or (before is not None and before.cue("by", "list", "count", "distinct"))
    # How long they wait on average is a figure of them all, also without a condition: "to close a ticket".
    lasting = all(m.of is not None and m.of.kind in {"days", "hours", "minutes", "seconds"} for m in plan.measures)
    many = is_plural(spans[place].text) or (lasting and column.has("key", "label"))
    whole = column.has("label", "key") and column.is_unique and many and column.table == plan.table
    figured = bool(plan.measures) and (lasting or bool(plan.where))
    return whole and not asked and figured and (lasting or not plan.by) and plan.rank is None


def _is_counted_by(column: Column, plan: Plan) -> bool:
    """Whether a name stands for the rows that are counted, or that a share is taken of."""
    counts = any(
        m.function in {"rows", "count", "distinct", "rate"} for m in (*plan.measures, *(g.measure for g in plan.having))
    )
    return column.has("label") and column.is_unique and counts and column.table in plan.tables()


def _shown_for(plan: Plan, column: Column, columns: set[tuple[str, str]]) -> bool:
    """A key is there as well where the name of what it points at is: a customer's name for a customer_id."""
    if not column.has("key"):
        return False
    stems = {singular(word) for word in column.words} - word_list("keyish")
    owners = {singular(word) for table, _ in columns if table != column.table for word in name_words(table)}
    return bool(stems & owners)


def _of_each_key(plan: Plan, column: Column) -> bool:
    """Whether a figure is that of one row, whose own key is named: an average visit is one of visit_id."""
    means = bool(plan.measures) and all(m.function in {"mean", "median"} for m in plan.measures)
    return means and column.is_unique and column.table == plan.table and not plan.by


def _counts_each(plan: Plan, spans: Sequence[Span], place: int) -> bool:
    """Whether each row counts of what came back or did not: a book that is out twice is two."""
    before = at(spans, place - 1)
    counted = before is not None and before.cue("count") and any(m.function == "rows" for m in plan.measures)
    return counted and any(test.operator == "null" for test in plan.where)


def is_found(before: Span | None) -> bool:
    """Whether what stands here asks which of the rows it is: the best, the top, which."""
    if before is None:
        return False
    graded = before.type == "GRADE" and before.data[1] != "more"
    return graded or before.cue("top", "bottom", "most", "least", "which", "common", "rare")
