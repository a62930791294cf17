"""Two columns of a table that point at one other table: where a flight starts and where it ends, home and away.

Which of them is meant is said by a word beside what is asked of the other table: "destination countries", "departed
from Germany". A question is read once for each of them (``views``); in each view the words of its own column are part
of what they stand beside, and values that belong to the other column become conditions of their own. Where no word
says which, both views give a reading and neither is likelier.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from averment.plans.meaning import Meaning
from averment.plans.plan import Plan, Test, Value
from averment.reading.words import FAMILY, kinship, lexicon, name_words, singular, word_list

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from averment.plans.plan import Join
    from averment.reading.lattice.spans import Lattice, Span
    from averment.reading.schema.schema_view import Schema
    from averment.tables.profile.relationships import TableRelation

MOST_VIEWS = 4
_REACH = 5
"""How many words before a name its end is looked for."""
_SURE = 0.6


@dataclass(frozen=True, slots=True)
class End:
    """One end of a pair: words that such a column has in its name, and words that say it."""

    names: frozenset[str]
    said: frozenset[str]


@cache
def pairs_of_ends() -> tuple[tuple[End, End, frozenset[str]], ...]:
    """Ends that belong together: the first, the last, and the words for both."""

    def words(entry: dict[str, str], key: str) -> frozenset[str]:
        return frozenset(entry.get(key, "").split())

    return tuple(
        (
            End(words(each, "first"), words(each, "first") | words(each, "said_first")),
            End(words(each, "last"), words(each, "last") | words(each, "said_last")),
            words(each, "together"),
        )
        for each in lexicon("words")["ends"]
    )


def views(schema: Schema) -> list[Schema]:
    """The schema once for each way its doubled pointers may be meant; the schema itself where there are none."""
    found: dict[tuple[str, str], list[TableRelation]] = {}
    for one in schema.relations:
        found.setdefault((one.left, one.right), []).append(one)
    doubled = [several for several in found.values() if len({one.left_column for one in several}) > 1]
    if not doubled:
        return [schema]
    return [_view(schema, chosen, doubled) for chosen in list(product(*doubled))[:MOST_VIEWS]]


def views_of(schema: Schema, plan: Plan) -> list[Schema]:
    """The views of the schema in which an earlier plan may be looked at again."""

    def goes(view: Schema) -> bool:
        ways = {(one.left, one.left_column, one.right) for one in view.relations}
        return all((join.left, join.left_column, join.right) in ways for join in plan.joins)

    found = views(schema)
    return [view for view in found if goes(view)] or found[:1]


def _view(schema: Schema, chosen: Sequence[TableRelation], doubled: Sequence[Sequence[TableRelation]]) -> Schema:
    made = copy.copy(schema)
    for name in ("routes", "fact"):
        made.__dict__.pop(name, None)
    others = {id(one) for several in doubled for one in several} - {id(one) for one in chosen}
    made.relations = tuple(one for one in schema.relations if id(one) not in others)
    made.aside = tuple(one for one in schema.relations if id(one) in others)
    return made


Ends = dict[tuple[int, int, str], "TableRelation"]
"""Where words say by which of two columns another table is meant: from word, to word, and what is named there."""


def end_spans(lattice: Lattice, schema: Schema) -> Ends:
    """Words that say which end is meant become part of what they stand beside; where they stand."""
    ends: Ends = {}
    if not schema.aside:
        return ends
    tables = {one.right: one for one in schema.relations if any(_rivals(one, other) for other in schema.aside)}
    kept: list[Span] = []
    for span in lattice.spans:
        one = tables.get(_table_of(span) or "")
        if one is None or span.strength < _SURE:
            kept.append(span)
            continue
        found = _said(lattice, span, one, schema)
        if found is None:
            kept.append(span)
            continue
        meant, start, end = found
        if meant is one:
            whole = replace(span, start=start, end=end, text=" ".join(lattice.words[start:end]))
            ends[whole.start, whole.end, whole.type] = one
            kept.append(whole)
        elif span.type == "VALUE":
            column, value = span.data
            inner = Plan(
                table=column.table,
                show=(Value(table=column.table, column=meant.right_column),),
                where=(Test(value=column.value, to=(value,)),),
                expects="list",
            )
            test = Test(value=Value(table=meant.left, column=meant.left_column), operator="in", inner=inner)
            text = " ".join(lattice.words[start:end])
            meaning = Meaning(word=text[:100], kind="condition", where=(test,))
            kept.append(replace(span, start=start, end=end, type="TEST", data=meaning, text=text))
    # What stands inside words that say an end is nothing by itself.
    taken = [*ends, *((s.start, s.end, s.type) for s in kept if s.type == "TEST" and s.end - s.start > 1)]
    lattice.spans = [
        s
        for s in kept
        if (s.start, s.end, s.type) in taken
        or not any(start <= s.start and s.end <= end and (s.start, s.end) != (start, end) for start, end, _ in taken)
    ]
    return ends


def _rivals(one: TableRelation, other: TableRelation) -> bool:
    return (one.left, one.right) == (other.left, other.right)


def _table_of(span: Span) -> str | None:
    if span.type == "ROW":
        return span.data
    if span.type == "COLUMN":
        return span.data.table
    return span.data[0].table if span.type == "VALUE" else None


def _said(lattice: Lattice, span: Span, one: TableRelation, schema: Schema) -> tuple[TableRelation, int, int] | None:
    """Which pointer the words around a name speak of, and where name and words begin and end together."""
    ways = [one, *(other for other in schema.aside if _rivals(one, other))]
    words = lattice.words
    after = words[span.end : span.end + 2]
    if len(after) == 2 and after[0] in {"of", "by"} and (way := _way(after[1], ways)) is not None:
        return way, span.start, span.end + 2
    plain = True
    found: tuple[TableRelation, int, int] | None = None
    for place in range(span.start - 1, max(-1, span.start - 1 - _REACH), -1):
        word = words[place]
        way = _way(word, ways)
        if found is not None:
            if way is not found[0]:
                return found
            found = found[0], place if plain else span.start, span.end  # "departed from"
        elif way is not None:
            found = way, place if plain else span.start, span.end
        elif word in {"each", "every", "which", "what", "all", "any", "different"}:
            plain = False
        elif word not in word_list("stop") and word != "by":  # "sent by"
            return None
    return found


def _way(word: str, ways: Sequence[TableRelation]) -> TableRelation | None:
    """The pointer that a word speaks of: by its own name, or by what is said of such an end."""
    named = [way for way in ways if any(kinship(word, name) >= FAMILY for name in _names(way))]
    if len(named) == 1:
        return named[0]
    said = [way for way in ways if any(word in end.said for end in _ends(way))]
    return said[0] if len(said) == 1 else None


def _names(way: TableRelation) -> set[str]:
    shared = {singular(word) for word in name_words(way.right)} | word_list("keyish")
    return {word for word in name_words(way.left_column) if singular(word) not in shared}


def _ends(way: TableRelation) -> Iterator[End]:
    for first, last, _ in pairs_of_ends():
        for end in (first, last):
            if _names(way) & end.names:
                yield end


def unjoined(plan: Plan, ends: Ends, spans: Sequence[Span]) -> list[str]:
    """Words that say an end where the plan does not go by way of it."""
    found: list[str] = []
    for span in spans:
        one = ends.get((span.start, span.end, span.type))
        if one is not None and not any((j.left_column, j.right) == (one.left_column, one.right) for j in _joins(plan)):
            found.append(span.text)
    return found


def _joins(plan: Plan) -> Iterator[Join]:
    yield from plan.joins
    for test in plan.tests():
        if test.inner is not None:
            yield from _joins(test.inner)
