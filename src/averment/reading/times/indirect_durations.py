"""Lengths of time that nobody calls so: a wait, a stay, being somewhere for hours, done within a week of ordering.

Words that speak of time by themselves, and the place where it goes by, are the time between two moments of a row; a
moment that is named behind them says which.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Test
from averment.reading.lattice.difference_spans import SUBTRACT
from averment.reading.times.durations import SECONDS, between, durations, pairs_of, said, spoken
from averment.reading.words import DERIVED, derived, has_happened, kinship, singular, word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_NOUN, _WHOLE, _CUE = 0.93, 1.04, 0.97
_LASTING = frozenset(
    "long longer longest short shorter shortest wait waits waited waiting time take takes took".split()
)
_LENGTHS = _LASTING | frozenset("days hours minutes seconds weeks".split())
_UNTIL = frozenset({"until", "till", "before", "to"})
_IN = frozenset({"in", "at", "on", "inside"})
_FILLER = frozenset("the a an our their his her its".split())
_DENIED = ("un", "not-yet-", "non")


def indirect_duration_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that words mean the time between two moments without saying so."""
    for table in schema.tables.values():
        for column in durations(table):
            _lasts(lattice, table, column)
            _present(lattice, table, column)
            _until(lattice, column)
        _within(lattice, table)
        for column in table.columns:
            if column.kind == "date" and column.expression is None and column.filled < column.rows:
                _not_yet(lattice, column)


def _lasts(lattice: Lattice, table: Table, column: Column) -> None:
    """ "The average wait", "who stayed the longest", "length of service"."""
    words = lattice.words
    called = {word for pair in pairs_of(column, table) for word in pair.get("lasts", "").split()}
    own = {word for each in table.columns if each.expression is None for word in each.words}
    for place, word in enumerate(words):
        if word not in called or word in lattice.row_words or word in own:
            continue
        start, end = place, place + 1
        if words[max(0, place - 2) : place] in (["length", "of"], ["lengths", "of"]):
            start = place - 2
        if words[end : end + 1] in (["time"], ["times"]):
            end += 1
        lattice.add(start, end, "COLUMN", _NOUN + 0.02 * (end - start - 1), column)


def _until(lattice: Lattice, column: Column) -> None:
    """ "… until they are seen", "… to be discharged": the moment that ends the time, which the plan must look at."""
    assert column.expression is not None  # a computed column
    words, last = lattice.words, spoken(column.expression.operands[1])
    for place, word in enumerate(words):
        if word not in _UNTIL or not _LENGTHS & set(words[:place]):
            continue
        end = said(words, place + 1, last, part=True)
        if end is not None:
            lattice.add(place, end, "CUE", _CUE, (SUBTRACT,))


def _present(lattice: Lattice, table: Table, column: Column) -> None:
    """ "Were in the department for four hours", "at the hotel the longest": from coming in to leaving."""
    assert column.expression is not None  # a computed column
    words = lattice.words
    stays = any("stay" in pair.get("lasts", "").split() for pair in pairs_of(column, table))
    if not stays or not (_LASTING & set(words) or any(singular(word) in SECONDS for word in words)):
        return
    places = {*spoken(column.expression.operands[1])[1:], *spoken(column.expression.operands[0])[1:], *table.nouns}
    for place, word in enumerate(words):
        if word not in _IN:
            continue
        at = place + 1
        while at < len(words) and words[at] in _FILLER:
            at += 1
        known = at < len(words) and (
            words[at] in word_list("premises") or any(kinship(words[at], name) >= DERIVED for name in places)
        )
        if known and at > place + 1:
            lattice.add(place, at + 1, "COLUMN", _CUE, column)


def _within(lattice: Lattice, table: Table) -> None:
    """ "Delivered within a week of shipping": the first moment stands behind, the last one before."""
    words = lattice.words
    dates = [c for c in table.columns if c.kind == "date" and c.expression is None and c.low is not None]
    for place, word in enumerate(words):
        if word != "within":
            continue
        ends = {s.end for s in lattice.spans if s.type == "NUMBER" and s.start == place + 1 and s.data[1] in SECONDS}
        for middle in ends:
            if words[middle : middle + 1] not in (["of"], ["after"], ["from"]):
                continue
            end = middle + 2
            while end <= len(words) and words[end - 1] in _FILLER:
                end += 1
            first = _moment(words[end - 1], dates) if end <= len(words) else None
            last = next((m for word in reversed(words[:place]) if (m := _moment(word, dates)) is not None), None)
            if first is None or last is None or first is last or first.has("stamp") != last.has("stamp"):
                continue
            column = between(table, f"time from {first.name} to {last.name}", first, last)
            lattice.add(middle, end, "COLUMN", _WHOLE, column)
            lattice.add(place, place + 1, "CUE", _CUE, ("le",))
            for verb, word in enumerate(words[:place]):
                if _moment(word, dates) is last:
                    lattice.add(verb, verb + 1, "CUE", _WHOLE, (SUBTRACT,))


def _moment(word: str, dates: list[Column]) -> Column | None:
    """The moment whose name a word is nearest to; None where it is near none, or to two alike."""
    ranked = sorted(((_nearness(word, date), date) for date in dates), key=lambda pair: -pair[0])
    if not ranked or ranked[0][0] < DERIVED or (len(ranked) > 1 and ranked[1][0] == ranked[0][0]):
        return None
    return ranked[0][1]


def _nearness(word: str, date: Column) -> float:
    """How near a word is to a moment's name; a form of the same verb is nearer than another one of its family."""
    found = max((kinship(word, name) + derived(word, name) for name in spoken(date.value)), default=0.0)
    return found if word not in word_list("stop") else 0.0


def _not_yet(lattice: Lattice, moment: Column) -> None:
    """ "Unpaid", "undelivered": the moment is not there."""
    names = [word for word in spoken(moment.value) if has_happened(word)]
    test = Test(value=moment.value, operator="null")
    for place, word in enumerate(lattice.words):
        rest = next((word.removeprefix(lead) for lead in _DENIED if word.startswith(lead)), "")
        if len(rest) > 3 and any(kinship(rest, name) >= DERIVED for name in names):
            lattice.add(place, place + 1, "TEST", 1.0, Meaning(word=word, kind="condition", where=(test,)))
