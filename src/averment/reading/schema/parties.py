"""Parties: the columns of a table that say who took part in its rows, where a question only speaks of people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.words import name_words, singular, word_list

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table


def parties(table: Table, schema: Schema) -> list[Column]:
    """The columns that hold people, the surest first: named after people, or pointing at a table of them."""
    people = {singular(word) for word in word_list("people")} | word_list("party")
    pointing = {one.left_column: one.right for one in schema.relations if one.left == table.name}
    dull = word_list("keyish") | {"name", "no", "number", "nr", "num"}
    ranked: list[tuple[int, Column]] = []
    for column in table.columns:
        if column.is_unique or column.expression is not None or column.has("measure", "flag", "date"):
            continue
        words = {singular(word) for word in column.words}
        # A guest's country is no guest: the last word says what is held.
        heads = [singular(word) for word in column.words if word not in dull][-1:]
        owner = schema.tables.get(pointing.get(column.name, ""))
        if owner is not None and (set(owner.nouns) & people or _holds_names(owner)):
            ranked.append((0, column))
        elif column.words[-1:] == ("by",) and says_how(column):
            continue
        elif set(heads) & people or column.words[-1:] == ("by",):
            ranked.append((1, column))
        elif column.kind == "text" and "name" in words:
            ranked.append((2, column))
    return [column for _, column in sorted(ranked, key=lambda pair: pair[0])]


def says_how(column: Column) -> bool:
    """Whether a column holds means and no people: paid by card, sent by post."""
    return any(word in word_list("means") for value in column.values[:20] for word in name_words(str(value)))


def _holds_names(table: Table) -> bool:
    """Whether a table lists people: by a name of a person in full or in parts."""
    names = {"surname", "firstname", "lastname", "forename"}
    words = [set(column.words) for column in table.columns]
    return any(w & names or {"first", "name"} <= w or {"last", "name"} <= w or {"full", "name"} <= w for w in words)
