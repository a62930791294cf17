"""Completing what somebody types: the columns and values whose words begin like the last words of a question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

MOST = 8
LONGEST = 4
"""Words at the end of a text that may begin one name."""


@dataclass(frozen=True, slots=True)
class NameCompletion:
    """A name that fits: the text it replaces from ``start`` on, what it is, and where it comes from."""

    text: str
    kind: Literal["column", "value", "word"]
    about: str
    start: int


def complete(text: str, schema: Schema, *, most: int = MOST) -> tuple[NameCompletion, ...]:
    """What may be meant by the end of a text, the nearest first; nothing for a text that ends in a blank."""
    if not text or text[-1].isspace():
        return ()
    found: dict[tuple[str, str], tuple[tuple[int, int, bool, int], NameCompletion]] = {}
    for start in _starts(text):
        typed = text[start:].casefold()
        for order, each in enumerate(_named(schema, start)):
            at = _begins(each.text, typed)
            if at is None or each.text.casefold() == typed:
                continue
            rank = (start, at, each.kind == "value", order)
            key = (each.kind, each.text.casefold())
            if key not in found or rank < found[key][0]:
                found[key] = (rank, each)
    return tuple(each for _, each in sorted(found.values(), key=lambda pair: pair[0]))[:most]


def _starts(text: str) -> list[int]:
    """Where the last words begin, the longest stretch first; a single letter says too little about a value."""
    starts = [0] if not text[0].isspace() else []
    starts += [n + 1 for n, letter in enumerate(text[:-1]) if letter.isspace() and not text[n + 1].isspace()]
    return starts[-LONGEST:]


def _begins(name: str, typed: str) -> int | None:
    """0 where the name begins so, 1 where a later word of it does."""
    plain = name.casefold()
    if plain.startswith(typed):
        return 0
    words = plain.replace("_", " ").split()
    return 1 if " " not in typed and len(typed) > 1 and any(word.startswith(typed) for word in words[1:]) else None


def _named(schema: Schema, start: int) -> list[NameCompletion]:
    several = len(schema.tables) > 1
    columns = [c for c in schema.columns if c.expression is None]
    named = [
        NameCompletion(each.word, "word", f"means {each.in_words()}", start)
        for each in (*schema.taught, *schema.labels)
    ]
    named += [NameCompletion(" ".join(c.words) or c.name, "column", _about(c, several), start) for c in columns]
    for column in columns:
        if column.kind == "text" and not column.has("flag"):
            named += [
                NameCompletion(str(value), "value", f"a value of {column.name}", start) for value in column.values
            ]
    return named


def _about(column: Column, several: bool) -> str:
    kinds = {"number": "number", "text": "text", "date": "date", "bool": "yes or no"}
    return f"{kinds[column.kind]}, column of {column.table}" if several else f"column, {kinds[column.kind]}"
