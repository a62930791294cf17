"""What the structure of a document is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

BlockKind = Literal["para", "item", "row", "quote"]
Dialect = Literal["rst", "markdown", "text"]


@dataclass(frozen=True, slots=True)
class Field:
    """What a document says of itself under a key: the value as plain text, and where key and value stand."""

    key: str
    value: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class TextUnit:
    """The smallest piece that is told: a sentence, a short item or a row; ``text`` is plain, the place is the raw."""

    text: str
    start: int
    end: int
    code: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list item or a row of a table under its headings.

    ``lead`` is the sentence a list or table hangs on, with its place; ``group`` numbers lists and tables; ``cells`` are
    the header and value of each cell of a row, the first one its key.
    """

    kind: BlockKind
    units: tuple[TextUnit, ...]
    path: tuple[str, ...]
    lead: TextUnit | None = None
    group: int = 0
    level: int = 0
    cells: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The whole block as plain text."""
        return " ".join(unit.text for unit in self.units)


@dataclass(frozen=True, slots=True)
class Structure:
    """A document taken apart: title, what kind and number it bears, fields, and blocks in reading order.

    ``name`` is what its file is called, as words: often the only place that names what a guide or a readme is about.
    ``examples`` are its commands and pieces of code, in their order: no facts, but what a sentence may end in.
    """

    title: str
    kind: str
    number: str
    fields: tuple[Field, ...]
    blocks: tuple[Block, ...]
    name: str = ""
    examples: tuple[TextUnit, ...] = ()

    def values(self, *keys: str) -> tuple[Field, ...]:
        """The fields of the first of these keys that the document has."""
        for key in keys:
            found = tuple(field for field in self.fields if field.key == key)
            if found:
                return found
        return ()
