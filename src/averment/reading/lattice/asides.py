"""Words that name a column or a number and ask nothing of it: "never mind the discounts", "across all three sites"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.words import is_plural, lexicon

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_view import Schema

_NAMED = 0.7
"""From this strength on a word names the column that is to play no part."""

_ASIDE, _WHOLE, _BOTH = 0.97, 0.95, 0.8
_EVERY = frozenset("all every everyone everybody everything any anyone each".split())
_FILLER = frozenset("the any all a an our their its".split())
_OVER = frozenset("across over of for in from at between".split())
_ALL = (["all"], ["all", "the"], ["all", "of", "the"], ["all", "our"], ["all", "my"], ["all", "of", "our"])


def aside_spans(lattice: Lattice) -> None:
    """A column that the question sets aside: the plan must do without it, and no row is left out for it."""
    words = lattice.words
    phrases = [phrase.split() for phrase in lexicon("words")["aside"]["said"]]
    deductions = set(lexicon("words")["aside"]["before"].split())
    for place, word in enumerate(words):
        able = [phrase for phrase in phrases if words[place : place + len(phrase)] == phrase]
        size = max(map(len, able), default=int(word == "before"))
        if not size:
            continue
        at = place + size
        while at < len(words) and words[at] in _FILLER:
            at += 1
        for span in [s for s in lattice.spans if s.type == "COLUMN" and s.start == at and s.strength >= _NAMED]:
            if able or deductions & set(words[at : span.end]):
                lattice.add(place, span.end, "ASIDE", _ASIDE, span.data)
    for span in [s for s in lattice.spans if s.type == "COLUMN" and s.strength >= _NAMED]:
        if words[span.end : span.end + 1] == ["aside"]:
            lattice.add(span.start, span.end + 1, "ASIDE", _ASIDE, span.data)


def except_spans(lattice: Lattice) -> None:
    """ "All regions but the north": after all there is, "but" leaves something out."""
    for place, word in enumerate(lattice.words):
        if word == "but" and _EVERY & set(lattice.words[max(0, place - 3) : place]):
            lattice.add(place, place + 1, "CUE", _ASIDE, ("not",))


def whole_spans(lattice: Lattice, schema: Schema) -> None:
    """A number that is how many there are: "all three sites" are the sites, "across all three" is everywhere."""
    words = lattice.words
    numbers = [s for s in lattice.spans if s.type == "NUMBER" and not s.data[1]]
    for span in list(lattice.spans):
        if span.type not in {"COLUMN", "ROW"} or span.strength < _NAMED or not is_plural(words[span.end - 1]):
            continue
        if span.start and words[span.start - 1] == "both" and span.type == "COLUMN" and span.data.distinct == 2:
            lattice.add(span.start - 1, span.end, "CUE", _BOTH, ("any",))  # both there are, put together
        table = schema.tables.get(span.data or "") if span.type == "ROW" else None
        many = span.data.distinct if span.type == "COLUMN" else table.rows if table is not None else None
        for number in numbers:
            if number.end != span.start or number.data[0] != many:
                continue
            lattice.add(number.start, number.end, "STOP", 0.3)
            said = next((len(s) for s in _ALL if words[max(0, number.start - len(s)) : number.start] == s), 0)
            start = number.start - said
            if said and start and words[start - 1] in _OVER:
                lattice.add(start - 1, span.end, "CUE", _WHOLE, ("any",))
