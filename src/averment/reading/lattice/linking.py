"""Small words by what they link: who something was done by, all rows there are, a noun that several names share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.words import is_plural, singular, word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.schema.schema_view import Schema

_NAMED, _WHOLE = 0.85, 0.95
"""From these strengths on a word names rows, or a column by its whole name."""

_ALL = (["all"], ["all", "the"], ["all", "of", "the"])
_OVER = frozenset({"across", "over", "among", "throughout"})
_SORTS = frozenset(
    "grouped sorted ordered ranked divided separated arranged classified categorized aggregated summed averaged "
    "counted listed organized segmented stacked colored coloured binned multiplied followed filtered weighted".split()
)
"""Participles whose "by" says how something is laid out."""

_DONE = frozenset("held written made run led bought taught driven flown chosen shown".split()) | word_list("participle")
_MANY = frozenset("most fewest least more fewer less any no exactly only both several many two three four five".split())
_ENDS = frozenset("most fewest least greatest largest highest smallest lowest biggest".split())


def linking_spans(lattice: Lattice, schema: Schema) -> None:
    """What small words are in their places, where they are nothing else."""
    _at_least(lattice)
    _agents(lattice)
    _over_all(lattice)
    _shared_nouns(lattice, schema)
    _records(lattice)
    _twins(lattice, schema)
    _sorting_verbs(lattice)
    _drawn(lattice)


def _at_least(lattice: Lattice) -> None:
    """ "At least two" is a bar; nothing of it is the least."""
    inside = {place + 1 for place, word in enumerate(lattice.words) if word == "at"}
    lattice.spans = [s for s in lattice.spans if not (s.start in inside and s.cue("most", "least"))]


def _agents(lattice: Lattice) -> None:
    """ "Used by the most documents", "taken by any student": by whom, which makes no groups."""
    words = lattice.words
    for place in range(1, len(words) - 1):
        done = words[place - 1]
        passive = done in _DONE or (done.endswith("ed") and len(done) > 3 and done not in _SORTS)
        if words[place] != "by" or not passive:
            continue
        ended = words[place + 1] == "the" and words[place + 2 : place + 3] and words[place + 2] in _ENDS
        plural = words[place + 1] == "the" and words[place + 2 : place + 3] and is_plural(words[place + 2])
        if ended or plural or words[place + 1] in _MANY or words[place + 1 : place + 3] == ["at", "least"]:
            lattice.spans = [s for s in lattice.spans if not (s.start == place and s.cue("by"))]
            lattice.add(place, place + 1, "STOP", 0.5)


def _over_all(lattice: Lattice) -> None:
    """ "Across all matches" leaves none out, and sets none apart."""
    words = lattice.words
    for span in list(lattice.spans):
        label = span.type == "COLUMN" and span.data.is_unique and span.data.has("label")
        if (span.type != "ROW" and not label) or span.strength < _NAMED or not is_plural(words[span.end - 1]):
            continue
        said = next((s for s in _ALL if words[max(0, span.start - len(s)) : span.start] == s), None)
        start = span.start - len(said) - 1 if said is not None else -1
        if said is not None and start >= 0 and words[start] in (_OVER | {"for", "of"} if label else _OVER):
            lattice.add(start, span.end if label else span.start, "CUE", _WHOLE, ("any",))


def _shared_nouns(lattice: Lattice, schema: Schema) -> None:
    """ "First and last name", "first, middle and last names": each is a column, by the noun they share."""
    words = lattice.words
    for span in list(lattice.spans):
        if span.type != "COLUMN" or span.strength < _WHOLE or span.end - span.start != 2 or len(span.data.words) != 2:
            continue
        noun = singular(words[span.end - 1])
        own = {c.words[0]: c for c in schema.tables[span.data.table].columns if c.words[1:] == (noun,)}
        at = span.start - 1
        while at >= 0 and (words[at] in {"and", "or"} or own.get(words[at], span.data) is not span.data):
            if words[at] in own:
                _only(lattice, at, own[words[at]])
            at -= 1


def _only(lattice: Lattice, place: int, column: Column) -> None:
    """A word is this column; by itself it would be a rank or a time, as "first" and "last" are."""
    kinds = {"CUE", "NUMBER", "GRADE", "TIME"}
    lattice.spans = [s for s in lattice.spans if not ((s.start, s.end) == (place, place + 1) and s.type in kinds)]
    lattice.add(place, place + 1, "COLUMN", 0.98, column)


def _records(lattice: Lattice) -> None:
    """ "Record formats" are formats, where a column is called so, and none that break a record."""
    inside = {
        place for s in lattice.spans if s.type == "COLUMN" for place in range(s.start, s.end) if s.end - s.start > 1
    }
    lattice.spans = [s for s in lattice.spans if not (s.cue("most") and s.text == "record" and s.start in inside)]


def _twins(lattice: Lattice, schema: Schema) -> None:
    """A key and what points at it hold the same: where only the pointing table is spoken of, it is meant."""
    ends = {
        ((one.right, one.right_column), (one.left, one.left_column))
        for one in schema.relations
        if one.left in lattice.named and one.right not in lattice.named
    }
    if not ends:
        return

    def column_of(span: Span) -> tuple[str, str] | None:
        data = span.data[0] if span.type == "VALUE" else span.data if span.type == "COLUMN" else None
        return (data.table, data.name) if data is not None else None

    known = {(s.start, s.end, s.type, column_of(s)) for s in lattice.spans if s.type in {"COLUMN", "VALUE"}}

    def is_double(span: Span) -> bool:
        own = column_of(span)
        return any((span.start, span.end, span.type, left) in known for right, left in ends if right == own)

    lattice.spans = [span for span in lattice.spans if column_of(span) is None or not is_double(span)]


def _sorting_verbs(lattice: Lattice) -> None:
    """ "Order in ascending by …": the order is said by what follows."""
    ways = {s.start for s in lattice.spans if s.cue("ascending", "descending", "x_axis", "y_axis")}
    for place, word in enumerate(lattice.words):
        if word in {"order", "rank", "arrange", "display"} and place + 1 in ways:
            lattice.add(place, place + 1, "STOP", 0.5)


def _drawn(lattice: Lattice) -> None:
    """The bar of a bar chart is no value, though a country is called BAR."""
    drawn = [s for s in lattice.spans if s.cue("chart", "x_axis", "y_axis") and s.end - s.start > 1]
    inside = {place for s in drawn for place in range(s.start, s.end)}
    lattice.spans = [s for s in lattice.spans if not (s.type == "VALUE" and s.start in inside and s.end - 1 in inside)]
