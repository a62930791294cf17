"""Columns that are numbered, as one thing: three tests, four rounds; and who took or missed some or all of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Test
from averment.reading.lattice.number_words import SMALL
from averment.reading.words import kinship, word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_MISSED = ("missed", "skipped", "absent for", "absent from", "did not take", "didn't take", "did not sit", "didn't sit")
_LACKED = ("missing", "lacking", "without", "have no", "has no", "not have", "don't have", "left blank", "left out")
_HAS = ("have", "has", "with")
_TOOK = (*_HAS, "took", "sat", "completed", "have taken", "has taken", "attended", "filled in", "answered")
_DONE = ("filled in", "completed", "taken", "done", "answered", "present", "recorded")
_SOME = (
    "at least one of",
    "at least one",
    "one or more of",
    "one or more",
    "any of",
    "any",
    "some of",
    "a",
    "an",
    "one of",
)
_EVERY = ("all of", "all", "every one of", "every", "each of", "each", "both", "both of")
_NONE = ("none of", "no")
_SURE = 1.1
_BARE, _SPOKEN_OF = 0.92, 0.7
"""How surely a year is the column that is called by it, and from which strength on such columns are spoken of."""

_YEAR = re.compile(r"(1[5-9]|20|21)\d\d")


def series_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses for numbered columns that were taken or missed."""
    for table in schema.tables.values():
        for noun, members in column_series(table).items():
            _taken(lattice, noun, members)
        for column in table.columns:
            if column.kind == "number" and column.filled < column.rows:
                _missed(lattice, column)


def column_series(table: Table) -> dict[str, list[Column]]:
    """Numbers of a table that are called alike but for a number, by what they are called."""
    found: dict[tuple[str, ...], list[Column]] = {}
    dull = word_list("unit_words")
    for column in table.columns:
        words = tuple(word for word in column.words if not word.isdigit() and word not in dull)
        if column.kind == "number" and column.expression is None and words and any(w.isdigit() for w in column.words):
            found.setdefault(words, []).append(column)
    return {words[-1]: members for words, members in found.items() if len(members) > 1}


def dated_spans(lattice: Lattice, schema: Schema) -> None:
    """Bare years for the columns that are called by them: "between 1966 and 1971", where the counts of both stand."""
    for table in schema.tables.values():
        series = _dated(table, lattice)
        for place, word in enumerate(lattice.words):
            if _YEAR.fullmatch(word) and int(word) % 100 in series:
                lattice.add(place, place + 1, "COLUMN", _BARE, series[int(word) % 100])


def _dated(table: Table, lattice: Lattice) -> dict[int, Column]:
    """The columns of a table that are called alike but for a year, by the year's end: those that are spoken of."""
    found: dict[tuple[str, ...], dict[int, Column]] = {}
    for column in table.columns:
        years = [int(word) % 100 for word in column.words if _YEAR.fullmatch(word) or re.fullmatch(r"\d\d", word)]
        rest = tuple(word for word in column.words if not word.isdigit())
        if column.has("measure") and column.expression is None and len(years) == 1 and rest:
            found.setdefault(rest, {})[years[0]] = column
    able = [members for members in found.values() if len(members) > 1]
    spans = [s for s in lattice.spans if s.type == "COLUMN" and not s.text.isdigit() and s.strength >= _SPOKEN_OF]
    named = [members for members in able if any(s.data in members.values() for s in spans)]
    if any(column.has("year", "date") for column in table.columns):
        able = []  # What happened in a year is then told by the rows.
    return named[0] if len(named) == 1 else able[0] if len(able) == 1 and not named else {}


def _taken(lattice: Lattice, noun: str, members: list[Column]) -> None:
    """ "Missed at least one of the three tests", "took all tests", "all three rounds filled in"."""
    words = lattice.words
    for place, word in enumerate(words):
        if kinship(word, noun) < 0.97:
            continue
        found = _quantified(words, place, len(members))
        if found is None:
            continue
        start, some = found
        end = place + 1
        before = _ends_with(words[:start], (*_MISSED, *_LACKED, *_TOOK))
        after = next((each for each in _DONE if words[end : end + len(each.split())] == each.split()), None)
        if before is not None:
            start -= len(before.split())
            end += len(after.split()) if after is not None and before in _HAS else 0
            missing = before in {*_MISSED, *_LACKED}
        elif after is not None:
            missing = False
            end += len(after.split())
        else:
            continue
        if some == "none":
            missing, some = not missing, "every"
        tests = tuple(Test(value=column.value, operator="null", negated=not missing) for column in members)
        whole = (Test(any_of=tests),) if some == "some" else tests
        meaning = Meaning(word=" ".join(words[start:end])[:100], kind="condition", where=whole)
        lattice.add(start, end, "TEST", _SURE, meaning)


def _quantified(words: list[str], place: int, size: int) -> tuple[int, str] | None:
    """Where the words begin that say how many of a series, and whether some, every or none; None where nothing says."""
    at = place
    number = words[at - 1] if at else ""
    if number.isdigit() or number in SMALL:
        if (int(number) if number.isdigit() else SMALL[number]) != size:
            return None
        at -= 1
    while at and words[at - 1] in {"the", "these", "those", "their"}:
        at -= 1
    for name, phrases in (("none", _NONE), ("every", _EVERY), ("some", _SOME)):
        said = _ends_with(words[:at], phrases)
        if said is not None:
            return at - len(said.split()), name
    return None


def _ends_with(words: list[str], phrases: tuple[str, ...]) -> str | None:
    """The longest of some phrases that words end with."""
    found = [each for each in phrases if words[-len(each.split()) :] == each.split()]
    return max(found, key=len, default=None)


def _missed(lattice: Lattice, column: Column) -> None:
    """ "Missed test 2": a number that is not there."""
    for span in list(lattice.spans):
        if span.type != "COLUMN" or span.data is not column or span.strength < 0.9:
            continue
        start = span.start - (lattice.words[span.start - 1] == "the" if span.start else 0)
        verb = _ends_with(lattice.words[:start], _MISSED)
        if verb is not None:
            start -= len(verb.split())
            test = Test(value=column.value, operator="null")
            said = " ".join(lattice.words[start : span.end])[:100]
            lattice.add(start, span.end, "TEST", _SURE, Meaning(word=said, kind="condition", where=(test,)))
