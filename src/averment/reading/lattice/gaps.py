"""Rows without a value that are not to count: "leaving out anyone absent", "of those who answered"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.plan import Test
from averment.reading.words import lexicon, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.plans.plan import Plan
    from averment.reading.lattice.spans import Lattice, Span

_KNOWN = 0.7
"""From this strength on a word is a value or a column, and speaks of that."""

_SAID = 0.96
_OF_THOSE = (["of", "those"], ["among", "those"])
_FILLER = frozenset("anyone anybody any all the those these ones one who that which was were is are with a an".split())


def gap_spans(lattice: Lattice) -> None:
    """What says that only rows which have a value count."""
    words, gaps = lattice.words, lexicon("words")["gap"]
    for place in range(len(words)):
        for lead in [phrase.split() for phrase in gaps["without"]]:
            if words[place : place + len(lead)] == lead:
                _close(lattice, place, place + len(lead), gaps["said"])
        if words[place] in {"who", "that", "which"} or words[place : place + 2] in _OF_THOSE:
            _close(lattice, place, place + 1, gaps["filled"])


def _close(lattice: Lattice, start: int, at: int, said: Sequence[str]) -> None:
    """The span from its lead to what is said of the gaps, over filler and a word for the rows."""
    words = lattice.words
    while at < len(words) and (words[at] in _FILLER or words[at] in word_list("people") | word_list("row")):
        at += 1
    size = max((len(s.split()) for s in said if words[at : at + len(s.split())] == s.split()), default=0)
    known = any(
        s.type in {"VALUE", "COLUMN", "DENY", "TEST"} and s.strength >= _KNOWN and at <= s.start < at + size
        for s in lattice.spans
    )
    if size and not known:
        lattice.add(start, at + size, "CUE", _SAID, ("complete",))


def without_gaps(plan: Plan, spans: Sequence[Span]) -> Plan:
    """The plan over rows that have what is figured or, where rows are shared out, what they are shared out by."""
    if not any(span.cue("complete") for span in spans):
        return plan
    figured = [m.of for m in plan.measures if m.of is not None]
    tested = [test.value for m in plan.measures for test in m.where if test.value is not None]
    values = figured or tested or (list(plan.by) if len(plan.by) == 1 else [])
    plain = [value for value in dict.fromkeys(values) if value.kind in {"column", "as_number"}]
    known = [Test(value=value, operator="null", negated=True) for value in plain]
    return plan.model_copy(update={"where": (*plan.where, *(test for test in known if test not in plan.where))})
