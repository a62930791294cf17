"""Figures over several tables: one table of events with what it refers to beside it, read as if it were one.

Only many-to-one joins are made, so that no row of the events counts twice; what is measured or counted is theirs.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.agents.analyst.aggregate.figures import read_figures
from averment.agents.analyst.aggregate.reading import Home, Reading
from averment.agents.analyst.parts.draft import Draft, Unclear
from averment.errors import AvermentError
from averment.language.tokens import split_words
from averment.tables.profile import ColumnProfile, TableProfile
from averment.tables.select_spec import Join

if TYPE_CHECKING:
    from averment.agents.analyst.skill import Question
    from averment.tables.relate import Relation

_PLAIN = frozenset("name title label description code type status".split())
"""Names that say too little without their table's."""


@dataclass(frozen=True)
class Wide:
    """A table of events with the columns of what it refers to; ``homes`` says where each of those comes from."""

    profile: TableProfile
    homes: dict[str, Home]
    joins: tuple[Join, ...]


def read_joined(question: Question) -> Reading | None:
    """The figure a question asks for over several tables; None where one table is enough, or it is not sure."""
    wide = _widen(question)
    if wide is None:
        return None
    draft = Draft(question.text, wide.profile, frozenset(column.name for column in wide.profile.columns))
    reading = read_figures(draft)
    if reading is None or isinstance(reading, Unclear) or draft.unread() or draft.doubts:
        return None
    measured = set(reading.measure.formula.columns if reading.measure.formula is not None else ())
    measured |= {reading.measure.column} if reading.measure.column is not None else set()
    if measured & wide.homes.keys() or reading.measure.aggregate == "count_distinct":
        return None
    if reading.measure.counts_rows and not _names_events(draft):
        return None
    used = {name for name in reading.columns if name in wide.homes}
    if not used:
        return None
    joins = _needed(wide.joins, {wide.homes[name].table for name in used}, wide.profile.table)
    return reading.model_copy(update={"joins": joins, "homes": tuple(wide.homes[name] for name in sorted(used))})


def _names_events(draft: Draft) -> bool:
    words = {word.stem for word in split_words(draft.profile.table)}
    return any(token.stem in words for token in draft.tokens)


def _widen(question: Question) -> Wide | None:
    from averment.tables.relate import relate

    try:
        relations = relate(question.engine, question.profiles)
    except AvermentError:
        return None
    referred = {each.right for each in relations}
    events = {each.left for each in relations} - referred
    if len(events) != 1:
        return None
    (start,) = events
    joins = _reached(start, relations)
    if joins is None:
        return None
    profiles = {profile.table: profile for profile in question.profiles}
    keys = {(each.left, each.left_column) for each in relations} | {
        (each.right, each.right_column) for each in relations
    }
    own = [column for column in profiles[start].columns if (start, column.name) not in keys]
    taken = Counter(
        column.name.casefold()
        for table in (start, *(join.right for join in joins))
        for column in profiles[table].columns
    )
    columns, homes = list(own), dict[str, Home]()
    for join in joins:
        for column in profiles[join.right].columns:
            if (join.right, column.name) in keys or column.inferred_type not in {"dimension", "id"}:
                continue
            if column.name.casefold() in _PLAIN and column.cardinality < profiles[join.right].row_count:
                continue  # two of one name would be taken for one
            name = _name(join.right, column, alone=taken[column.name.casefold()] == 1)
            homes[name] = Home(name=name, table=join.right, column=column.name)
            columns.append(column.model_copy(update={"name": name, "inferred_type": "dimension"}))
    wide = TableProfile(table=start, row_count=profiles[start].row_count, columns=tuple(columns))
    return Wide(wide, homes, joins)


def _reached(start: str, relations: tuple[Relation, ...]) -> tuple[Join, ...] | None:
    """The joins to everything that the events refer to, near or far; None where two ways lead to one table."""
    joins: list[Join] = []
    there, todo = {start}, [start]
    while todo:
        table = todo.pop(0)
        for each in relations:
            if each.left != table:
                continue
            if each.right in there:
                return None
            there.add(each.right)
            todo.append(each.right)
            joins.append(
                Join(
                    left=each.left,
                    left_column=each.left_column,
                    right=each.right,
                    right_column=each.right_column,
                    outer=True,
                )
            )
    return tuple(joins)


def _name(table: str, column: ColumnProfile, *, alone: bool) -> str:
    """What a column is called beside those of other tables."""
    if alone and column.name.casefold() not in _PLAIN:
        return column.name
    return f"{' '.join(word.stem for word in split_words(table))} {column.name}"


def _needed(joins: tuple[Join, ...], tables: set[str], start: str) -> tuple[Join, ...]:
    """The joins on the way to some tables."""
    wanted = set(tables)
    for join in reversed(joins):
        if join.right in wanted and join.left != start:
            wanted.add(join.left)
    return tuple(join for join in joins if join.right in wanted)
