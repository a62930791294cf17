"""Two columns of a row that are held against each other: sold above the asking price, delivered later than promised.

What is said between two names is a condition on the row; also where a name is only hinted at, if no other column of
its kind is called so, and where the other column is that of a row it points at: the same country as its warehouse.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Test
from averment.reading.words import DERIVED, abbreviations, has_happened, kinship, lexicon, singular, word_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from averment.plans.plan import Operator
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema, Table

_HELD = 0.98
_LONGEST = 3
"""How many words name one side at most."""

_FILLER = frozenset("the their its his her a an our my it they".split())
_LINKS = frozenset("is are was were be been being for at price".split())
_PLACED = frozenset("over under above below after before".split())
"""What also divides, or says when: it holds two columns against each other only where rows are picked."""
_PICKING = frozenset("that which where who whose when if how many percentage percent share proportion fraction".split())
_SPANNED = frozenset("long days hours minutes weeks months time".split())
_LEADS = frozenset("in at for on to".split())
_KIN = 0.7
"""How near a verb must be to what both columns are called: what sold has sales."""


def against_spans(lattice: Lattice, schema: Schema) -> None:
    """Hypotheses that words hold one column of a row against another."""
    if lattice.words[:1] and lattice.words[0] in word_list("yes_no"):
        return  # Whether one is more than the other is told of both.
    for place in range(1, len(lattice.words)):
        for operator, size in _said(lattice.words, place, "between"):
            for table in schema.tables.values():
                _two_sides(lattice, table, place, size, operator)
        for operator, size in _said(lattice.words, place, "behind"):
            for table in schema.tables.values():
                _both_named(lattice, table, place, size, operator)
        _same_as_its(lattice, schema, place)
        for operator, size in _said(lattice.words, place, "than") if "than" in lattice.words[place:] else ():
            for table in schema.tables.values():
                _one_than_other(lattice, table, place, size, operator)


def _one_than_other(lattice: Lattice, table: Table, place: int, size: int, operator: Operator) -> None:
    """ "Sold better in Europe than in Japan", where the sales of both stand side by side."""
    words = lattice.words
    middle = words.index("than", place)
    at = _behind_leads(words, place + size)
    for stop, right in _names(words, table, _behind_leads(words, middle + 1), forward=True):
        pair = _pair(_called(words[at:middle], table), right, operator) if at < middle else None
        shared = set(pair[0].words) & set(pair[1].words) if pair is not None else set[str]()
        if pair is not None and any(kinship(words[place - 1], name) >= _KIN for name in shared):
            _add(lattice, place - 1, stop, operator, pair)
            return


def _behind_leads(words: Sequence[str], place: int) -> int:
    at = place
    while at < len(words) and (words[at] in _LEADS or words[at] in _FILLER):
        at += 1
    return at


def _said(words: Sequence[str], place: int, where: str) -> Iterator[tuple[Operator, int]]:
    """What compares at a place, the longest phrase of each sign, and how many words it has."""
    for operator, phrases in lexicon("words")["against"][where].items():
        sizes = [len(p) for phrase in phrases if list(words[place : place + len(p := phrase.split())]) == p]
        if sizes:
            yield operator, max(sizes)


def _two_sides(lattice: Lattice, table: Table, place: int, size: int, operator: Operator) -> None:
    """ "Sold above the asking price", "home goals equal to away goals"."""
    words = lattice.words
    if words[place] in _PLACED and size == 1 and not _PICKING & set(words[:place]):
        return
    if words[place] in {"after", "before"} and _SPANNED & set(words):
        return  # How many days after it is asked.
    end = place
    while end > 1 and words[end - 1] in _LINKS:
        end -= 1
    at = place + size
    while at < len(words) and words[at] in _FILLER:
        at += 1
    for stop, right in _names(words, table, at, forward=True):
        for start, left in _names(words, table, end, forward=False):
            pair = _pair(left, right, operator)
            if pair is not None:
                # "Sold below the asking price in May": when it was sold is told by the verb.
                dated = any(s.type == "TIME" for s in lattice.spans) and _is_dated(words[start:end], table)
                _add(lattice, end if dated else start, stop, operator, pair)
                return


def _is_dated(verb: Sequence[str], table: Table) -> bool:
    """Whether a verb names a day of the table as well."""
    return has_happened(verb[0]) and any(column.kind == "date" for column in _called(verb, table))


def _both_named(lattice: Lattice, table: Table, place: int, size: int, operator: Operator) -> None:
    """ "Home goals and away goals are the same"."""
    words = lattice.words
    for middle, right in _names(words, table, place, forward=False):
        at = middle
        while at and words[at - 1] in _FILLER:
            at -= 1
        if not at or words[at - 1] != "and":
            continue
        for start, left in _names(words, table, at - 1, forward=False):
            pair = _pair(left, right, operator)
            if pair is not None:
                _add(lattice, start, place + size, operator, pair)
                return


def _names(words: Sequence[str], table: Table, place: int, *, forward: bool) -> Iterator[tuple[int, list[Column]]]:
    """Where a name ends that begins at a place, or begins that ends there, with what it may name, the longest first."""
    for size in range(_LONGEST, 0, -1):
        start, end = (place, place + size) if forward else (place - size, place)
        if start < 0 or end > len(words):
            continue
        said = [word for word in words[start:end] if word not in _FILLER]
        found = _called(said, table) if len(said) == size else []
        if found:
            yield (end if forward else start), found


def _called(said: Sequence[str], table: Table) -> list[Column]:
    """The columns of a table that every word is part of the name of, those named in full before all others."""
    loose = word_list("score_noun") | {"date", "day", "time", "price", "value"}
    plain = [word for word in said if word not in word_list("stop")]
    if len(plain) != len(said):
        return []
    for wanted in (said, [word for word in said if word not in loose]):
        able = [c for c in table.columns if c.expression is None and not c.has("key", "flag")]
        found = [c for c in able if wanted and all(_is_part(word, c) for word in wanted)]
        if found:
            whole = [c for c in found if len(c.words) == len(wanted)]
            return whole or found
    return []


def _is_part(word: str, column: Column) -> bool:
    """Whether a word is part of a column's name, or of what that is short for."""
    long = [each for name in column.words for each in abbreviations().get(name, ())]
    return any(kinship(word, name) >= DERIVED for name in (*column.words, *long))


def _pair(left: list[Column], right: list[Column], operator: Operator) -> tuple[Column, Column] | None:
    """The one column of each side that can be held against each other."""
    pairs = [
        (one, other)
        for one in left
        for other in right
        if one is not other and _are_alike(one, other) and (one.kind != "text" or operator in {"=", "!="})
    ]
    return pairs[0] if len(pairs) == 1 else None


def _are_alike(one: Column, other: Column) -> bool:
    """Whether two columns hold things of one kind: two numbers, two dates, two texts with values in common."""
    if one.kind != other.kind or one.has("stamp") != other.has("stamp"):
        return False
    if one.kind == "text":
        return bool(set(map(str, one.values)) & set(map(str, other.values)))
    return one.kind == "date" or (one.has("measure") and other.has("measure"))


def _same_as_its(lattice: Lattice, schema: Schema, place: int) -> None:
    """ "In the same country as their warehouse": a column of a row, and the one of the row that it points at."""
    words = lattice.words
    if words[place] != "same":
        return
    stop = next((n for n in range(place + 2, min(place + 2 + _LONGEST, len(words))) if words[n] == "as"), None)
    at = stop + 1 if stop is not None else len(words)
    while at < len(words) and words[at] in _FILLER:
        at += 1
    if stop is None or at >= len(words):
        return
    start = place - (words[place - 1] == "the")
    start -= start > 0 and words[start - 1] in _LEADS | {"within", "inside"}
    for home in schema.tables.values():
        for other in schema.routes[home.name].keys() - {home.name}:
            nouns = {*schema.tables[other].nouns[-1:], *schema.tables[other].called}
            if singular(words[at]) not in nouns:
                continue
            mine, theirs = (_called(words[place + 1 : stop], schema.tables[name]) for name in (home.name, other))
            pair = _pair(mine, theirs, "=")
            if pair is not None:
                _add(lattice, start, at + 1, "=", pair)


def _add(lattice: Lattice, start: int, end: int, operator: Operator, pair: tuple[Column, Column]) -> None:
    test = Test(value=pair[0].value, operator=operator, other=pair[1].value)
    said = " ".join(lattice.words[start:end])[:100]
    lattice.add(start, end, "TEST", _HELD, Meaning(word=said, kind="condition", where=(test,)))
