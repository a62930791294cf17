"""Settling: which columns the phrases of a question mean, chosen together so that few tables explain them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.agents.analyst.query.phrases.ask import Item
from averment.agents.analyst.query.phrases.names import Named
from averment.agents.analyst.query.vocabulary import Place
from averment.tables.relate import join_path

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.agents.analyst.query.phrases.names import NameIndex
    from averment.agents.analyst.query.vocabulary import Vocabulary

_STEP = 0.13
_MAIN = 0.35
_BEAM = 24
_KEY = 0.02
_SAID = 0.95
_CLOSE = 0.12
_VERY = 0.985
_BARE = frozenset("id ids name names first last title code email phone status type".split())
_KEPT = frozenset({"count", "quantity", "qty", "cnt"})
_VERBS = frozenset("make makes have get take sell buy use offer serve name names value values".split())
_LABELS = frozenset("number no code id ids zip phone".split())
_COUNTING = frozenset("num count cnt total".split())


@dataclass(frozen=True)
class Choice:
    """What one item means: rows of a table, or a column; ``added`` where a count is kept in a column."""

    table: str
    column: str | None
    score: float
    added: bool = False

    @property
    def place(self) -> Place:
        """The column meant."""
        assert self.column is not None  # only columns have a place
        return Place(self.table, self.column)


@dataclass(frozen=True)
class Settled:
    """The choice for each item, in order, and how well they fit; ``margin`` is what the next best would cost."""

    choices: tuple[Choice, ...]
    score: float
    margin: float
    steps: int


class Settling:
    """Chooses columns for items over one vocabulary."""

    def __init__(self, vocabulary: Vocabulary, names: NameIndex) -> None:
        self.vocabulary = vocabulary
        self.names = names
        self._paths: dict[frozenset[str], int | None] = {}

    def choices(self, item: Item) -> list[Choice]:
        """What an item may mean by itself, the best first."""
        ranked = self._exact(self._ranked(item))
        found: list[Choice] = []
        if item.kind == "stamp":
            return [
                Choice(one.table, one.column, one.score)
                for one in self.names.rank(item.words)
                if one.column is not None and self._tells_time(one)
            ]
        for one in ranked:
            if item.kind in {"dim", "grain"}:
                found.append(Choice(one.table, one.column, one.score + (0.02 if one.column is None else 0)))
            elif item.kind == "count":
                found += self._counts(one)
            elif one.column is None:
                if item.kind == "sum":
                    found.append(Choice(one.table, None, one.score - 0.12))
                found += self._only_amount(one)
            elif self._adds(one) or (item.kind in {"min", "max"} and self._orders(one)):
                found.append(Choice(one.table, one.column, one.score))
        if item.kind == "count":
            found += self._kept_counts(item)
        return sorted(found, key=lambda each: (-each.score, each.table, each.column or ""))[:7]

    def _ranked(self, item: Item) -> list[Named]:
        """What an item's words name; a last word that only spoils the name is left out."""
        ranked = self.names.rank(item.words, first=item.first)
        *others, last = item.words or ("",)
        spoils = bool(others) and (not self.names.resembles(last) or last in _VERBS)
        if spoils and not item.first:
            shorter = self.names.rank(others)
            if last in {"name", "names"} and shorter and shorter[0].column is None:
                return ranked
            if shorter and shorter[0].score >= _SAID and (not ranked or ranked[0].score < shorter[0].score - 0.09):
                return shorter
        return ranked

    def _exact(self, ranked: list[Named]) -> list[Named]:
        """Without guesses where the very name of a table, or of a column, was said."""
        keys = self.vocabulary.keys
        ranked = [
            Named(
                one.table,
                one.column,
                one.score + (_KEY if one.column is not None and keys.get(one.table) == one.column else 0),
            )
            for one in ranked
        ]
        ranked.sort(key=lambda each: -each.score)
        if not any(one.column is None and one.score >= _SAID for one in ranked):
            clear = bool(ranked) and ranked[0].score >= _SAID
            return [one for one in ranked if not clear or one.score >= ranked[0].score - _CLOSE]
        return [one for one in ranked if one.score >= (_SAID if one.column is None else _VERY)]

    def _counts(self, one: Named) -> list[Choice]:
        if one.column is None:
            kept = [c.name for c in self.vocabulary.table(one.table).columns if c.name.casefold() in _KEPT]
            if kept and self._adds(Named(one.table, kept[0], 0.0)):
                # Rows that are counts themselves, ``checkin(day, count)``, are added up.
                return [Choice(one.table, kept[0], one.score + 0.06, added=True)]
            return [Choice(one.table, None, one.score + 0.06)]
        if self._adds(one) and not _LABELS & set(self.names.column_words(one.table, one.column)):
            return [Choice(one.table, one.column, one.score - 0.05, added=True)]
        return [Choice(one.table, one.column, one.score - 0.08)]

    def _kept_counts(self, item: Item) -> list[Choice]:
        """ "number of references" kept in a column ``reference_num``."""
        found: list[Choice] = []
        for one in self.names.rank(("number", *item.words)):
            if one.column is None or not self._adds(one):
                continue
            if set(self.names.column_words(one.table, one.column)) & _COUNTING and one.score >= 0.8:
                found.append(Choice(one.table, one.column, one.score - 0.03, added=True))
        return found

    def _only_amount(self, one: Named) -> list[Choice]:
        """ "total sales": the one amount the rows of a table have."""
        amounts = [
            each.name
            for each in self.vocabulary.table(one.table).columns
            if each.inferred_type == "measure" and each.data_type in {"integer", "float"}
        ]
        return [Choice(one.table, amounts[0], one.score - 0.05)] if len(amounts) == 1 else []

    def _adds(self, one: Named) -> bool:
        profile = self.vocabulary.column(Place(one.table, one.column or ""))
        return profile.data_type in {"integer", "float"} and profile.inferred_type != "id"

    def _orders(self, one: Named) -> bool:
        return self.vocabulary.column(Place(one.table, one.column or "")).inferred_type == "timestamp"

    def _tells_time(self, one: Named) -> bool:
        profile = self.vocabulary.column(Place(one.table, one.column or ""))
        words = set(self.names.column_words(one.table, one.column or ""))
        return profile.inferred_type == "timestamp" or (profile.data_type == "integer" and bool(words & {"time", "ts"}))

    def settle(self, items: Sequence[Item], main: str | None, near: Sequence[frozenset[str]]) -> Settled | None:
        """The best choices together; ``near`` are tables of which one each is wanted besides."""
        beam: list[tuple[float, tuple[Choice, ...]]] = [(0.0, ())]
        for item in items:
            options = self.choices(item)
            if not options:
                return None
            bare = bool(item.words) and all(word in _BARE for word in item.words)
            grown: list[tuple[float, tuple[Choice, ...]]] = []
            for score, chosen in beam:
                for option in options:
                    gain = option.score + (_MAIN if bare and option.table == main else 0)
                    grown.append((score + gain, (*chosen, option)))
            costed = [(score, chosen, self._steps(chosen)) for score, chosen in grown]
            kept = [(score, chosen) for score, chosen, steps in costed if steps is not None]
            kept.sort(key=lambda each: -(each[0] - _STEP * (self._steps(each[1]) or 0)))
            beam = kept[:_BEAM]
            if not beam:
                return None
        scored = sorted(
            ((score - _STEP * self._whole(chosen, near), chosen) for score, chosen in beam), key=lambda each: -each[0]
        )
        best, chosen = scored[0]
        rivals = [score for score, other in scored[1:] if not self._same(other, chosen)]
        margin = best - rivals[0] if rivals else 1.0
        return Settled(chosen, best / max(1, len(items)), margin, self._steps(chosen) or 0)

    def _same(self, one: tuple[Choice, ...], two: tuple[Choice, ...]) -> bool:
        """Whether two choices differ only in which side of a reference they take."""
        pairs = {frozenset(((r.left, r.left_column), (r.right, r.right_column))) for r in self.vocabulary.relations}
        return all(
            (a.table, a.column) == (b.table, b.column)
            or frozenset(((a.table, a.column or ""), (b.table, b.column or ""))) in pairs
            for a, b in zip(one, two, strict=True)
        )

    def _whole(self, chosen: tuple[Choice, ...], near: Sequence[frozenset[str]]) -> int:
        tables = {one.table for one in chosen}
        steps = self._steps(chosen) or 0
        for names in near:
            if not names & tables:
                ways = [self._path(frozenset({*tables, name})) for name in sorted(names)]
                known = [way for way in ways if way is not None]
                steps = max(steps, min(known)) if known else steps + 4
        return steps

    def _steps(self, chosen: tuple[Choice, ...]) -> int | None:
        return self._path(frozenset(one.table for one in chosen))

    def _path(self, tables: frozenset[str]) -> int | None:
        if tables not in self._paths:
            path = join_path(self.vocabulary.relations, sorted(tables))
            self._paths[tables] = None if path is None else len(path)
        return self._paths[tables]
