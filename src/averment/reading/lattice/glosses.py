"""Words in brackets that say over again what stands before them: "cancelled (CX)", "in the summer (June to August)"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice

_KNOWN = 0.7
"""From this strength on a word has a meaning of its own, and is not told by what stands in brackets."""

_SAID = {"VALUE": 0.9, "TIME": 0.66, "COLUMN": 0.9}
"""How surely what stands in brackets must be a value, a period or a column."""

_BRACKETS = re.compile(r"(?<=\w)\s*\(([^()]+)\)")


def gloss_spans(lattice: Lattice) -> None:
    """A word that nothing names, and a value or a period in brackets behind it: the word is called so in the data."""
    for match in _BRACKETS.finditer(lattice.question):
        inside = [n for n, (start, end) in enumerate(lattice.places) if match.start(1) <= start and end <= match.end(1)]
        if not inside or not inside[0]:
            continue
        before, first, last = inside[0] - 1, inside[0], inside[-1] + 1
        named = any(
            s.start <= before < s.end and s.type not in {"STOP", "UNKNOWN", "ROW"} and s.strength >= _KNOWN
            for s in lattice.spans
        )
        start = before
        while not named and start and _is_proper(lattice, start - 1):
            start -= 1  # "Chicago O'Hare (ORD)"
        for span in [s for s in lattice.spans if (s.start, s.end) == (first, last) and not named]:
            if span.strength >= _SAID.get(span.type, 2.0):
                lattice.add(start if span.type == "VALUE" else before, last, span.type, span.strength, span.data)


def _is_proper(lattice: Lattice, place: int) -> bool:
    """Whether a word is part of a proper name that nothing in the tables is called by."""
    start, end = lattice.places[place]
    written = lattice.question[start:end]
    known = any(s.start <= place < s.end and s.strength >= _KNOWN for s in lattice.spans)
    return start > 0 and written[:1].isupper() and not known
