"""Lengths of time that a question says itself: "between booking and the appointment", "how many days did they stay"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Test
from averment.reading.lattice.taught_spans import places_of
from averment.reading.times.durations import (
    SECONDS,
    UNITS,
    between,
    durations,
    in_unit_of,
    is_called,
    said,
    spoken,
)
from averment.reading.words import DERIVED, kinship, lexicon, singular

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_WAITING = frozenset(
    "wait waits waited waiting pass passes passed elapse elapses elapsed go goes take takes took".split()
)
_LENGTHS = frozenset("longest shortest longer shorter".split())
_DOING = frozenset("do does did have has on average typically usually it they people we".split())


def said_duration_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses for two moments that are both named, and for days that something took by its verb."""
    for table in schema.tables.values():
        dates = [c for c in table.columns if c.kind == "date" and c.expression is None and c.low is not None]
        named = [
            _between_both(lattice, table, first, last)
            for first in dates
            for last in dates
            if first is not last and first.has("stamp") == last.has("stamp")
        ]
        for column in durations(table) if not any(named) else ():
            _ended(lattice, table, column)
            _by_the_verb(lattice, table, column)
            _unfinished(lattice, table, column)


def _between_both(lattice: Lattice, table: Table, first: Column, last: Column) -> bool:
    """ "How long do patients wait between booking and their appointment": from the one moment to the other."""
    words, found = lattice.words, False
    for place, word in enumerate(words):
        if word not in {"between", "from"}:
            continue
        middle = said(words, place + 1, spoken(first.value))
        if middle is None or middle >= len(words) or words[middle] not in {"and", "to", "until", "till"}:
            continue
        end = said(words, middle + 1, spoken(last.value), part=True)
        if end is None:
            continue
        found = True
        column = between(table, f"time from {first.name} to {last.name}", first, last)
        lattice.add(place, end, "COLUMN", 1.04, column)
        for at in range(place - 1):
            if words[at : at + 2] == ["how", "long"]:
                lattice.add(at, at + 2, "CUE", 0.97, ("much", "lasting"))
        _light(lattice, place)
        unit = next((at for at in range(place) if singular(words[at]) in UNITS), None)
        if unit is not None:
            turned = in_unit_of(column, UNITS[singular(words[unit])])
            lattice.add(place, end, "COLUMN", 1.05, turned)
            if words[max(0, unit - 2) : unit] == ["how", "many"]:
                lattice.add(unit - 2, unit + 1, "CUE", 0.99, ("much", "lasting"))
    return found


def _by_the_verb(lattice: Lattice, table: Table, column: Column) -> None:
    """ "How many days did they stay", "how long": the verb that the time between two moments is called by."""
    words = lattice.words
    for place in range(len(words) - 2):
        long, many = words[place : place + 2] == ["how", "long"], words[place : place + 2] == ["how", "many"]
        unit = UNITS.get(singular(words[place + 2])) if many else None
        if not long and unit is None:
            continue
        for verb in range(place + 2 + many, len(words)):
            if words[verb] in lattice.row_words or not is_called(column, table, words[verb]):
                continue
            turned = column if unit is None else in_unit_of(column, unit)
            end = place + 2 + many
            lattice.add(place, end, "COLUMN", 1.04, turned)
            if words[end : end + 1] in (["until"], ["till"], ["before"]):
                lattice.add(place, end + 1, "COLUMN", 1.04, turned)
            lattice.add(verb, verb + 1, "STOP", 0.5)
            _light(lattice, verb)
            _begun(lattice, table, column, verb)


def _ended(lattice: Lattice, table: Table, column: Column) -> None:
    """ "Took more than 2 days to resolve": the verb says no more than that it ended."""
    words = lattice.words
    measured = bool(_LENGTHS & set(words)) or any(singular(word) in SECONDS for word in words)
    for place in range(1, len(words)):
        waited = words[place - 1] == "to" and bool(_WAITING & set(words[:place]))
        went_on = measured and words[place].endswith("ed")
        if (waited or went_on) and is_called(column, table, words[place]):
            lattice.add(place, place + 1, "STOP", 0.5)


def _begun(lattice: Lattice, table: Table, column: Column, verb: int) -> None:
    """ "… to pay after a visit": what it began with says no more than the duration does."""
    assert column.expression is not None  # a computed column
    words, began = lattice.words, [*table.nouns, *spoken(column.expression.operands[0])]
    for place in range(verb + 1, len(words)):
        if words[place] not in {"after", "from", "since"}:
            continue
        for end in range(place + 2, min(place + 4, len(words)) + 1):
            if any(kinship(words[end - 1], each) >= DERIVED for each in began):
                lattice.add(place, end, "CUE", 0.9, ("much", "lasting"))


def _unfinished(lattice: Lattice, table: Table, column: Column) -> None:
    """ "Still open": what began and has no end yet, where the end is missing in some rows."""
    assert column.expression is not None  # a computed column
    last = table.find(column.expression.operands[1].column or "")
    if last is None or last.filled >= last.rows:
        return
    for phrase in lexicon("words")["unfinished"]["said"]:
        for start, end in places_of(phrase, lattice.words):
            test = Test(value=last.value, operator="null")
            lattice.add(start, end, "TEST", 1.1, Meaning(word=phrase, kind="condition", where=(test,)))


def _light(lattice: Lattice, before: int) -> None:
    """Verbs of waiting say no more than that time goes by."""
    for at, word in enumerate(lattice.words[:before]):
        if word in _WAITING:
            lattice.add(at, at + 1, "STOP", 0.5)
