"""Whole readings of a lattice: every word covered by one hypothesis, or visibly left unplaced."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.reading.lattice.spans import Span
from averment.reading.words import word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice

BEAM = 48
TILINGS = 14
MOST_APART = 1.6
"""A tiling this much worse than the best one is not read."""

_UNPLACED = -0.75
_RELATING = -0.3
"""A verb that may say no more than that two tables have to do with each other."""
_ITEM = 0.1


@dataclass(frozen=True, slots=True)
class Tiling:
    """The question covered once from end to end; ``score`` says how well, by itself."""

    spans: tuple[Span, ...]
    score: float


def tilings(lattice: Lattice, most: int = TILINGS) -> list[Tiling]:
    """Whole readings of the spans, the best first."""
    words = lattice.words
    size = len(words)
    starting: dict[int, list[Span]] = {}
    for span in lattice.spans:
        starting.setdefault(span.start, []).append(span)
    beams: list[list[tuple[float, tuple[Span, ...]]]] = [[] for _ in range(size + 1)]
    beams[0] = [(0.0, ())]
    for place in range(size):
        beams[place].sort(key=lambda item: -item[0])
        here = beams[place][:BEAM]
        options = [(s, worth(s)) for s in starting.get(place, [])]
        # A word nobody knows may stay unplaced, and so may one whose only places are weak.
        start, end = lattice.places[place]
        unknown = Span(place, place + 1, "UNKNOWN", 0.0, None, lattice.question[start:end].lower())
        plain = any(s.type in {"STOP", "AND"} and s.end == place + 1 for s, _ in options)
        if not plain:
            options.append((unknown, _RELATING if unknown.text in word_list("relation_verb") else _UNPLACED))
        for score, so_far in here:
            for span, gain in options:
                beams[span.end].append((score + gain, (*so_far, span)))
    beams[size].sort(key=lambda item: -item[0])
    kept: list[Tiling] = []
    seen: set[tuple[Any, ...]] = set()
    for score, spans in beams[size]:
        key = tuple(
            (s.start, s.end, s.type, repr(s.data) if s.type not in {"TIME"} else s.text)
            for s in spans
            if s.type not in {"STOP", "AND"}
        )
        if key in seen:
            continue
        seen.add(key)
        if kept and score < kept[0].score - MOST_APART:
            break
        kept.append(Tiling(spans, score))
        if len(kept) >= most:
            break
    return kept


def worth(span: Span) -> float:
    """What a span adds to a tiling."""
    if span.type == "STOP":
        return 0.0 if span.strength >= 0.3 else -0.12
    if span.type == "AND":
        return 0.0
    size = span.end - span.start
    return size * (span.strength - 0.5) * 2 - _ITEM + 0.25 * (size - 1)
