"""Whether there is any of something: homes with a garage, who left a review, who never got a red card, rainy days.

What a number counts or measures is there where it is above 0, and none where it is 0; what a column may leave empty is
there where it is known. A column that holds zeros and gaps may mean either, and is asked about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Test
from averment.reading.lattice.rivals import EXACT
from averment.reading.words import has_happened, kinship, lexicon, singular

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

_NAMED, _OTHERWISE = 0.72, 0.94
"""From which strength on a word names a column, and on something else named outright is meant."""

_SAID = 1.0

_KIN = 0.85
_COMPARED = ("gt", "lt", "ge", "le", "eq", "between", "than", "or_more", "or_less", "missing", "known", "more", "less")
_FIGURES = ("count", "share", "mean", "median", "sum", "rate")
_ROWS = frozenset({"ROW", "PART", "DENY", "VALUE", "TEST"})
_LEVELS = frozenset("score rating grade mark temperature temp latitude longitude lat lon balance age".split())
"""Of what has such a name a 0 is a value like any other."""


def presence_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that some words say that there is any of a column, or none."""
    for span in [s for s in lattice.spans if s.type == "COLUMN" and s.strength >= _NAMED]:
        tests = list(_there(span.data))
        once = _after(lattice.words, span.end, lexicon("words")["presence"]["once"])
        if not tests or (once is None and _is_compared(lattice, span)) or _is_other(lattice, span):
            continue
        _denied(lattice, span, guessed=len(tests) > 1)
        found = _affirmed(lattice, span)
        if found is not None:
            start, end, sure = found
            for test in tests:
                _add(lattice, start, end, test, guessed=len(tests) > 1 or not sure)
    _told_in_one_word(lattice, schema)
    for column in schema.columns:
        if column.has("flag"):
            _flagged(lattice, column)


def _there(column: Column) -> Iterator[Test]:
    """What it is to be there at all, by the column: above 0, or known."""
    if column.has("flag", "year") or column.expression is not None:
        return
    if holds_none(column):
        yield Test(value=column.value, operator=">", to=(0,))
    if 0 < column.filled < column.rows:
        yield Test(value=column.value, operator="null", negated=True)


def holds_none(column: Column) -> bool:
    """Whether a number counts or measures something that some rows have none of."""
    plain = column.kind == "number" and column.has("measure") and not _LEVELS & set(column.words)
    return plain and isinstance(column.low, int | float) and column.low == 0 and column.high != 0


def _is_compared(lattice: Lattice, span: Span) -> bool:
    """Whether a number, a comparison or a part of it stands behind: "with a score above 80", "a party of 4"."""
    after = lattice.words[span.end] if span.end < len(lattice.words) else ""
    behind = [s for s in lattice.spans if s.start == span.end]
    return after in {"of", "is", "was"} or any(s.type == "NUMBER" or s.cue(*_COMPARED) for s in behind)


def _is_other(lattice: Lattice, span: Span) -> bool:
    """Whether the words name a value or another table outright, or are part of a longer name."""
    own = span.data.table if span.strength >= EXACT else ""
    for other in lattice.spans:
        if other.start >= span.end or span.start >= other.end:
            continue
        table = other.type == "ROW" and other.data not in {None, own}
        if (table or other.type in {"VALUE", "TEST"}) and other.strength >= _OTHERWISE:
            return True
        longer = other.start <= span.start and span.end < other.end
        if longer and other.type == "COLUMN" and other.strength >= span.strength:
            return True
    return False


def _before(words: list[str], end: int, phrases: list[str]) -> int | None:
    """Where the longest of some phrases begins that ends here; None where none does."""
    sizes = [len(p.split()) for p in phrases if words[max(0, end - len(p.split())) : end] == p.split()]
    return end - max(sizes) if sizes else None


def _affirmed(lattice: Lattice, span: Span) -> tuple[int, int, bool] | None:
    """From where to where words say that something is there, and whether they can say nothing else."""
    words, said = lattice.words, lexicon("words")["presence"]
    if (end := _after(words, span.end, said["once"])) is not None:
        return span.start, end, True
    if {"a", "an"} & set(words[span.start + 1 : span.end]):
        return span.start, span.end, True  # "brought a guest", where a column is called guests brought
    falls = span.text in said["falls"] and "much" not in words
    if falls and (it := _before(words, span.start, said["it"])) is not None:
        return it, span.end, True
    if falls and words[max(0, span.start - 2) : span.start] in (["it", "last"], ["it", "first"]):
        return span.start, span.end, True
    some = _before(words, span.start, said["some"])
    lead = _before(words, span.start if some is None else some, said["having"])
    if some is not None and words[some] not in {"a", "an", "any", "some"}:
        return some if lead is None else lead, span.end, True
    if some is not None and words[some - 1 : some] in (["and"], ["or"]) and set(words[:some]) & set(said["having"]):
        denied = any(s.cue("not", "no", "missing") and s.start < some for s in lattice.spans)
        return None if denied else (some, span.end, True)  # "with a garden and a garage"
    if not lead:
        return None  # "Give a score" asks for one.
    if some is not None:
        return lead, span.end, True
    if has_happened(span.text) and words[lead] in {"have", "has", "had"}:
        return None
    if words[lead - 1] not in {"who", "that", "which"} and not _ends_with_rows(lattice, lead):
        return None  # "Price with shipping" is another price.
    figured = any(s.cue(*_FIGURES) and s.start < lead for s in lattice.spans)
    return lead, span.end, figured


def _ends_with_rows(lattice: Lattice, end: int) -> bool:
    """Whether what stands before names rows, or what they are told apart by."""
    before = [s for s in lattice.spans if s.end == end and s.strength >= _NAMED]
    within = any(s.type == "CUE" and s.start < end < s.end for s in lattice.spans)
    named = any(s.type in _ROWS or (s.type == "COLUMN" and not s.data.has("measure")) for s in before)
    return named and not within


def _after(words: list[str], start: int, phrases: list[str]) -> int | None:
    sizes = [len(p.split()) for p in phrases if words[start : start + len(p.split())] == p.split()]
    return start + max(sizes) if sizes else None


def _denied(lattice: Lattice, span: Span, *, guessed: bool) -> None:
    """ "Never got a red card", "didn't leave a review", "never late": what stands before says none, in one cue."""
    words, said = lattice.words, lexicon("words")["presence"]
    end = span.start
    start = _before(words, end, said["some"])
    start = end if start is None else start
    lead = _before(words, start, [*said["having"], *said["doing"]])
    denial = _before(words, start if lead is None else lead, said["denial"])
    valued = any(s.type == "VALUE" and s.data[0] is span.data and s.start == denial for s in lattice.spans)
    if denial is not None and not valued:  # "never smoked" may be a value by itself
        lattice.add(denial, end, "CUE", _SAID, ("no",), guessed=guessed)
    if guessed:
        lattice.spans = [replace(s, guessed=True) if s.end == end and s.cue("no") else s for s in lattice.spans]


def _told_in_one_word(lattice: Lattice, schema: Schema) -> None:
    """ "Rainy days", "childless couples": there is some of what the word is made of, or none."""
    said = lexicon("words")["presence"]
    able = [c for c in schema.columns if holds_none(c) and c.filled == c.rows]
    for place, word in enumerate(lattice.words):
        some, none = (set(said[name].get(word, "").split()) for name in ("full", "free"))
        stem = word.removesuffix("less") if word.endswith("less") and len(word) > 6 else ""
        for column in able if some or none or stem else ():
            names = {singular(each) for each in column.words}
            if names & some:
                _add(lattice, place, place + 1, Test(value=column.value, operator=">", to=(0,)))
            elif names & none or (stem and any(kinship(stem, name) >= _KIN for name in column.words)):
                _add(lattice, place, place + 1, Test(value=column.value, to=(0,)))


def _flagged(lattice: Lattice, column: Column) -> None:
    """ "For the first time": what says yes to a yes/no column of another name, "First Timer"."""
    for each in lexicon("words")["flagged"]:
        if not any(set(name.split("_")) <= set(column.words) for name in each["column"].split()):
            continue
        for start in range(len(lattice.words)):
            end = _after(lattice.words, start, each["said"])
            if end is not None:
                lattice.spans = [s for s in lattice.spans if not (s.type == "CUE" and start <= s.start < s.end <= end)]
                lattice.add(start, end, "COLUMN", _SAID, column)


def _add(lattice: Lattice, start: int, end: int, test: Test, *, guessed: bool = False) -> None:
    word = " ".join(lattice.words[start:end])[:100]
    if end - start == 1:  # What says it by itself does not ask how much of it there is.
        lattice.spans = [s for s in lattice.spans if not (s.type == "COLUMN" and (s.start, s.end) == (start, end))]
    lattice.add(start, end, "TEST", _SAID, Meaning(word=word, kind="condition", where=(test,)), guessed=guessed)
