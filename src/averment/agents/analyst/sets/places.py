"""Where sets are found: whom a question asks about, and how other tables are joined to them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from averment.language.tokens import split_words
from averment.tables.select_spec import Join

if TYPE_CHECKING:
    from averment.agents.analyst.parts.draft import Draft
    from averment.agents.analyst.parts.filters import ValueSaid
    from averment.agents.analyst.skill import Question
    from averment.tables.profile import TableProfile
    from averment.tables.relate import Relation

_NAMES = ("name", "title", "label")


@dataclass(frozen=True)
class Entity:
    """Whom a question asks about: the column that is shown, and the key they are known by elsewhere."""

    table: str
    column: str
    key: str
    places: tuple[int, ...]

    def is_of(self, draft: Draft, value: ValueSaid) -> bool:
        """Whether a value is one of those asked about, so that it sets no condition."""
        return draft.profile.table == self.table and value.column == self.column


class Places:
    """The tables of a question, and what joins them."""

    def __init__(self, question: Question) -> None:
        self._question = question

    @cached_property
    def _relations(self) -> tuple[Relation, ...]:
        from averment.tables.relate import relate

        if len(self._question.profiles) < 2:
            return ()
        return relate(self._question.engine, self._question.profiles)

    def entity(self, drafts: list[Draft]) -> Entity | None:
        """Whom the question asks about: the first table or column that it names."""
        found: list[tuple[int, int, Entity]] = []
        for draft in drafts:
            if len(drafts) > 1:
                named = self._by_table(draft)
                if named is not None:
                    found.append((named.places[0], 0, named))
            links = draft.links()
            draft.doubts.clear()
            for link in links:
                column = draft.column(link.target)
                if column.inferred_type == "dimension" or (column.data_type == "string" and len(drafts) == 1):
                    key = Entity(draft.profile.table, column.name, column.name, tuple(link.words))
                    found.append((link.words[0], 1, key))
                    break
        if not found:
            return None
        first = min(found, key=lambda each: each[:2])
        rivals = [each for each in found if each[:2] == first[:2]]
        return first[2] if len(rivals) == 1 else None

    def _by_table(self, draft: Draft) -> Entity | None:
        words = [word.stem for word in split_words(draft.profile.table)]
        stems = [token.stem for token in draft.tokens]
        for place in range(len(stems) - len(words) + 1):
            taken = tuple(range(place, place + len(words)))
            if stems[place : place + len(words)] == words and draft.free(taken):
                column, key = _shown(draft.profile), _key(draft.profile)
                return Entity(draft.profile.table, column or key, key, taken) if key is not None else None
        return None

    def path(self, entity: Entity, tables: list[str], drafts: list[Draft]) -> tuple[str, str, tuple[Join, ...]] | None:
        """The table whose rows hold the key of whoever is asked about, that key, and the joins to all tables named."""
        from averment.tables.relate import join_path

        wanted = list(dict.fromkeys(tables))
        if wanted in ([], [entity.table]) and (wanted or len(self._question.profiles) == 1):
            return entity.table, entity.key, ()
        referring = [each for each in self._relations if each.right == entity.table and each.right_column == entity.key]
        if not wanted:
            event = self._event(referring, drafts)
            return None if event is None else (event.left, event.left_column, ())
        for start in referring:
            path = join_path(self._relations, [start.left, *(name for name in wanted if name != start.left)])
            if path is not None and all(entity.table not in (each.left, each.right) for each in path):
                return start.left, start.left_column, _joins(start.left, path)
        return None

    def _event(self, referring: list[Relation], drafts: list[Draft]) -> Relation | None:
        """The one table that refers to whoever is asked about; of several the one the question names."""
        if len(referring) == 1:
            return referring[0]
        stems = {token.stem for token in drafts[0].tokens}
        named = [each for each in referring if {word.stem for word in split_words(each.left)} & stems]
        return named[0] if len(named) == 1 else None


def _joins(start: str, path: list[Relation]) -> tuple[Join, ...]:
    there, left, joins = {start}, list(path), list[Join]()
    while left:
        each = next((one for one in left if (one.left in there) != (one.right in there)), None)
        if each is None:
            break
        left.remove(each)
        if each.left in there:
            joins.append(
                Join(left=each.left, left_column=each.left_column, right=each.right, right_column=each.right_column)
            )
            there.add(each.right)
        else:
            joins.append(
                Join(left=each.right, left_column=each.right_column, right=each.left, right_column=each.left_column)
            )
            there.add(each.left)
    return tuple(joins)


def _key(profile: TableProfile) -> str | None:
    unique = [c for c in profile.columns if profile.row_count and c.cardinality == profile.row_count and not c.nulls]
    keyed = [column.name for column in unique if re.search(r"(?:^|_)(?:id|key|code|no)$", column.name.casefold())]
    return keyed[0] if keyed else unique[0].name if unique else None


def _shown(profile: TableProfile) -> str | None:
    for word in _NAMES:
        for column in profile.columns:
            if column.data_type == "string" and word in column.name.casefold().split("_"):
                return column.name
    return None
