"""One number for each of another: what was paid per litre, revenue per visitor, cost per mile driven.

The two together are a column that is computed, and of many rows it is the ratio of their totals unless an average is
asked for. Who pays may be said by a verb alone, where one column of the table holds money.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.names import value_name
from averment.plans.plan import Value
from averment.reading.lattice.amounts import money_of
from averment.reading.schema.schema_view import computed
from averment.reading.words import DERIVED, kinship, lexicon, singular, word_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_NAMED, _WHOLE, _UNIT = 0.8, 1.02, 0.9
_APART, _DIVISOR = 0.05, 0.9


def ratio_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that words mean one number divided by another, and that a unit names the number that is in it."""
    for table in schema.tables.values():
        _units(lattice, table)
        for place, word in enumerate(lattice.words):
            if word == "per":
                for start, above in _before(lattice, table, place):
                    for end, below in _behind(lattice, table, place + 1):
                        if above is not below and above.value != below.value:
                            lattice.add(start, end, "COLUMN", _WHOLE, _ratio(table, above, below))


def _ratio(table: Table, above: Column, below: Column) -> Column:
    value = Value(kind="arithmetic", operation="/", operands=(above.value, below.value))
    filled = min(above.filled, below.filled)
    of = (above, below)
    return computed(table.name, value_name(value), value, of, rows=table.rows, filled=filled, additive=False, words=())


def _before(lattice: Lattice, table: Table, place: int) -> Iterator[tuple[int, Column]]:
    """What is divided: a number that is named right before "per", or money where a verb speaks of it."""
    named = [span for span in lattice.spans if span.end == place and _names_number(span, table)]
    found = bool(named)
    yield from ((span.start, span.data) for span in _surest(named))
    money = money_of(table)
    word = lattice.words[place - 1] if place else ""
    spoken = word in word_list("money_noun") or word in lexicon("words")["dealing"]["said"] or word in {"cost", "costs"}
    if not found and money is not None and spoken:
        yield place - 1, money


def _behind(lattice: Lattice, table: Table, place: int) -> Iterator[tuple[int, Column]]:
    """What it is divided by, and where its name ends: "litre", "litre of diesel", "mile driven"."""
    words = lattice.words
    # "Per sale" is for each row, and not by the revenue that the word is kin to.
    named = [span for span in lattice.spans if span.start == place and span.strength >= _DIVISOR]
    best = _surest([s for s in named if _names_number(s, table) and s.text not in lattice.row_words])
    for span in best:
        end = span.end
        if words[end : end + 1] == ["of"] and end + 1 < len(words):
            own = any(kinship(words[end + 1], name) >= DERIVED for name in span.data.words)
            end = end + 2 if own else end
        if words[end : end + 1] and words[end] in {"driven", "travelled", "traveled", "used", "sold", "bought"}:
            yield end + 1, span.data
        yield end, span.data


def _names_number(span: Span, table: Table) -> bool:
    return span.type == "COLUMN" and span.strength >= _NAMED and _is_number(span.data, table)


def _surest(spans: list[Span]) -> list[Span]:
    """The spans that name a number as surely as any: an amount is no quantity where there is one called amount."""
    top = max((span.strength for span in spans), default=0.0)
    return [span for span in spans if span.strength >= top - _APART]


def _is_number(column: Column, table: Table) -> bool:
    divides = column.expression is not None and column.expression.operation == "/"
    return column.table == table.name and column.has("measure") and not column.has("flag", "key") and not divides


def _units(lattice: Lattice, table: Table) -> None:
    """ "Total litres": the one number that is in litres."""
    for unit, said in lexicon("words")["measured_in"].items():
        able = [c for c in table.measures if c.expression is None and unit in c.words]
        if len(able) != 1:
            continue
        for place, word in enumerate(lattice.words):
            if (word in said or singular(word) in said) and len(word) > 2 and word not in able[0].words:
                lattice.add(place, place + 1, "COLUMN", _UNIT, able[0])
