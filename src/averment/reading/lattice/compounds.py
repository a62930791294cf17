"""Names that no column has as it stands: an order amount, where orders have an amount; a route, of two columns."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from averment.plans.plan import Measure, Plan, Value
from averment.reading.schema.ends import End, pairs_of_ends
from averment.reading.words import DERIVED, is_plural, kinship, singular, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_DONE, _SAID_OUTRIGHT = 0.65, 0.93
"""How surely a verb means rows of a table: by itself, and where it says what is counted of the thing behind it."""
_NAMED = 0.9
"""From this strength on a word names a column by itself."""


def compound_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that words name a column together with its table's noun, or two columns at once."""
    _owned_spans(lattice, schema)
    _pair_spans(lattice, schema)
    # "Other than" is one word that leaves out; its "other" by itself would be the rest.
    words = [*lattice.words, ""]
    lattice.spans = [s for s in lattice.spans if not (_is_other(s) and words[s.end] == "than")]


def _is_other(span: Span) -> bool:
    return span.text == "other" or (span.type == "CUE" and span.text.endswith(" other"))


def done_spans(lattice: Lattice, schema: Schema) -> None:
    """Verbs made of the noun of a table that points at another: clients that were invoiced, the most visited pets."""
    words = lattice.words
    taken = {s.start for s in lattice.spans if s.type in {"COLUMN", "VALUE", "CUE", "GRADE"} and s.strength >= _NAMED}
    things = {(s.start, s.data) for s in lattice.spans if s.type == "ROW" and s.data and s.strength >= _NAMED}
    for place, word in enumerate(words):
        denied = place > 0 and words[place - 1] in {"not", "never", "didn't", "haven't", "don't"}
        if place in taken or not (word.endswith("ed") or denied):
            continue
        for table in schema.tables.values():
            points = schema.routes[table.name].keys() - {table.name}
            if not points or not table.nouns or kinship(word, table.nouns[-1]) < DERIVED:
                continue
            most = place > 0 and words[place - 1] in {"most", "least"}
            known = most and any((place + 1, name) in things for name in points)
            # "The most visited pets" leaves no other reading of the verb.
            lattice.add(place, place + 1, "ROW", _SAID_OUTRIGHT if known else _DONE, table.name)


def _owned_spans(lattice: Lattice, schema: Schema) -> None:
    """A number with the noun of its own table before it is that number: "order amount", "ticket price"."""
    words = lattice.words
    for span in list(lattice.spans):
        if span.type != "COLUMN" or span.strength < _NAMED or not span.start or not span.data.has("measure"):
            continue
        table = schema.tables[span.data.table]
        noun = words[span.start - 1]
        owner = {*table.nouns[-1:], *table.called}
        if is_plural(noun) or noun in word_list("stop") or singular(noun) not in owner or noun in span.data.words:
            continue
        lattice.add(span.start - 1, span.end, "COLUMN", span.strength, span.data)


def _pair_spans(lattice: Lattice, schema: Schema) -> None:
    """A word for two columns together, such as a route, where no table and no column is called so."""
    called = {noun for table in schema.tables.values() for noun in (*table.nouns, *table.called)}
    called |= {singular(word) for column in schema.columns for word in column.words}
    for first, last, together in pairs_of_ends():
        for place, word in enumerate(lattice.words):
            if singular(word) not in together or singular(word) in called:
                continue
            for table in schema.tables.values():
                pair = _pair_of(table, first, last)
                if pair is not None:
                    whole = replace(pair[0], words=(word,), beside=pair[1])
                    lattice.add(place, place + 1, "COLUMN", 0.96, whole)


def _pair_of(table: Table, first: End, last: End) -> tuple[Column, Column] | None:
    """The columns of a table that are the two ends, called alike but for that."""
    pairs = [
        (one, other)
        for one in table.columns
        if one.kind == "text" and first.names & set(one.words)
        for other in table.columns
        if other.kind == "text" and last.names & set(other.words)
        if set(one.words) - first.names == set(other.words) - last.names
    ]
    return min(pairs, key=lambda pair: len(pair[0].words)) if pairs else None


def paired(plan: Plan, spans: Sequence[Span]) -> Plan | None:
    """The plan with both columns wherever a word for the two stands for the first; None where that cannot be."""
    for span in spans:
        if span.type != "COLUMN" or span.data.beside is None:
            continue
        first, second = span.data.value, span.data.beside.value
        if plan.window is not None or plan.across is not None or plan.statistic is not None:
            return None
        if first in plan.by:
            plan = _keyed(plan, plan.by.index(first), second)
        elif first in plan.show:
            at = plan.show.index(first) + 1
            plan = plan.model_copy(update={"show": (*plan.show[:at], second, *plan.show[at:])})
        elif not plan.by and [(m.function, m.of) for m in plan.measures] == [("distinct", first)]:
            rows = Measure(function="rows")
            plan = plan.model_copy(update={"by": (first, second), "measures": (rows,), "over_groups": "count"})
        else:
            return None
    return plan


def _keyed(plan: Plan, at: int, second: Value) -> Plan:
    order = tuple(each.model_copy(update={"at": each.at + (each.at > at)}) for each in plan.order)
    rank = plan.rank
    if rank is not None and rank.within:
        moved = tuple(place + (place > at) for place in rank.within)
        rank = rank.model_copy(update={"within": (*moved, at + 1) if at in rank.within else moved})
    by = (*plan.by[: at + 1], second, *plan.by[at + 1 :])
    return plan.model_copy(update={"by": by, "order": order, "rank": rank})
