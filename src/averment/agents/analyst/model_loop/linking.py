"""Schema linking: of many tables those that a question can be about, with the tables that join them.

Up to a few hundred columns everything is shown. Beyond that each table is scored by the question's words in its name,
its columns and its values, and by nearness of meaning; the best come with all their joins, until the room is used up.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

from averment.reading.words import singular
from averment.tables.guard.names import name_parts

if TYPE_CHECKING:
    from averment.agents.analyst.model_loop.cards import ModelView
    from averment.language.embeddings import Embedder

ALL_COLUMNS = 300
"""Up to so many columns nothing is left out."""

SHOWN_TABLES = 10
SHOWN_COLUMNS = 40
IDLE = frozenset(
    "a an the of in for to at on is are was were and or by with per each all how many much what which who".split()
)
_WORD = re.compile(r"[^\W_]+")


def link(view: ModelView, question: str, embedder: Embedder | None) -> dict[str, list[str]] | None:
    """The tables to show, each with the columns to show of it; None where all of them are shown."""
    total = sum(len(profile.columns) for profile in view.profiles)
    if total <= ALL_COLUMNS:
        return None
    wanted = _words(question)
    scores = {profile.table: 0.0 for profile in view.profiles}
    columns: dict[str, dict[str, float]] = {profile.table: {} for profile in view.profiles}
    spread = _spread(view)
    lowered = f" {' '.join(_WORD.findall(question.casefold()))} "
    for profile in view.profiles:
        named = set(_parts(profile.table))
        scores[profile.table] += sum(3.0 for word in wanted if word in named)
        for column in profile.columns:
            parts = _parts(column.name)
            hit = sum(_weight(word, spread) for word in wanted if word in parts)
            hit += 1.5 * sum(1 for value, _ in column.values or () if _stands(str(value), lowered))
            if hit:
                columns[profile.table][column.name] = hit
        scores[profile.table] += sum(sorted(columns[profile.table].values(), reverse=True)[:4])
    if embedder is not None:
        _add_meaning(view, question, embedder, scores)
    return _chosen(view, scores, columns)


def _words(text: str) -> list[str]:
    found = [singular(word) for word in _WORD.findall(text.casefold()) if word not in IDLE]
    return list(dict.fromkeys(found))


def _parts(name: str) -> list[str]:
    return [singular(part.casefold()) for part in name_parts(name)]


def _spread(view: ModelView) -> Counter[str]:
    """In how many tables a word of a column's name stands: what stands everywhere says nothing."""
    return Counter(
        word
        for profile in view.profiles
        for word in {part for column in profile.columns for part in _parts(column.name)}
    )


def _weight(word: str, spread: Counter[str]) -> float:
    return 1.0 / (1.0 + math.log(max(1, spread[word])))


def _stands(value: str, question: str) -> bool:
    words = " ".join(_WORD.findall(value.casefold()))
    return len(words) > 2 and f" {words} " in question


def _add_meaning(view: ModelView, question: str, embedder: Embedder, scores: dict[str, float]) -> None:
    """Nearness of meaning between the question and each table's name with its columns."""
    cards = [
        f"{' '.join(name_parts(p.table))}: {', '.join(' '.join(name_parts(c.name)) for c in p.columns)}"
        for p in view.profiles
    ]
    names = [" ".join(name_parts(profile.table)) for profile in view.profiles]
    vectors = embedder.embed([question, *cards, *names])
    count = len(view.profiles)
    for place, profile in enumerate(view.profiles):
        near = float(vectors[0] @ vectors[1 + place]), float(vectors[0] @ vectors[1 + count + place])
        scores[profile.table] += 2.0 * max(0.0, near[0]) + 2.0 * max(0.0, near[1])


def _chosen(view: ModelView, scores: dict[str, float], columns: dict[str, dict[str, float]]) -> dict[str, list[str]]:
    ranked = sorted(scores, key=lambda table: (-scores[table], table))
    best = ranked[:SHOWN_TABLES]
    for first in ranked[:3]:
        for second in ranked[:3]:
            best += [table for table in _between(view, first, second) if table not in best]
    keys = {(one.left, one.left_column) for one in view.schema.relations}
    keys |= {(one.right, one.right_column) for one in view.schema.relations}
    chosen: dict[str, list[str]] = {}
    for table in best:
        profile = view.profile(table)
        order = sorted(
            profile.columns,
            key=lambda column: (-columns[table].get(column.name, 0.0), (table, column.name) not in keys),
        )
        chosen[table] = [column.name for column in order[:SHOWN_COLUMNS]]
    return chosen


def _between(view: ModelView, first: str, second: str) -> list[str]:
    """The tables on the way from one table to another."""
    reached: dict[str, list[str]] = {first: []}
    queue = [first]
    while queue:
        here = queue.pop(0)
        if here == second:
            return reached[here][:-1]
        for one in view.schema.relations:
            for other in ({one.left: one.right, one.right: one.left}.get(here),):
                if other is not None and other not in reached:
                    reached[other] = [*reached[here], other]
                    queue.append(other)
    return []
