"""What a person wrote down about the columns of a dataset, put where the readers look.

A label is another name of its column and leaves no other hypothesis for its words. The words of a description and of a
unit lead to the column where nothing else explains them. A role replaces what was guessed from the data, and a unit
that is a rate (percent, per hour) says that numbers are averaged and not added up.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from averment.plans.meaning import Meaning
from averment.plans.plan import Value
from averment.reading.lattice.learned_links import is_open
from averment.reading.words import FAMILY, kinship, name_words, singular, tokens, word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

DESCRIBED = 0.9
"""How strongly the words of a description name its column."""

_RATE = re.compile(r"%|°|/|\b(?:per|percent|percentage|pct|ratio|rate|degrees?|celsius|fahrenheit)\b", re.IGNORECASE)
_SPOKEN = {
    "$": "dollar",
    "usd": "dollar",
    "€": "euro",
    "eur": "euro",
    "£": "pound",
    "gbp": "pound",
    "%": "percent",
    "km": "kilometre kilometer",
    "kg": "kilogram kilo",
    "g": "gram",
    "m": "metre meter",
    "cm": "centimetre centimeter",
    "h": "hour",
    "s": "second",
    "min": "minute",
}
"""How units that are written short are spoken."""


def annotate(schema: Schema, notes: Mapping[str, Mapping[str, Any]]) -> None:
    """Put what is noted by ``table.column`` into the schema; a column that is no longer there is passed over."""
    labels: list[Meaning] = []
    for place, note in sorted(notes.items()):
        table, _, name = place.rpartition(".")
        column = schema.column(table, name)
        if column is None:
            continue
        label = " ".join(word for word, _, _ in tokens(str(note.get("label", ""))))
        if label and label.split() != list(name_words(name)):
            labels.append(Meaning(word=label, kind="column", value=Value(table=table, column=name)))
        unit = str(note.get("unit", ""))
        written = f"{note.get('description', '')} {unit} {_spoken(unit)}"
        column.described = tuple(dict.fromkeys(singular(word) for word, _, _ in tokens(written) if _says(word)))
        _take_role(column, note.get("role"))
        if unit and column.kind == "number" and _RATE.search(unit):
            column.additive = False
    schema.labels = tuple(sorted(labels, key=lambda each: (-len(each.word.split()), each.word)))


def described_spans(lattice: Lattice, schema: Schema) -> None:
    """Words that nothing explains, and that one column's description alone has, name that column."""
    described = [column for column in schema.columns if column.described]
    if not described:
        return
    meant: dict[int, Column] = {}
    for place, word in enumerate(lattice.words):
        if not is_open(lattice, place):
            continue
        found = [column for column in described if any(_is_same(word, other) for other in column.described)]
        if len(found) == 1:
            meant[place] = found[0]
    for start in sorted(meant):
        column = meant[start]
        if meant.get(start - 1) is column:
            continue
        end = start + 1
        while meant.get(end) is column:
            end += 1
        lattice.spans = [s for s in lattice.spans if not (s.type == "ROW" and start <= s.start and s.end <= end)]
        lattice.add(start, end, "COLUMN", DESCRIBED, column)


def _is_same(word: str, other: str) -> bool:
    return singular(word) == other or kinship(word, other) >= FAMILY


def _says(word: str) -> bool:
    return len(word) > 2 and word.isalpha() and word not in word_list("stop") | word_list("light")


def _spoken(unit: str) -> str:
    return " ".join(_SPOKEN.get(part, "") for part in re.findall(r"[^\W\d_]+|[$€£%]", unit.casefold()))


def _take_role(column: Column, role: object) -> None:
    match role:
        case "measure" if column.kind == "number":
            column.roles -= {"key", "category", "flag", "year", "month", "quarter", "weekday", "month_day"}
            column.roles.add("measure")
        case "category":
            column.roles -= {"measure", "key", "label"}
            column.roles.add("category")
            column.additive = False
        case "key":
            column.roles -= {"measure", "category", "label"}
            column.roles.add("key")
            column.additive = False
        case "label":
            column.roles -= {"measure", "key", "category"}
            column.roles.add("label")
        case _:
            return
