"""The rows of the corpus as plain values; importing them costs no database library."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime


@dataclass(frozen=True, kw_only=True, slots=True)
class Document:
    """One archived source: where it came from, what it was then, and which document it is a copy of."""

    document_id: str
    url: str
    title: str
    kind: str
    domain: str
    snapshot_sha256: str
    raw_sha256: str
    characters: int
    accessed_at: datetime
    published_at: str | None = None
    copies_of: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class PassageKey:
    """What an index loads of a passage: all but its text."""

    passage_id: str
    document_id: str
    position: int
    terms: bytes
    names: bytes


@dataclass(frozen=True, kw_only=True, slots=True)
class Passage(PassageKey):
    """One stretch of a document's snapshot with what the index needs of it."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentEntry:
    """A document with everything that is kept of it in one transaction."""

    document: Document
    snapshot: bytes
    raw: bytes
    passages: tuple[Passage, ...]
    bands: tuple[str, ...] = field(default=())
    card: bytes = b""
    words: bytes = b""
    corpus: str = ""
    """The corpus it is to belong to from now on; nothing leaves it as it is."""
