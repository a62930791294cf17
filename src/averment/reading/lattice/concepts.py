"""Columns that fit an idea: what an adjective measures, what a unit belongs to, whose age is meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.reading.words import kinship, word_list

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State

FIRM = 0.8
_MOMENTS = frozenset("date year built founded opening birth dob birthday birthdate discovery release timestamp".split())
"""Names by which an adjective speaks of when, and not of how much."""


def concepts(state: State, names: Sequence[str]) -> list[tuple[float, Column]]:
    """Numeric and dated columns that one of the names fits, the likeliest first, with what each costs.

    Columns of the home table come before those it points at; earlier names before later ones; plainer columns before
    those with more words.
    """
    found: dict[int, tuple[float, Column]] = {}
    tables = [state.home, *(state.schema.tables[t] for t in state.schema.routes.get(state.home.name, {}))]
    for far, table in enumerate(dict.fromkeys(tables)):
        for order, name in enumerate(names):
            parts = name.split("_")
            for column in table.columns:
                if not column.has("measure", "date", "year") or column.has("key"):
                    continue
                if not all(any(_fits(part, word) for word in column.words) for part in parts):
                    continue
                if not column.has("measure") and not (_MOMENTS | word_list("time_verb")) & set(parts):
                    continue
                cost = 0.12 * order + 0.04 * (len(column.words) - len(parts)) + (0.35 if far else 0.0)
                if column.has("date", "year") and not column.has("measure"):
                    cost += 0.05
                kept = found.get(id(column))
                if kept is None or cost < kept[0]:
                    found[id(column)] = (cost, column)
    ranked = sorted(found.values(), key=lambda pair: (pair[0], repr(pair[1])))
    return [(cost - ranked[0][0], column) for cost, column in ranked] if ranked else []


def _fits(part: str, word: str) -> bool:
    if kinship(part, word) >= FIRM:
        return True
    return len(part) > 3 and len(word) > len(part) and (word.startswith(part) or word.endswith(part))
