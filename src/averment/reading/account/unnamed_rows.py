"""Rows called by a noun that nothing in the table bears out: "how many volunteers per region" over grants."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from averment.reading.lattice.nouns import is_kind_of
from averment.reading.schema.parties import parties
from averment.reading.words import DERIVED, kinship, singular, vocabulary, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_view import Schema, Table

_COUNTS = frozenset({"rows", "count"})


def unnamed_rows(plan: Plan, schema: Schema, spans: Sequence[Span], whole: Sequence[Span]) -> list[str]:
    """The noun that is counted as rows, where only that noun says so and the table's own name says otherwise.

    Where a condition or a number of the rows is spoken of beside it, that ties the noun to them; a bare "how many
    volunteers does each branch have" ties it to nothing. Nor do the checks of hives say how many hives somebody has.
    """
    table = schema.tables.get(plan.table)
    counts = bool(plan.measures) and all(m.function in _COUNTS and m.over is None for m in plan.measures)
    if table is None or not counts or plan.where or plan.having or any(m.where for m in plan.measures):
        return []
    if plan.window is not None or plan.statistic is not None or plan.over_groups is not None or not plan.by:
        return []
    counted = [after for span, after in pairwise(spans) if span.cue("count") and span.end == after.start]
    rows = [span for span in spans if span.type == "ROW"]
    if not rows or rows[0] not in (*counted, spans[0]):
        return []
    owned = any(span.text in {"have", "has", "own", "owns"} for span in whole)
    beside = [span.text for span in rows if owned and _is_beside(span, table)]
    if any(span.data is not None for span in rows) or beside:
        return beside[:1] if len(beside) == len(rows) else []
    common = word_list("row") | word_list("person")
    nouns = [span.text for span in rows if span.text not in common]
    return [noun for noun in nouns if says_its_rows(table) and not borne_out(noun, table)][:1]


def people_as_rows(plan: Plan, schema: Schema, spans: Sequence[Span]) -> list[str]:
    """The word for people that is counted as rows, where a column says who they were and names many of them twice.

    Seven nights worked by one nurse are seven rows and one nurse.
    """
    table = schema.tables.get(plan.table)
    if table is None or not plan.measures or not all(m.function == "rows" and m.over is None for m in plan.measures):
        return []
    people = word_list("people") | word_list("person")
    counted = [
        after.text
        for span, after in pairwise(spans)
        if span.cue("count", "most", "least") and span.end == after.start and after.type in {"ROW", "VALUE"}
        if after.text in people and not _is_called(after.text, table)
        if after.type == "VALUE" or after.data in {None, table.name}
    ]
    # A column of names alone, or of kinds of people, tells whom each row is: its rows are people.
    able = [column for column in parties(table, schema) if not {"who", "name"} & set(column.words)]
    held = [(column.table, column.name) for column in able]
    grouped = plan.over_groups is not None or bool(plan.having)
    if counted and held and not grouped and not any((value.table, value.column) in held for value in plan.by):
        return counted[:1]
    heads = {singular(word) for word in people | word_list("heads") | word_list("some_people")}
    tallied = [c for c in table.columns if c.whole and c.additive and c.words and singular(c.words[-1]) in heads]
    said = [span.text for span in spans if span.type == "ROW" and singular(span.text) in heads]
    return said[:1] if len(tallied) > 1 else []  # Rows that say how many adults and children came are no visitors.


def _is_called(noun: str, table: Table) -> bool:
    """Whether a table's rows themselves are called by a noun, or are people of another name."""
    one, head = singular(noun), table.nouns[-1] if table.nouns else ""
    people = {singular(word) for word in word_list("people")}
    return one in table.called or head in people or kinship(one, head) >= DERIVED


def _is_beside(span: Span, table: Table) -> bool:
    """Whether a noun is what a table's rows are about, and not what they are: the hives of the hive checks."""
    one = singular(span.text)
    return one in table.nouns[:-1] and one != table.nouns[-1] and one not in table.called


def says_its_rows(table: Table) -> bool:
    """Whether a table's own name is an English noun, so that its rows are called by it."""
    known = vocabulary()
    return bool(table.nouns) and (table.nouns[-1] in known or not known)


def borne_out(noun: str, table: Table) -> bool:
    """Whether a table's or a column's name has to do with a noun."""
    one = singular(noun)
    words = {*table.nouns, *table.called, *(word for column in table.columns for word in column.words)}
    return any(kinship(noun, word) >= DERIVED or is_kind_of(word, one) or _shortened(word, one) for word in words)


def _shortened(word: str, noun: str) -> bool:
    return len(word) >= 3 and len(noun) > len(word) + 2 and noun.startswith(word)
