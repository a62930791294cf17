"""What a question adds to a superlative: one "single" row, "… and how much was it", "… and by how many points"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice

FIGURE_TOLD = "figure_told"
"""The cue of such an end; its trace is that the plan gives the figure it goes by."""

_TAIL = re.compile(
    r"and (?:(?:by|for|at|with|what is|what was) )?(?:how (?:much|many \w+|long|high|low|big|large|old|far|heavy|tall)|"
    r"what (?:is|was) (?:the|that|its) (?:figure|number|value|amount|total))"
    r"(?: (?:was|is|were|are|did|does|do|has|had|have|in total|altogether|exactly))*"
    r"(?: (?:it|that|they|this|he|she|there|be))?"
)
_NAMED = 0.9
"""From this strength on a noun of the end names a column of its own, which is then asked for beside."""


ONE_ROW = "one_row"
"""The cue of "single" behind a superlative; its trace is that no rows are added up."""


def standing_spans(lattice: Lattice) -> None:
    """ "Where does Kenya rank in population", "what place did Ann come in points": which place one has among all."""
    words = lattice.words
    for place in range(len(words) - 2):
        asks = words[place] in {"where", "how", "place", "position"} and words[place + 1] in {"do", "does", "did"}
        for verb in range(place + 2, len(words)) if asks else ():
            if words[verb] not in {"rank", "come", "finish", "place", "stand"}:
                continue
            start = place - 1 if place and words[place - 1] in {"what", "which"} else place
            lattice.add(start, place + 2, "CUE", 1.0, ("rank_of",))
            end = verb + 2 if words[verb + 1 : verb + 2] in (["by"], ["in"], ["for"], ["on"]) else verb + 1
            lattice.add(verb, end, "CUE", 1.0, ("rank_of",))
            break


def tail_spans(lattice: Lattice) -> None:
    """Hypotheses that the last words ask for the figure that something was found by, and that one row is meant."""
    words = lattice.words
    for place in range(1, len(words)):
        if words[place] in {"single", "individual"}:
            ends = [s for s in lattice.spans if s.end == place and s.type in {"CUE", "GRADE"}]
            if any(s.cue("most", "least", "top") or (s.type == "GRADE" and s.data[1] != "more") for s in ends):
                lattice.add(place, place + 1, "CUE", 0.95, (ONE_ROW,))
    for place in range(1, len(words)):
        if words[place] != "and" or not _TAIL.fullmatch(" ".join(words[place:])):
            continue
        named = any(
            s.type == "VALUE" or (s.type == "COLUMN" and s.data.has("measure", "date"))
            for s in lattice.spans
            if s.start > place and s.strength >= _NAMED
        )
        if not named:
            lattice.add(place, len(words), "CUE", 1.02, (FIGURE_TOLD,))
