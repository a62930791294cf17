"""Names: how well a phrase names each column and table, judged as a whole and not word by word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from averment.language.linking.affinity import compare
from averment.language.tokens import split_identifier

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from averment.agents.analyst.query.vocabulary import Vocabulary

LEAST = 0.55
_REACH = 0.35
_MOST = 7
_SPARE = 0.07
_UNCOVERED = 0.3
_VERB = 0.06
_QUALIFIER = 0.92
_NEAR = 0.7
_CLEAR = 0.86
_SURE = 0.94
_NOUN = 0.2
_REPEATED = 0.03
_GLUED = (
    "name",
    "id",
    "title",
    "first",
    "last",
    "number",
    "code",
    "date",
    "type",
    "count",
    "phrase",
    "cited",
    "citing",
)
_QUIET = frozenset("tot total ts dt at the of is has yn ref tbl table data dim fact daily full".split())
"""Words of names that need not be said."""
_MONEY = frozenset("amount revenue value sale sales proceeds spend spending income".split())
_PRICES = frozenset("amount amt price total value paid fee cost".split())


@dataclass(frozen=True)
class Named:
    """A column, or the rows of a table where ``column`` is None, that a phrase may name."""

    table: str
    column: str | None
    score: float


@dataclass(frozen=True)
class _Column:
    name: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class _Table:
    name: str
    words: tuple[str, ...]
    columns: tuple[_Column, ...]


class NameIndex:
    """The names of some tables, ready to be compared with phrases."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        known = {word for p in vocabulary.profiles for word in _singular(split_identifier(p.table))}
        parts = sorted({*known, *_GLUED}, key=lambda word: (-len(word), word))
        common = _shared([split_identifier(p.table) for p in vocabulary.profiles])
        self._tables: list[_Table] = []
        for profile in vocabulary.profiles:
            names = [split_identifier(column.name) for column in profile.columns]
            shared = _shared(names)
            table = split_identifier(profile.table)[len(common) :]
            table = [word for word in table if word not in {"tbl", "table", "ref"}] or table
            columns = tuple(
                _Column(column.name, tuple(_unglued(words[len(shared) :] or words, parts)))
                for column, words in zip(profile.columns, names, strict=True)
            )
            called = dict.fromkeys((*_unglued(table, parts), *shared[len(common) :]))
            self._tables.append(_Table(profile.table, tuple(called), columns))
        self._rows = {table.name: table for table in self._tables}
        self._parts = parts
        self._near: dict[str, tuple[str, ...]] = {}
        for table in self._tables:
            beside = {r.right for r in vocabulary.relations if r.left == table.name}
            beside |= {r.left for r in vocabulary.relations if r.right == table.name}
            words = {word for name in sorted(beside) for word in self._rows[name].words}
            self._near[table.name] = tuple(sorted(words - set(table.words)))

    def table_words(self, table: str) -> tuple[str, ...]:
        """The words of a table's name."""
        return self._rows[table].words

    def tables(self) -> list[str]:
        """The tables."""
        return list(self._rows)

    def column_words(self, table: str, column: str) -> tuple[str, ...]:
        """The words of a column's name."""
        return next(each.words for each in self._rows[table].columns if each.name == column)

    def all_words(self, table: str) -> set[str]:
        """The words of a table's name and of its columns'."""
        known = self._rows[table]
        return {*known.words, *(word for column in known.columns for word in column.words)}

    def knows(self, word: str) -> bool:
        """Whether a word is part of some name, but for its form."""
        return any(
            (found := compare(word, name)) is not None and found[0] in {"exact", "stem"}
            for table in self._rows
            for name in self.all_words(table)
        )

    def resembles(self, word: str) -> bool:
        """Whether a word may stand for part of some name."""
        return any(_alike(word, name) for table in self._rows for name in self.all_words(table))

    def rank(self, words: Sequence[str], *, first: bool = False) -> list[Named]:
        """What a phrase may name, the best first; its noun is the last word, or the ``first`` of "name of the user"."""
        words = self._merged(_unglued(words, self._parts))
        nouns = [word for word in words if self.resembles(word) and not word.endswith(("ed", "ing"))]
        noun = nouns[0 if first else -1] if len(nouns) > 1 else None
        listed = self._listed(words, noun, apart=True)
        if not listed or listed[0].score < _CLEAR:
            listed = self._listed(words, noun, apart=False)
        return [one for one in listed if one.score >= max(LEAST, listed[0].score - _REACH)][:_MOST]

    def _merged(self, words: list[str]) -> list[str]:
        """ "check ins" of a table ``checkin``: words that are one name together."""
        found: list[str] = []
        for word in words:
            joined = found[-1] + word if found else ""
            if joined and self.knows(joined) and not (self.knows(word) and self.knows(found[-1])):
                found[-1] = joined
            else:
                found.append(word)
        return found

    def _listed(self, words: Sequence[str], noun: str | None, *, apart: bool) -> list[Named]:
        found = [*self._special(words)]
        said = frozenset(word for word in words if self.knows(word))
        many = len(words) > 1 and not {"id", "ids"} & set(words)
        for table in self._tables:
            near = () if apart else self._near[table.name]
            score = _score(words, table.words, (), near, said)
            if score is not None:
                score -= _NOUN if noun and not any(_alike(noun, name) for name in table.words) else 0
                found.append(Named(table.name, None, score))
            for column in table.columns:
                score = _score(words, column.words, table.words, near, said)
                if score is not None and many and "id" in column.words:
                    score -= _SPARE * 2
                if score is not None and noun and not any(_alike(noun, n) for n in (*column.words, *table.words)):
                    score -= _NOUN
                if score is not None:
                    found.append(Named(table.name, column.name, score))
        best: dict[tuple[str, str | None], Named] = {}
        for one in sorted(found, key=lambda each: -each.score):
            best.setdefault((one.table, one.column), one)
        return sorted(best.values(), key=lambda each: (-each.score, each.table, each.column or ""))

    def _special(self, words: Sequence[str]) -> Iterable[Named]:
        """ "merchant id", "name of the user": keys and names that are called otherwise in their table."""
        keys = self._vocabulary.keys
        lasts = {words[-1], words[0]} if words else set[str]()
        for last in lasts & {"id", "ids", "name", "names"}:
            rest = [word for word in words if word != last]
            if not rest:
                continue
            for table in self._tables:
                score = _score(rest, table.words, ())
                if score is None or score < _SURE:
                    continue
                if last.startswith("id") and table.name in keys:
                    yield Named(table.name, keys[table.name], min(1.0, score))
                elif last.startswith("name"):
                    yield Named(table.name, self._vocabulary.label(table.name)[0], min(1.0, score))


def _score(
    words: Sequence[str],
    own: Sequence[str],
    owner: Sequence[str],
    near: Sequence[str] = (),
    said: frozenset[str] = frozenset(),
) -> float | None:
    """How well words name something called by its ``own`` words, within something called by its ``owner`` words.

    ``near`` are the words of what it hangs together with, which may be said of it too: "business category"; ``said``
    are the words that name something somewhere.
    """
    if not words:
        return None
    total, hit = 0.0, set[str]()
    told = False
    for word in words:
        best, which = 0.0, ""
        for name in own:
            score = _alike(word, name)
            if score > best:
                best, which = score, name
        for name in owner:
            score = _alike(word, name) * _QUALIFIER
            if score > best:
                best, which = score, ""
        if not best:
            best = _NEAR * max((_alike(word, name) for name in near), default=0.0)
        if best:
            total += best
            hit.add(which)
            told = told or bool(which)
        elif word.endswith(("ed", "ing")) and len(words) > 1:
            total += 1 - (_VERB if word not in said else _UNCOVERED) * len(words)
        else:
            total += 1 - _UNCOVERED * len(words)
    if not told:
        return None
    spare = [name for name in own if name not in hit and name not in _QUIET]
    told_too = sum(any(_alike(each, name) for each in owner) for name in spare)
    return total / len(words) - _SPARE * (len(spare) - told_too) - _REPEATED * told_too


def _alike(word: str, name: str) -> float:
    found = compare(word, name)
    if found is not None:
        how, score = found
        return 0.8 if how == "implied" else score
    if len(word) > 4 and word.removesuffix("s") == name.removesuffix("s"):
        return 0.97
    if word in _MONEY and name in _PRICES:
        return 0.75
    return 0.0


def _shared(names: Sequence[list[str]]) -> list[str]:
    """The words with which all the columns of a table begin."""
    if len(names) < 3:
        return []
    found: list[str] = []
    for place in range(min(len(name) for name in names)):
        words = {name[place] for name in names}
        if len(words) != 1:
            break
        found += words
    return found if all(len(name) > len(found) for name in names) else found[:-1]


def _singular(words: Sequence[str]) -> list[str]:
    return [word.removesuffix("s") for word in words if len(word) > 3]


def _unglued(words: Sequence[str], parts: Sequence[str]) -> list[str]:
    """Words that are several written as one, ``authorname``, taken apart."""
    found: list[str] = []
    for word in words:
        found += (_apart(word, parts) if len(word) >= 6 else None) or [word]
    return found


def _apart(word: str, parts: Sequence[str]) -> list[str] | None:
    for part in parts:
        rest = word.removeprefix(part)
        if rest == word or not rest:
            continue
        if rest in parts:
            return [part, rest]
        more = _apart(rest, parts) if len(rest) >= 6 else None
        if more is not None:
            return [part, *more]
    return None
