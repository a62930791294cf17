"""What the words of one schema are: names of columns, texts of the data, nouns of rows, ready to be found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from averment.language.linking.values import ValueIndex
from averment.reading.grammar.cues import coded_words, measures, plain, spellings_of_unit, spelt_out
from averment.reading.words import DERIVED, kinship, singular

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

FEW_VALUES = 80
"""Columns with at most so many different texts are looked through for relatives of a word."""

FULL, PARTIAL, HEAD_ONLY, UNIT_ONLY, KEY_ONLY = 1.0, 0.56, 0.8, 0.52, 0.75
"""How well words meet a name: all of it, a part, its last word, only its unit, only what it is the key of."""


@dataclass(slots=True)
class NamedColumn:
    """A column with the words of its name: those that say what it is, and those that say in what unit."""

    column: Column
    names: tuple[str, ...]
    units: tuple[str, ...]
    described: tuple[str, ...] = ()

    def fit(self, words: tuple[str, ...]) -> float:
        """How well words of a question name the column, from 0 to 1; each of them must be in its name."""
        if "".join(words) == "".join(self.column.words) or (len(words) > 1 and "".join(words) in self.names[-1:]):
            return FULL
        matched: set[int] = set()
        weakest, beside = 1.0, 0
        for word in words:
            unit = spellings_of_unit(word)
            best, at = max(((_nearness(word, name, unit), -n) for n, name in enumerate(self.names)), default=(0.0, 0))
            if best <= 0.5:
                if len(words) > 1 and unit & set(self.units):
                    beside += 1
                    continue
                return self._beside(words)
            weakest = min(weakest, best)
            matched.add(-at)
        if not matched or len(matched) < len(words) - beside:
            return 0.0
        if (
            (self.column.has("key") or self.column.kind == "date")
            and self.units
            and not any(word in plain("units") for word in words)
        ):
            weakest *= KEY_ONLY * (
                not any(map(measures, words))
            )  # "event" is a noun for rows before it is an event_id.
        if len(matched) == len(self.names):
            return weakest * FULL
        head = len(self.names) - 1 in matched
        share = len(matched) / len(self.names)
        return weakest * ((HEAD_ONLY if head else PARTIAL) + 0.15 * (share - 0.5))

    def _beside(self, words: tuple[str, ...]) -> float:
        """How well words name only its unit or what was written about it."""
        if len(words) == 1 and (spellings_of_unit(words[0]) | {words[0]}) & set(self.units):
            return UNIT_ONLY
        if len(words) == 1 and self.column.has("measure") and measures(words[0]) & set(self.column.words):
            return UNIT_ONLY - 0.06 + 0.05 * (self.column.expression is not None) + 0.02 * self.column.additive
        if self.described and all(any(kinship(word, each) > 0.9 for each in self.described) for word in words):
            return PARTIAL
        return 0.0


def _nearness(word: str, name: str, unit: frozenset[str]) -> float:
    return 0.96 if name in unit else kinship(word, name)


@dataclass(slots=True)
class SchemaIndex:
    """The words of a schema."""

    columns: list[NamedColumn]
    texts: ValueIndex
    columns_of_texts: dict[str, Column]
    few: dict[str, list[tuple[str, Column, Any]]] = field(default_factory=dict[str, list[tuple[str, "Column", Any]]])
    """Texts of one word of columns with few, by their first three letters."""
    nouns: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    """The tables whose rows a noun is for."""

    def relatives(self, word: str) -> Iterator[tuple[float, Column, Any]]:
        """Values of one word that are relatives of a word: Austrian for Austria, women for F."""
        single = singular(word)
        for text, column, value in self.few.get(single[:3], ()):
            strength = kinship(single, text)
            if strength >= DERIVED:
                yield strength, column, value
        if word in coded_words():
            for text, column, value in self.few.get("", ()):
                if word in spelt_out(text):
                    yield 0.95, column, value


_INDEXES: WeakKeyDictionary[Schema, SchemaIndex] = WeakKeyDictionary()


def index_of(schema: Schema) -> SchemaIndex:
    """The index of a schema, made once."""
    found = _INDEXES.get(schema)
    if found is None:
        found = _INDEXES[schema] = _made(schema)
    return found


def _made(schema: Schema) -> SchemaIndex:
    places: dict[str, Column] = {}
    texts: list[tuple[str, str]] = []
    few: dict[str, list[tuple[str, Column, Any]]] = {}
    for column in schema.columns:
        if column.kind != "text" or column.expression is not None or column.has("flag"):
            continue
        place = f"{column.table}\t{column.name}"
        places[place] = column
        texts += [(place, str(value)) for value in column.values if value is not None]
        if len(column.values) > FEW_VALUES:
            continue
        for value in column.values:
            text = str(value).strip().lower()
            if text and " " not in text:
                few.setdefault(text[:3], []).append((text, column, value))
                if spelt_out(text):
                    few.setdefault("", []).append((text, column, value))
    nouns: dict[str, list[str]] = {}
    for table in schema.tables.values():
        keys = [column for column in table.columns if column.has("key") and column.is_unique]
        keyed = [singular(word) for column in keys[:1] for word in column.words if word not in plain("units")]
        for noun in dict.fromkeys((*table.nouns, *table.called, *keyed)):
            nouns.setdefault(noun, []).append(table.name)
    return SchemaIndex([_named(column) for column in schema.columns], ValueIndex(texts), places, few, nouns)


def _named(column: Column) -> NamedColumn:
    """The words of a name without its unit; a name that is all unit keeps its words."""
    words = list(column.words)
    while len(words) > 1 and words[-1] in plain("units"):
        words.pop()
    if len(words) > 1 and words[0] in {"is", "has", "was", "the"}:
        words.pop(0)
    units = tuple(word for word in column.words if word not in words)
    names = tuple(word for word in words if word not in {"of", "the", "in", "per", "by"}) or tuple(words)
    described = tuple(word for word in column.described if len(word) > 2)
    return NamedColumn(column, names, units, described)
