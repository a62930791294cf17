"""A document's card: what it is called, what it says of itself, and the words it is about.

Cards of all documents are small enough to be looked through for every question; the documents themselves are not.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from dataclasses import dataclass

from averment.corpus.answering.words import STOP, is_number, keys, tokens
from averment.corpus.structure.shape import Field, Structure

CARD_VERSION = 5
_OPENING = 3
_COUNTED = 200
_LEAST = 3


@dataclass(frozen=True, slots=True)
class DocumentCard:
    """One document: its identity, its fields, the keys of its title, opening and fields, and its most frequent keys.

    ``name`` is what its file is called, as words.
    """

    title: str
    kind: str
    number: str
    fields: tuple[Field, ...]
    opening: str
    title_keys: frozenset[str]
    opening_keys: frozenset[str]
    field_keys: frozenset[str]
    counts: dict[str, int]
    name: str = ""
    name_keys: frozenset[str] = frozenset()

    @property
    def label(self) -> str:
        """How the document is named to a reader."""
        return f"{self.kind.upper()} {self.number} ({self.title})" if self.number and self.kind else self.title

    def values(self, *names: str) -> tuple[Field, ...]:
        """The fields of the first of these keys that the document has."""
        for name in names:
            found = tuple(field for field in self.fields if field.key == name)
            if found:
                return found
        return ()


def card_of(structure: Structure) -> DocumentCard:
    """The card of a document."""
    counts: Counter[str] = Counter()
    opening: list[str] = []
    for block in structure.blocks:
        counts.update(keys(block.text))
        if block.kind == "para" and len(opening) < _OPENING:
            opening.append(block.text)
    often = [
        (one, count)
        for one, count in counts.items()
        if count >= _LEAST and one not in STOP and not is_number(one) and len(one) > 1
    ]
    often.sort(key=lambda pair: (-pair[1], pair[0]))
    return make_card(structure, " ".join(opening)[:600], dict(often[:_COUNTED]))


def make_card(structure: Structure, opening: str, counts: dict[str, int]) -> DocumentCard:
    """A card of its parts."""
    said = " ".join(field.value for field in structure.fields if "http" not in field.value)
    return DocumentCard(
        title=structure.title,
        kind=structure.kind,
        number=structure.number,
        fields=structure.fields,
        opening=opening,
        title_keys=frozenset(keys(structure.title)),
        opening_keys=frozenset(keys(opening)),
        field_keys=frozenset(keys(f"{said} {structure.kind} {structure.number}")),
        counts=counts,
        name=structure.name,
        name_keys=frozenset(one for one in keys(structure.name) if one not in STOP and not is_number(one)),
    )


def pack_card(structure: Structure) -> bytes:
    """A card as it is kept."""
    card = card_of(structure)
    data = [
        CARD_VERSION,
        card.title,
        card.kind,
        card.number,
        [[field.key, field.value, field.start, field.end] for field in card.fields],
        card.opening,
        card.counts,
        card.name,
    ]
    return zlib.compress(json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"), 6)


def unpack_card(packed: bytes) -> DocumentCard | None:
    """A kept card; None where it was made in another way than today's."""
    version, *parts = json.loads(zlib.decompress(packed))
    if version != CARD_VERSION:
        return None
    title, kind, number, fields, opening, counts, name = parts
    made = tuple(Field(str(one), str(value), int(start), int(end)) for one, value, start, end in fields)
    return make_card(
        Structure(title, kind, number, made, (), name), opening, {str(one): int(count) for one, count in counts.items()}
    )


def spoken_words(structure: Structure) -> Counter[str]:
    """How often a document writes each word of letters, for mending what is misspelt in a question."""
    counts: Counter[str] = Counter()
    for text in (structure.title, *(field.value for field in structure.fields), *(b.text for b in structure.blocks)):
        counts.update(token.lower() for token in tokens(text) if token.isalpha() and len(token) > 3)
    return counts


def pack_words(structure: Structure) -> bytes:
    """A document's words with their counts, as they are kept."""
    counted = dict(sorted(spoken_words(structure).items()))
    return zlib.compress(json.dumps(counted, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace"), 6)


def unpack_words(packed: bytes) -> Counter[str]:
    """Kept words with their counts."""
    return Counter({str(word): int(count) for word, count in json.loads(zlib.decompress(packed)).items()})
