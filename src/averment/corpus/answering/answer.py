"""What an answer is made of: its words, how it was found, how sure it is, and the places it rests on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

How = Literal["field", "status", "documents", "join", "cell", "row", "section", "list", "sentence", "none"]


@dataclass(frozen=True, slots=True)
class TextPlace:
    """A stretch of a document, and its plain words as they are told."""

    document: int
    start: int
    end: int
    text: str


@dataclass(slots=True)
class DocumentAnswer:
    """An answer, or the reason for silence in ``note``; ``nearest`` are places that come near and do not answer."""

    answer: str = ""
    places: list[TextPlace] = field(default_factory=list[TextPlace])
    how: How = "none"
    odds: float = 0.0
    note: str = ""
    nearest: list[TextPlace] = field(default_factory=list[TextPlace])
    subject: str = ""
    words: str = ""
    """The words of a sentence that answer, as the reader sees it."""

    @property
    def documents(self) -> list[int]:
        """The documents it rests on, each once."""
        return list(dict.fromkeys(place.document for place in self.places))


def silent(note: str) -> DocumentAnswer:
    """No answer, and why."""
    return DocumentAnswer(note=note)
