"""A report before it has a format: a title and blocks. Every renderer reads the same document."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from averment.records.base import Record


class Heading(Record):
    """A section's title."""

    kind: Literal["heading"] = "heading"
    text: str


class Paragraph(Record):
    """Prose; ``strong`` is for the answer."""

    kind: Literal["paragraph"] = "paragraph"
    text: str
    strong: bool = False


class Bullets(Record):
    """A list of sentences."""

    kind: Literal["bullets"] = "bullets"
    items: tuple[str, ...]


class Grid(Record):
    """A table of ready texts; ``numeric`` marks the columns that are set to the right."""

    kind: Literal["grid"] = "grid"
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numeric: tuple[bool, ...]
    caption: str = ""


class Picture(Record):
    """An image artifact, by its file name and in words."""

    kind: Literal["picture"] = "picture"
    name: str
    alt: str


class Code(Record):
    """Text to be shown letter by letter, such as the SQL that ran."""

    kind: Literal["code"] = "code"
    text: str
    language: str = ""


class CitedSentence(Record):
    """A sentence and the ids of the notes that carry it; ``mark`` says how, where none of them says it alone."""

    text: str
    cites: tuple[str, ...]
    mark: str = ""


class Cited(Record):
    """Prose whose every sentence names its notes; ``lead`` says whose words follow."""

    kind: Literal["cited"] = "cited"
    lead: str = ""
    sentences: tuple[CitedSentence, ...]


class Note(Record):
    """What a citation leads to; ``url`` is where its source came from."""

    anchor: str
    text: str
    url: str = ""


class Notes(Record):
    """The notes of a report, in the order they are numbered."""

    kind: Literal["notes"] = "notes"
    items: tuple[Note, ...]


Block = Annotated[Heading | Paragraph | Bullets | Grid | Picture | Code | Cited | Notes, Field(discriminator="kind")]


class Document(Record):
    """A report: its title and its blocks, in order."""

    title: str
    blocks: tuple[Block, ...]

    @property
    def section_count(self) -> int:
        """How many headings it has."""
        return sum(1 for block in self.blocks if block.kind == "heading")
