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
    """Whether it is asked about whatever its odds."""
    probability: float = 1.0
    """How likely it is meant, where only a learned reader says so."""

    def cue(self, *names: str) -> bool:
        """Whether the span asks for one of these."""
        return self.type == "CUE" and not set(names).isdisjoint(self.data)

    @property
    def extreme(self) -> Literal["max", "min"] | None:
        """The end of a number that the span asks for and nothing else: the highest, or the lowest."""
        if self.type == "GRADE" and self.data[0] in {"high", "low"} and self.data[1] in {"most", "least"}:
            return "max" if (self.data[0] == "high") == (self.data[1] == "most") else "min"
        return "max" if self.cue("most", "max") else "min" if self.cue("least", "min") else None


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
        self,
        start: int,
        end: int,
        kind: SpanType,
        strength: float,
        data: Any = None,
        *,
        guessed: bool = False,
        probability: float = 1.0,
    ) -> None:
        """One more hypothesis."""
        listed = start > 0 and "," in self.question[self.places[start - 1][1] : self.places[start][0]]
        text = " ".join(self.words[start:end])
        self.spans.append(Span(start, end, kind, strength, data, text, listed, guessed, probability))
