"""Kinds and parts that no column is named after: "type of disaster", "tip percentage"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.plan import Value
from averment.reading.schema.schema_view import computed
from averment.reading.words import kinship, singular, word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

KINDS = frozenset("type types kind kinds sort sorts category categories method methods".split())
_PARTS = frozenset("percentage percent rate ratio".split())
_NAMES = 0.9
"""How surely a word must name a column for "percentage" to be one of it."""


def kind_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses for kinds of the rows themselves, and for a number as a part of a greater one."""
    for table in schema.tables.values():
        _kind_of_rows(lattice, table)
        _part_of_a_whole(lattice, table)


def _kind_of_rows(lattice: Lattice, table: Table) -> None:
    """ "Type of disaster" in a table of disasters is the one column that tells them apart."""
    words = lattice.words
    texts = [c for c in table.columns if c.kind == "text" and not c.has("key", "flag")]
    if len(texts) != 1 or not texts[0].has("category") or KINDS & set(texts[0].words):
        return
    for place in range(len(words) - 2):
        if words[place] in KINDS and words[place + 1] == "of" and singular(words[place + 2]) in table.nouns:
            lattice.add(place, place + 3, "COLUMN", 0.9, texts[0])


def _part_of_a_whole(lattice: Lattice, table: Table) -> None:
    """ "Tip percentage" is the tip as a part of what it may be a part of: the fare, or the whole bill."""
    words = lattice.words
    amounts = [c for c in table.measures if c.additive and c.expression is None]
    wholes = [c for c in table.measures if c.expression is None and set(c.words) & word_list("money_name")]
    for place in range(len(words) - 1):
        if words[place + 1] not in _PARTS:
            continue
        for part in amounts:
            if len(part.words) != 1 or kinship(words[place], part.words[0]) < _NAMES:
                continue
            able = [whole for whole in wholes if whole is not part and _holds(whole, part)]
            for whole in able:
                # Of several wholes one must be chosen.
                lattice.add(place, place + 2, "COLUMN", 0.97, _part(table, part, whole), guessed=len(able) > 1)


def _holds(whole: Column, part: Column) -> bool:
    """Whether one number can be what another is a part of: its greatest is no less."""
    high, own = whole.high, part.high
    return isinstance(high, int | float) and isinstance(own, int | float) and high >= own


def _part(table: Table, part: Column, whole: Column) -> Column:
    value = Value(kind="arithmetic", operation="/", operands=(part.value, whole.value))
    name = f"{part.name} in parts of {whole.name}"
    filled = min(part.filled, whole.filled)
    return computed(
        table.name,
        name,
        value,
        (part, whole),
        rows=table.rows,
        filled=filled,
        additive=False,
        words=(*part.words, "percentage"),
    )
