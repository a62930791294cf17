"""Fiscal years: which month they begin with is said in the question, or nobody knows."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.reading.times.time_conditions import FISCAL
from averment.reading.words import MONTHS

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice

SAYS_FISCAL = re.compile(r"\b(?:fy|fiscal|financial year)", re.IGNORECASE)
_BEGINNING = re.compile(
    r"\(?\b(?:with (?:the|a) (?:fiscal|financial) year )?(?:starting|beginning|starts|begins|running)?\s*"
    r"(?:in|from|on)?\s*"
    rf"\b(?P<month>{'|'.join(MONTHS)})\b(?:\s+(?:to|through|until|-)\s+(?:{'|'.join(MONTHS)})\b)?\)?",
    re.IGNORECASE,
)


def fiscal_start(lattice: Lattice) -> tuple[int | None, tuple[int, int] | None]:
    """The month in which the question's fiscal year begins, and where that is said."""
    fiscal = SAYS_FISCAL.search(lattice.question)
    found = _BEGINNING.search(lattice.question, fiscal.start()) if fiscal is not None else None
    if found is None or not re.search(r"start|begin|running|\(| to | through ", found.group(), re.IGNORECASE):
        return None, None
    inside = [n for n, (start, end) in enumerate(lattice.places) if found.start() <= start and end <= found.end()]
    lattice.spans = [s for s in lattice.spans if not any(s.start <= place < s.end for place in inside)]
    for place in inside:
        lattice.add(place, place + 1, "STOP", 0.3)
    begins = MONTHS.index(found.group("month").lower()) + 1
    for place, pair in enumerate(zip(lattice.words, lattice.words[1:], strict=False)):
        if pair[0] in {"fiscal", "financial"} and pair[1] in {"year", "years"} and place not in inside:
            lattice.add(place, place + 2, "PART", 0.97, f"{FISCAL}{begins}")
    return begins, found.span()
