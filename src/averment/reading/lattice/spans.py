"""Spans: hypotheses about some words of a question, and the lattice that holds all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

SpanType = Literal[
    "COLUMN",
    "VALUE",
    "TEST",
    "ROW",
    "NUMBER",
    "TIME",
    "PART",
    "CUE",
    "GRADE",
    "DENY",
    "ASIDE",
    "AND",
    "UNIT",
    "STOP",
    "UNKNOWN",
    "QUOTE",
]


@dataclass(frozen=True, slots=True)
class Span:
    """A hypothesis about some words of the question."""

    start: int
    end: int
    type: SpanType
    strength: float
    data: Any = None
    text: str = ""
    listed: bool = False
    """Whether a comma stands right before."""
    guessed: bool = False
    """Whether only nearness in meaning speaks for it."""

    def cue(self, *names: str) -> bool:
        """Whether the span asks for one of these."""
        return self.type == "CUE" and not set(names).isdisjoint(self.data)


@dataclass(slots=True)
class Lattice:
    """A question's words with every hypothesis about them."""

    question: str
    words: list[str]
    places: list[tuple[int, int]]
    spans: list[Span] = field(default_factory=list[Span])
    capital: frozenset[str] = frozenset()
    row_words: frozenset[str] = frozenset()
    named: frozenset[str] = frozenset()
    """The tables that the question speaks of."""

    def add(
        self, start: int, end: int, kind: SpanType, strength: float, data: Any = None, *, guessed: bool = False
    ) -> None:
        """One more hypothesis."""
        listed = start > 0 and "," in self.question[self.places[start - 1][1] : self.places[start][0]]
        self.spans.append(Span(start, end, kind, strength, data, " ".join(self.words[start:end]), listed, guessed))
