"""Pairs: one column tested against another ("delivered later than promised"), and tests of which either may hold."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from averment.tables.select_spec import Condition, Operator, column

if TYPE_CHECKING:
    from averment.agents.analyst.query.mentions import Mention
    from averment.agents.analyst.query.roles import RoleReader

_WAYS: tuple[tuple[tuple[str, ...], Operator], ...] = (
    (("different", "from"), "<>"),
    (("differs", "from"), "<>"),
    (("differ", "from"), "<>"),
    (("not", "the", "same", "as"), "<>"),
    (("not", "equal", "to"), "<>"),
    (("the", "same", "as"), "="),
    (("same", "as"), "="),
    (("equal", "to"), "="),
    (("equals",), "="),
    (("greater", "than"), ">"),
    (("higher", "than"), ">"),
    (("more", "than"), ">"),
    (("larger", "than"), ">"),
    (("later", "than"), ">"),
    (("above",), ">"),
    (("after",), ">"),
    (("exceeds",), ">"),
    (("less", "than"), "<"),
    (("lower", "than"), "<"),
    (("smaller", "than"), "<"),
    (("fewer", "than"), "<"),
    (("earlier", "than"), "<"),
    (("below",), "<"),
    (("before",), "<"),
)
_BETWEEN = frozenset("is are was were be has have the a an his her their its or one".split())


def compare_columns(reader: RoleReader) -> None:
    """Tests of one column against another of the same table and kind, put into the draft."""
    marked = reader.marked
    columns = [m for m in marked.mentions if m.kind == "column" and not m.implied]
    for first, second in pairwise(columns):
        words = [marked.normal(place) for place in range(first.last + 1, second.first)]
        way: Operator | None = next((op for said, op in _WAYS if _holds(words, said)), None)
        if way is None or any(first.last < place <= second.first for place in marked.breaks):
            continue
        places = _same_kind(reader, first, second)
        if places is None:
            continue
        (table, one), (_, two) = places
        reader.draft.conditions.append(Condition(term=column(table, one), operator=way, other=column(table, two)))
        reader.draft.used.update(range(first.first, second.last + 1))


def _holds(words: list[str], said: tuple[str, ...]) -> bool:
    """Whether only these words and little ones stand between."""
    for start in range(len(words) - len(said) + 1):
        if tuple(words[start : start + len(said)]) == said:
            return all(word in _BETWEEN for word in (*words[:start], *words[start + len(said) :]))
    return False


def _same_kind(reader: RoleReader, first: Mention, second: Mention) -> tuple[tuple[str, str], tuple[str, str]] | None:
    """Two different columns of one table whose values can be compared."""
    for one in first.columns():
        for two in second.columns():
            if one.table != two.table or one.column == two.column:
                continue
            kinds = (reader.vocabulary.column(one.place), reader.vocabulary.column(two.place))
            if kinds[0].data_type == kinds[1].data_type or {k.data_type for k in kinds} <= {"integer", "float"}:
                return (one.table, one.column), (two.table, two.column)
    return None


def join_choices(reader: RoleReader, found: list[tuple[int, int, Condition]]) -> None:
    """Make one choice of tests that an "or" stands between; ``found`` holds each with its first and last word."""
    marked, draft = reader.marked, reader.draft
    found = [one for one in sorted(found, key=lambda one: one[:2]) if one[2] in draft.conditions]
    for (_, last, one), (first, _, two) in pairwise(found):
        words = [marked.normal(place) for place in range(last + 1, first)]
        if "or" not in words or "and" in words or any(last < place <= first for place in marked.breaks):
            continue
        if one not in draft.conditions or two not in draft.conditions or one == two:
            continue
        draft.conditions.remove(two)
        place = draft.conditions.index(one)
        parts = (*(one.any_of or (one,)), *(two.any_of or (two,)))
        draft.conditions[place] = Condition(any_of=parts)
