"""Words that a person taught are spans like any other: a column or a formula is a column, the rest is a condition.

What was taught outright leaves no other hypothesis for its words, except a longer name that holds them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from averment.reading.lattice.rivals import EXACT
from averment.reading.schema.schema_view import computed
from averment.reading.schema.usual_figures import ratio_of
from averment.reading.slots.formulas import adds_up, formula_table
from averment.reading.words import singular, tokens

if TYPE_CHECKING:
    from averment.plans.meaning import Meaning
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema


def places_of(word: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Where a taught word stands among the words of a question."""
    wanted = [singular(each) for each, _, _ in tokens(word)]
    size = len(wanted)
    found = [singular(each) for each in words]
    return [(n, n + size) for n in range(len(words) - size + 1) if size and found[n : n + size] == wanted]


def said_in(word: str, question: str) -> bool:
    """Whether a question says a taught word."""
    return bool(places_of(word, [each for each, _, _ in tokens(question)]))


def taught_words(schema: Schema) -> set[str]:
    """Every single word of what was taught, which is spelt right by that."""
    return {word for meaning in (*schema.taught, *schema.labels) for word, _, _ in tokens(meaning.word)}


def taught_spans(lattice: Lattice, schema: Schema) -> None:
    """Put taught words into the lattice, each instead of every other hypothesis about its words."""
    taken: set[int] = set()
    for meaning in (*schema.taught, *schema.labels):
        for start, end in places_of(meaning.word, lattice.words):
            inside = set(range(start, end))
            if taken & inside or any(_is_longer_name(span, start, end) for span in lattice.spans):
                continue
            taken |= inside
            rows = [s for s in lattice.spans if s.type == "ROW" and (s.start, s.end) == (end - 1, end)]
            lattice.spans = [s for s in lattice.spans if s.end <= start or s.start >= end]
            if meaning.where and rows and end - start > 1:
                # "active customers": the last word says whose rows, the others what they meet.
                lattice.spans += rows
                lattice.add(start, end - 1, "TEST", 1.0, meaning)
            elif meaning.where:
                lattice.add(start, end, "TEST", 1.0, meaning)
            else:
                lattice.add(start, end, "COLUMN", 1.0, _column(meaning, schema))


def _is_longer_name(span: Span, start: int, end: int) -> bool:
    longer = span.start <= start and end <= span.end and span.end - span.start > end - start
    return longer and span.type in {"COLUMN", "ROW"} and span.strength >= EXACT


def _column(meaning: Meaning, schema: Schema) -> Column:
    """The column a word means, or one that is computed as it says."""
    named = list(_named(meaning.columns(), schema))
    if meaning.kind == "column" and named:
        return named[0]
    home = formula_table(meaning.value, schema) if meaning.value is not None else None
    table = schema.tables[home or meaning.table]
    words = tuple(word for word, _, _ in tokens(meaning.word))
    made = computed(
        table.name,
        meaning.word,
        meaning.value,
        named or table.columns[:1],
        rows=table.rows,
        filled=min((column.filled for column in named), default=table.rows),
        additive=bool(named) and (meaning.value is None or adds_up(meaning.value, named[0])),
        words=words,
    )
    made.figure = meaning.measure
    if ratio_of(made) is not None:
        made.additive = False
    return made


def _named(columns: Iterable[tuple[str, str]], schema: Schema) -> Iterable[Column]:
    for table, name in columns:
        column = schema.column(table, name)
        if column is not None:
            yield column
