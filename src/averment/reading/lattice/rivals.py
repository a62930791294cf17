"""Which hypotheses about the same words give way: cues inside a name, columns that point at the rows that are meant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from averment.reading.lattice.nouns import NAMES_TABLE
from averment.reading.slots.formulas import FIRM
from averment.reading.words import has_happened, is_plural, word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_view import Schema

EXACT, _RELATIVE = 0.97, 0.1
_WHOLE, _PART = 0.94, 0.15
"""How surely a word is a table's whole name, and how far below that a part of another table's name lies."""


def trim(lattice: Lattice, schema: Schema) -> None:
    """The row's own noun is no column by a weak link, and what is named outright is not meant by a relative."""
    sure = {s.start for s in lattice.spans if s.type == "ROW" and s.data and s.strength >= 0.9 and s.end == s.start + 1}
    counted = {s.end for s in lattice.spans if s.type == "CUE" and (s.cue("count") or s.text in {"per", "each"})}
    counted |= {s.end + far for s in lattice.spans if s.cue("no") for far in range(3)}

    def weak(start: int) -> float:
        return 0.9 if start in counted else 0.73

    _amounts(lattice, counted)
    _events(lattice)
    exact: dict[tuple[str, int, int], float] = {}
    for s in lattice.spans:
        if s.type in {"COLUMN", "VALUE"} and s.strength >= EXACT:
            exact[s.type, s.start, s.end] = max(s.strength, exact.get((s.type, s.start, s.end), 0.0))
    _outreach(lattice)
    names = [s for s in lattice.spans if s.type == "COLUMN" and s.strength >= EXACT and s.end - s.start > 1]
    stop = word_list("stop")
    _passive(lattice)
    rows = {(s.start, s.end, s.data): s.strength for s in lattice.spans if s.type == "ROW" and s.data}
    pointing = {
        # A word for a table means its rows rather than a column that points at them.
        (s.start, s.end, s.data.table, s.data.name)
        for s in lattice.spans
        if s.type == "COLUMN"
        for one in schema.relations
        if (one.left, one.left_column) == (s.data.table, s.data.name)
        and rows.get((s.start, s.end, one.right), 0.0) >= s.strength - 0.1
    }

    called: dict[tuple[int, int], float] = {}
    for (start, end, _), strength in rows.items():
        called[start, end] = max(strength, called.get((start, end), 0.0))
    tables = {n for s in lattice.spans if s.type == "ROW" and s.strength >= NAMES_TABLE for n in range(s.start, s.end)}

    def inside_name(span: Span) -> bool:
        """Whether a cue begins in a column's name and runs out of it with filler only: "room count of"."""
        if span.cue("top", "bottom", "first_time", "last_time"):  # a first name is nobody's first
            return any(n.start == span.start and n.end > span.end for n in names)
        return span.type == "CUE" and any(
            n.start < span.start < n.end < span.end and all(w in stop for w in lattice.words[n.end : span.end])
            for n in names
        )

    valued = {(s.start, s.end) for s in lattice.spans if s.type == "VALUE" and s.strength >= _WHOLE}
    lattice.spans = [
        s
        for s in lattice.spans
        if not inside_name(s)
        # Women are some of the rows, where a column tells them from men.
        and not (s.type == "ROW" and not s.data and (s.start, s.end) in valued)
        and not (s.type in {"COLUMN", "VALUE", "TIME", "NUMBER"} and s.start in tables)
        and not (s.text == "record" and s.type == "CUE" and lattice.words[max(0, s.start - 1)] in lattice.row_words)
        and not (s.type == "COLUMN" and (s.start, s.end, s.data.table, s.data.name) in pointing)
        and not (s.type == "COLUMN" and s.end == s.start + 1 and s.start in sure and s.strength < weak(s.start))
        and s.strength >= exact.get((s.type, s.start, s.end), 0.0) - _RELATIVE
        # Players are the players, and not who coaches them.
        and not (s.type == "ROW" and s.data and called[s.start, s.end] >= _WHOLE > s.strength + _PART)
    ]


def _amounts(lattice: Lattice, counted: set[int]) -> None:
    """Sales are an amount of money, unless they are counted."""
    amounts: set[int] = set()
    for place, s in enumerate(lattice.spans):
        money = s.type == "COLUMN" and s.text in word_list("amount_noun") and s.data.additive and s.start not in counted
        if money and s.strength >= FIRM:
            lattice.spans[place] = replace(s, strength=max(s.strength, 0.96))
            amounts.add(s.start)
    lattice.spans = [
        replace(s, strength=0.7) if s.type == "ROW" and s.start in amounts and s.strength > 0.7 else s
        for s in lattice.spans
    ]


def _events(lattice: Lattice) -> None:
    """Who died is told by the day of death, where there is one, and not by a cause that is called death."""
    dated = {
        (s.start, s.end, s.data.table)
        for s in lattice.spans
        if s.type == "COLUMN" and s.data.kind == "date" and s.end == s.start + 1 and has_happened(s.text)
    }
    lattice.spans = [
        s
        for s in lattice.spans
        if not (s.type == "VALUE" and s.strength < EXACT and (s.start, s.end, s.data[0].table) in dated)
    ]


_SPELT = 0.85
"""From this strength on a column is called so, in full or cut short: a quantity is what qty says."""

_COUNTS = frozenset("number count total amount".split())


def _passive(lattice: Lattice) -> None:
    """ "Owned by the customer", "written by authors": who did it, and no grouping."""
    verbs = word_list("relation_verb") | word_list("event_verb")
    words = lattice.words
    acted = {
        s.start
        for s in lattice.spans
        if s.text in {"by", "by the"}
        and s.start
        and words[s.start - 1] in verbs
        and any(
            o.start == s.end
            and (
                (o.type == "ROW" and _acts(o, words) and (s.text == "by the" or is_plural(words[s.end])))
                or o.type == "QUOTE"
            )
            for o in lattice.spans
        )
    }
    lattice.spans = [
        s for s in lattice.spans if not (s.type == "CUE" and s.start in acted and s.text in {"by", "by the"})
    ]
    for place in sorted(acted):
        lattice.add(place, place + 1, "STOP", 0.3)


def _acts(row: Span, words: list[str]) -> bool:
    """Whether a word for rows can say who did something: it names a table, or people."""
    return bool(row.data) or words[row.start] in word_list("people")


def _outreach(lattice: Lattice) -> None:
    """A column whose name a cue holds too ("quantity of") covers the cue's filler as well, so that both are rivals."""
    stop = word_list("stop")
    cues_at = [s for s in lattice.spans if s.type == "CUE" and s.end - s.start > 1]
    for s in [s for s in lattice.spans if s.type == "COLUMN" and s.strength >= _SPELT and s.text not in _COUNTS]:
        for cue in cues_at:
            if s.strength < EXACT and not (cue.cue("count") and s.data.has("measure")):
                continue
            if cue.start == s.start and cue.end > s.end and all(w in stop for w in lattice.words[s.end : cue.end]):
                lattice.add(cue.start, cue.end, "COLUMN", max(s.strength, EXACT), s.data)
                if cue.cue("count") and s.data.has("measure") and cue in lattice.spans:
                    lattice.spans.remove(cue)  # a quantity is the rows' own, where they have one
