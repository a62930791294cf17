"""Words for what lies between two numbers of a row: a range, a gap, an improvement, a loss, a change.

What two columns give together becomes a column of the lattice, so that whatever can be asked of a number can be asked
of it: its average, its extremes, by group, as a condition.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Test
from averment.reading.lattice.amounts import added_up
from averment.reading.schema.differences import Pair, difference, metered, pairs
from averment.reading.words import DERIVED, kinship, lexicon, word_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

SUBTRACT = "subtract"
"""The cue of a word that asks for a difference; its trace is that the plan takes one."""

_WHOLE, _NAMED, _LOOSE = 1.04, 0.97, 0.93
_FIRM = 0.7
"""How strongly words must name a column to stand at one side of a difference."""

_FILLER = frozenset("the a an their its his her each our my your day's".split())
_EACH_DAY = frozenset({"daily", "intraday", "day's"})
_MUCH = frozenset(
    "most least much total average mean highest largest biggest greatest smallest lowest top sum median widest wider "
    "maximum minimum max min than more over under above below big bigger large larger far".split()
)


def difference_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that words mean what lies between two numbers of a row."""
    for table in schema.tables.values():
        found, so_far = pairs(table), len(lattice.spans)
        _from_one_to_other(lattice, table)
        _how_much_more(lattice, table)
        for pair in found:
            _between_ends(lattice, pair)
        for column, entry in metered(table):
            _ran(lattice, column, entry)
        if any(span.strength >= _WHOLE for span in lattice.spans[so_far:]):
            continue  # Both sides are named: no other two are meant.
        for pair in found:
            if sum(pair.kind is other.kind for other in found) == 1 or _says(lattice.words, pair.called):
                _range(lattice, pair)
                _changed(lattice, pair)


def _says(words: list[str], shared: frozenset[str]) -> bool:
    return bool(shared) and all(any(kinship(word, name) >= DERIVED for word in words) for name in shared)


def _is_amount(words: list[str], start: int, end: int) -> bool:
    """Whether the words around ask by how much, and not only for which rows it holds."""
    around = [*words[:start], *words[end:]]
    return bool(_MUCH & set(around)) or any(word.isdigit() for word in around)


def _run(words: list[str], place: int, names: frozenset[str], step: int) -> int:
    """The place behind words that only name what both columns are, going on from a place."""
    at = place
    while 0 <= at < len(words) and (words[at] in _FILLER or any(kinship(words[at], name) >= DERIVED for name in names)):
        at += step
    while step > 0 and at > place and words[at - 1] in _FILLER:
        at -= 1
    while step < 0 and at < place and words[at + 1] in _FILLER:
        at += 1
    return at


def _range(lattice: Lattice, pair: Pair) -> None:
    """ "Temperature range", "daily spread", "swing in temperature": from the low to the high."""
    words = lattice.words
    for place, word in enumerate(words):
        if word not in pair.words("said") or words[place + 1 : place + 2] in (["from"], ["between"]):
            continue
        start, end = _around(words, place, pair.called)
        lattice.add(start, end, "COLUMN", _NAMED if end - start > 1 else _LOOSE, pair.column())


def _around(words: list[str], place: int, shared: frozenset[str]) -> tuple[int, int]:
    """Where a noun with what it is of begins and ends: "daily temperature range", "loss of weight"."""
    start = _run(words, place - 1, shared, -1) + 1
    if start and words[start - 1] in _EACH_DAY:
        start -= 1
    end = place + 1
    if words[end : end + 1] in (["in"], ["of"]):
        after = _run(words, end + 1, shared, 1)
        end = after if after > end + 1 else end
    else:
        end = _run(words, end, shared, 1)
    return start, end


_HELD_TOGETHER = frozenset("correlation correlations coefficient relationship relation association link".split())
"""What stands between two numbers and is not how far apart they are."""


def _between_ends(lattice: Lattice, pair: Pair) -> None:
    """ "Between the high and the low temperature", "from the opening to the closing balance"."""
    words = lattice.words
    for place, word in enumerate(words):
        if word not in {"between", "from"} or (place and words[place - 1] in _HELD_TOGETHER):
            continue
        found = _sides(words, place, pair)
        if found is None:
            continue
        end, low_first = found
        heads = _heads(words, place)
        less = word == "from" and not low_first and bool(heads & _changes("less"))
        _head(lattice, place, pair.called, end, pair.column(less=less))


def _sides(words: list[str], place: int, pair: Pair) -> tuple[int, bool] | None:
    """Where both ends of a pair end that are named behind a place, and whether the first comes first."""
    ends = {True: pair.words("from"), False: pair.words("to")}
    at, order, named = place + 1, [], False
    while at < len(words) and len(order) < 2:
        side = next((low for low, names in ends.items() if words[at] in names), None)
        if side is not None and not (order and order[0] == side):
            order.append(side)
            named = True
        elif words[at] in {"and", "to", "until", "till"}:
            if len(order) != 1 or not named:
                return None
        elif words[at] not in _FILLER and not any(kinship(words[at], name) >= DERIVED for name in pair.called):
            return None
        at += 1
    if len(order) < 2:
        return None
    return _run(words, at, pair.called, 1), order[0]


def _head(lattice: Lattice, place: int, shared: frozenset[str], end: int, of: Column | Meaning) -> None:
    """The noun or verb that the two sides belong to: right before them it is one name with them, else it asks."""
    words = lattice.words
    kind = "TEST" if isinstance(of, Meaning) else "COLUMN"
    lattice.add(place, end, kind, _WHOLE, of)
    for at, word in enumerate(words):
        if word not in _all_heads() or place <= at < end:
            continue
        start, behind = _around(words, at, shared)
        if behind == place:
            lattice.add(start, end, kind, _WHOLE, of)
        else:
            last = behind if words[behind : behind + 1] != ["of"] else behind + 1
            lattice.add(start, max(at + 1, last), "CUE", _NAMED, (SUBTRACT,))


def _heads(words: list[str], _: int) -> frozenset[str]:
    return frozenset(words) & _all_heads()


@cache
def _changes(way: str) -> frozenset[str]:
    return frozenset(word for kind in lexicon("words")["difference"] for word in kind.get(way, "").split())


@cache
def _all_heads() -> frozenset[str]:
    return _changes("said") | _changes("more") | _changes("less") | {"difference", "change", "changed"}


def _changed(lattice: Lattice, pair: Pair) -> None:
    """ "Weight loss", "who lost the most weight", "how many gained weight": from what was before to what came after."""
    words = lattice.words
    taken = {word for s in lattice.spans if s.type == "COLUMN" and s.strength >= _NAMED for word in s.text.split()}
    for less in (False, True):
        heads = pair.words("less" if less else "more")
        for place, word in enumerate(words):
            if word not in heads or word in taken:
                continue
            column = pair.column(less=less)
            start, end = _around(words, place, pair.called)
            loose = [n for n, w in enumerate(words) if any(kinship(w, each) >= DERIVED for each in pair.called)]
            if not _is_amount(words, start, end):
                operator = "<" if less else ">"
                test = Test(value=pair.last.value, operator=operator, other=pair.first.value)
                meaning = Meaning(word=" ".join(words[start:end]), kind="condition", where=(test,))
                lattice.add(start, end, "TEST", _NAMED, meaning)
            elif end - start > 1 or not loose:
                lattice.add(start, end, "COLUMN", _NAMED, column)
            else:
                lattice.add(place, place + 1, "CUE", _NAMED, (SUBTRACT,))
                for at in loose:
                    lattice.add(at, at + 1, "COLUMN", 1.0, column)


def _ran(lattice: Lattice, column: Column, entry: dict[str, str]) -> None:
    """ "How many miles did each van do", "how much did the house use": what ran between two readings of a meter."""
    words, named = lattice.words, set(column.words) & set(lattice.words)
    asked = bool(_MUCH & set(words))
    for place, word in enumerate(words):
        if word in entry["units"].split():
            if words[max(0, place - 2) : place] == ["how", "many"]:
                lattice.add(place - 2, place + 1, "COLUMN", 1.03, added_up(column))
            most = words[place - 1 : place] in (["most"], ["fewest"], ["least"])  # altogether
            lattice.add(place, place + 1, "COLUMN", 1.0, added_up(column) if most else column)
        elif word in entry["verbs"].split() and asked and not named:
            lattice.add(place, place + 1, "COLUMN", _LOOSE, column)
        elif word in entry["goes"].split():
            lattice.add(place, place + 1, "CUE", _FIRM, (SUBTRACT,))


def _from_one_to_other(lattice: Lattice, table: Table) -> None:
    """ "Improved from test 1 to test 2", "growth between round one and round three": both columns are named."""
    words = lattice.words
    more, less = (frozenset(words) & _changes(way) for way in ("more", "less"))
    if not more and not less:
        return
    for place, word in enumerate(words):
        if word not in {"from", "between"}:
            continue
        for first, last in _two(lattice, table, place + 1, {"to"} if word == "from" else {"and"}):
            pair = (last.data, first.data) if less and not more else (first.data, last.data)
            shared = frozenset(first.data.words) & frozenset(last.data.words)
            if _is_amount(words, place, last.end) or (more | less) & _changes("amount"):
                if not (more | less) & _changes("grew"):  # by how many, or by how much of what was there
                    _head(lattice, place, shared, last.end, difference(*pair, table))
                continue
            operator = "!=" if sorted(more | less) == ["changed"] else ">"
            test = Test(value=pair[1].value, operator=operator, other=pair[0].value)
            meaning = Meaning(word=" ".join(words[place : last.end]), kind="condition", where=(test,))
            _head(lattice, place, shared, last.end, meaning)


def _how_much_more(lattice: Lattice, table: Table) -> None:
    """ "How much higher is the list price than the price paid": the one number less the other."""
    words = lattice.words
    for place, (one, two) in enumerate(pairwise(words)):
        if (one, two) != ("how", "much") or words[place + 2 : place + 3] == ["than"]:
            continue
        graded = [s for s in lattice.spans if s.start == place + 2 and (s.cue("more", "less") or s.type == "GRADE")]
        down = any(s.cue("less") for s in graded)
        for start in range(place + 3, len(words)) if graded else ():
            for first, last in _two(lattice, table, start, {"than"}):
                pair = (first.data, last.data) if down else (last.data, first.data)
                lattice.add(first.start, last.end, "COLUMN", _WHOLE, difference(*pair, table))
                lattice.add(place, graded[0].end, "CUE", _WHOLE, (SUBTRACT,))


def _two(lattice: Lattice, table: Table, start: int, joined: set[str]) -> Iterator[tuple[Span, Span]]:
    """Two numbers of a table that are named one behind the other, with such a word between them."""
    words = lattice.words

    def named(at: int) -> list[Span]:
        while at < len(words) and words[at] in _FILLER:
            at += 1
        return _best(s for s in lattice.spans if s.start == at and _is_number(s, table))

    for first in named(start):
        if words[first.end : first.end + 1] and words[first.end] in joined:
            for last in named(first.end + 1):
                if last.data is not first.data:
                    yield first, last


def _best(spans: Iterator[Span]) -> list[Span]:
    found = sorted(spans, key=lambda s: (-s.strength, -s.end, repr(s.data)))
    return found[:1]


def _is_number(span: Span, table: Table) -> bool:
    if span.type != "COLUMN" or span.strength < _FIRM or span.data.table != table.name:
        return False
    joined = {"to", "and", "than"} & set(span.text.split()) - word_list("unit_words")
    return span.data.has("measure") and span.data.expression is None and not joined
