"""Who won, and who came second, where a column of places says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Test
from averment.reading.words import lexicon

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

_SAID, _NAMED = 1.05, 0.7
_OBJECTS = frozenset("in at on for during against with and or most least".split())
"""What stands after "won" where no prize is named that was won."""


def placing_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that some words say which place somebody had, where one column tells places."""
    placing = lexicon("words")["placing"]
    places = [c for c in schema.columns if _says_place(c, placing["column"].split())]
    if len(places) != 1:
        return
    for place, phrases in enumerate((placing["first"], placing["second"], placing["third"]), start=1):
        for start in range(len(lattice.words)):
            sizes = [len(p.split()) for p in phrases if lattice.words[start : start + len(p.split())] == p.split()]
            if sizes and not _is_other(lattice, start, start + max(sizes), places[0]):
                _placed(lattice, start, start + max(sizes), places[0], place)


def _says_place(column: Column, names: list[str]) -> bool:
    return column.kind == "number" and column.whole and column.low == 1 and bool(set(names) & set(column.words))


def _is_other(lattice: Lattice, start: int, end: int, place: Column) -> bool:
    """Whether another column or a value is called so, or what was won is a prize and no contest."""
    inside = [s for s in lattice.spans if s.start < end and start < s.end and s.strength >= _NAMED]
    if any(s.type in {"VALUE", "DENY"} or (s.type == "COLUMN" and s.data is not place) for s in inside):
        return True
    after = lattice.words[end] if end < len(lattice.words) else ""
    asked = any(s.cue("which", "list", "count", "mean", "median", "sum", "share", "much") for s in lattice.spans)
    if not asked:
        return True  # Of "the champion of 2020" nothing says what is wanted.
    if after in {"by", "per", "each"}:
        return True  # "The champions by year" are told, and not counted.
    named = end + (after == "the")
    known = any(s.start == named and s.type in {"VALUE", "TIME", "CUE"} for s in lattice.spans)
    return lattice.words[end - 1] in {"won", "win"} and bool(after) and after not in _OBJECTS and not known


def _placed(lattice: Lattice, start: int, end: int, column: Column, place: int) -> None:
    test = Test(value=column.value, to=(place,))
    word = " ".join(lattice.words[start:end])[:100]
    lattice.spans = [s for s in lattice.spans if not (start <= s.start < s.end <= end)]
    lattice.add(start, end, "TEST", _SAID, Meaning(word=word, kind="condition", where=(test,)))
