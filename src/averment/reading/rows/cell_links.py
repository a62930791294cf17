"""Links between a question and a table: which words name which columns, cells and numbers, and how well."""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from averment.language.linking.lexicon import ABBREVIATIONS, SYNONYMS
from averment.reading.rows.cells import View, stem_of, words_of
from averment.reading.rows.grid import CellColumn, CellGrid
from averment.reading.rows.row_words import ALIASES, ENGLISH, NUMBER_WORDS, ORDINALS, QUESTION_WORDS, STOPS

LinkKind = Literal["exact", "core", "part", "kin", "number"]
MOST_LINKS = 24
NAMED = 0.5
"""From this strength on a word is taken to name a column, where nothing else ties the question to the table."""

_LONGEST = 9
_UNIT = re.compile(r"([0-9]+(?:\.[0-9]+)?)(?:km|m|cm|mm|ft|kg|g|mph|lb|lbs|gb|mb|mi|pts|s|k|am|pm|%)")
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9}


@dataclass(frozen=True)
class CellLink:
    """Words ``first`` to ``last`` (exclusive) name the rows of a column whose cells hold them."""

    column: int
    rows: frozenset[int]
    first: int
    last: int
    kind: LinkKind
    share: float
    """How much of the shortest matching cell the words are."""
    view: View | None = None
    number: float | None = None

    @property
    def span(self) -> range:
        """The places of the words."""
        return range(self.first, self.last)

    def overlaps(self, other: CellLink) -> bool:
        """Whether two links share a word."""
        return self.first < other.last and other.first < self.last


@dataclass(eq=False)
class LinkedQuestion:
    """A question over a grid, with everything its words are linked to."""

    text: str
    grid: CellGrid
    words: tuple[str, ...] = field(init=False)
    stems: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.words = words_of(self.text)
        self.stems = tuple(map(stem_of, self.words))

    @cached_property
    def said(self) -> frozenset[str]:
        """The different words."""
        return frozenset(self.words)

    @cached_property
    def head(self) -> tuple[str, int]:
        """The question word and its place: the first of who, what, which, when, where, how."""
        for place, word in enumerate(self.words):
            if word in QUESTION_WORDS:
                if word == "how" and place + 1 < len(self.words):
                    return f"how {self.words[place + 1]}", place
                return word, place
        return "none", 0

    @cached_property
    def columns(self) -> tuple[tuple[float, frozenset[int]], ...]:
        """For each column how well the question names it, and with which words."""
        return tuple(self._name(column) for column in self.grid.columns)

    @cached_property
    def is_grounded(self) -> bool:
        """Whether any word of the question is about this table: names a column of it, or stands in its cells."""
        return bool(self.cells) or any(strength >= NAMED for strength, _ in self.columns)

    def _name(self, column: CellColumn) -> tuple[float, frozenset[int]]:
        names = [stem_of(word) for word in column.words if word not in {"of", "the", "in", "and", "a", "for"}]
        if not names:
            return 0.0, frozenset()
        places: set[int] = set()
        total = 0.0
        for name in dict.fromkeys(names):
            best = 0.0
            for place, (word, said) in enumerate(zip(self.words, self.stems, strict=True)):
                alike = _alike(name, said, word)
                if alike > 0:
                    best = max(best, alike)
                    if alike >= 0.5:
                        places.add(place)
            total += best
        return total / len(set(names)), frozenset(places)

    @cached_property
    def cells(self) -> tuple[CellLink, ...]:
        """Links to cells, the strongest first."""
        found: list[CellLink] = []
        whole: set[tuple[int, int, frozenset[int]]] = set()
        for column in self.grid.columns:
            made = [*self._texts(column), *self._amounts(column)]
            if column.part is None:
                whole |= {(link.first, link.last, link.rows) for link in made}
            # A part that names the same rows as the whole cells says nothing new.
            found += [o for o in made if column.part is None or (o.first, o.last, o.rows) not in whole]
        found.sort(key=lambda one: (-_strength(one), one.first, one.column))
        return tuple(found[:MOST_LINKS])

    def _texts(self, column: CellColumn) -> list[CellLink]:
        by_word: defaultdict[str, list[tuple[int, tuple[str, ...], int]]] = defaultdict(list)
        for row, cell in enumerate(column.cells):
            for form in cell.words:
                for at, word in enumerate(form):
                    by_word[stem_of(word)].append((row, form, at))
        spans: list[tuple[int, int, list[tuple[int, tuple[str, ...], int]]]] = []
        aliased: list[CellLink] = []
        for first, word in enumerate(self.stems):
            hits = by_word.get(word, [])
            if not hits and word in ALIASES:
                hits = [hit for other in ALIASES[word] for hit in by_word.get(other, [])]
                if hits:
                    rows = frozenset(row for row, _, _ in hits)
                    spans.append((first, first + 1, []))
                    aliased.append(CellLink(column.place, rows, first, first + 1, "kin", 0.6))
                continue
            last = first + 1
            while hits and last < len(self.stems) and last - first < _LONGEST:
                more = [h for h in hits if h[2] + last - first < len(h[1])]
                more = [h for h in more if stem_of(h[1][h[2] + last - first]) == self.stems[last]]
                if not more:
                    break
                hits, last = more, last + 1
            if hits:
                spans.append((first, last, hits))
        kept: list[CellLink] = aliased
        end = -1
        for first, last, hits in spans:
            if last <= end or not hits:
                continue
            end = last
            kept += self._linked(column, first, last, hits)
        if not column.is_numeric and column.data_type == "string" and column.part is None:
            kept += self._kin(column, by_word, kept)
        return kept

    def _linked(
        self, column: CellColumn, first: int, last: int, hits: list[tuple[int, tuple[str, ...], int]]
    ) -> list[CellLink]:
        length = last - first
        said = self.words[first:last]
        whole = frozenset(row for row, form, at in hits if at == 0 and len(form) == length)
        if all(word in STOPS for word in said) and not (whole and length > 1):
            return []
        every = frozenset(row for row, _, _ in hits)
        core = frozenset(row for row, _, at in hits if at == 0 and len(column.cells[row].core) == length)
        share = max(length / len(form) for _, form, _ in hits)
        made: list[CellLink] = []
        if whole:
            made.append(CellLink(column.place, whole, first, last, "exact", 1.0))
        if core and core != whole:
            made.append(CellLink(column.place, core | whole, first, last, "core", share))
        if every not in (whole, core | whole):
            digits = all(word.isdigit() for word in said)
            if not (digits and column.data_type in {"integer", "float"}):
                made.append(CellLink(column.place, every, first, last, "part", length / len(hits[0][1])))
        return made

    def _kin(
        self, column: CellColumn, by_word: dict[str, list[tuple[int, tuple[str, ...], int]]], known: list[CellLink]
    ) -> list[CellLink]:
        """Words that begin alike: italian and Italy, wins and won are left to the weights."""
        taken = {place for link in known for place in link.span}
        made: list[CellLink] = []
        for place, word in enumerate(self.words):
            if place in taken or word in STOPS or len(word) < 5 or self.columns[column.place][0] >= 1.0:
                continue
            begin = word[: max(4, len(word) - 3)]
            rows = {row for other, hits in by_word.items() if other.startswith(begin) for row, _, _ in hits}
            if not rows:
                rows = {
                    row
                    for other, hits in by_word.items()
                    if len(other) >= 4 and word.startswith(other)
                    for row, _, _ in hits
                }
            if not rows and len(word) > 4 and word not in ENGLISH and word[0].isalpha():
                rows = {row for other, hits in by_word.items() if _mistyped(word, other) for row, _, _ in hits}
            if rows:
                made.append(CellLink(column.place, frozenset(rows), place, place + 1, "kin", 0.3))
        return made

    @cached_property
    def amounts(self) -> tuple[tuple[float, int, bool], ...]:
        """Numbers the question says: value, place, and whether it is written as a place in an order."""
        found: list[tuple[float, int, bool]] = []
        for place, word in enumerate(self.words):
            if word[0].isdigit():
                digits = word.rstrip("stndrh%") if word[-1].isalpha() else word
                unit = _UNIT.fullmatch(word)
                after = self.words[place + 1] if place + 1 < len(self.words) else ""
                try:
                    number = float(unit.group(1) if unit else digits)
                except ValueError:
                    continue
                found.append((number * _SCALES.get(after, 1.0), place, digits != word and unit is None))
            elif word in _SCALES and place and self.words[place - 1] in {"a", "one", "over", "than", "least"}:
                found.append((_SCALES[word], place, False))
            elif word == "no" and place + 1 < len(self.words) and self.words[place + 1][0].isalpha():
                found.append((0.0, place, False))
            elif word in NUMBER_WORDS:
                found.append((float(NUMBER_WORDS[word]), place, False))
            elif word in ORDINALS:
                found.append((float(ORDINALS[word]), place, True))
        return tuple(found)

    def _amounts(self, column: CellColumn) -> list[CellLink]:
        made: list[CellLink] = []
        for number, place, _ in self.amounts:
            for view in column.views:
                if view == "second" or (view == "value" and column.data_type in {"date", "datetime"}):
                    continue
                rows = frozenset(row for row, known in enumerate(column.numbers(view)) if known == number)
                if rows:
                    made.append(CellLink(column.place, rows, place, place + 1, "number", 1.0, view, number))
                    break
        return made


def _mistyped(word: str, other: str) -> bool:
    """Whether two words differ by one letter left out, put in, changed or swapped with its neighbour."""
    if abs(len(word) - len(other)) > 1 or len(other) < 4 or word == other:
        return False
    first = next((at for at, (a, b) in enumerate(zip(word, other, strict=False)) if a != b), min(len(word), len(other)))
    one, two = word[first:], other[first:]
    return one[1:] == two[1:] or one[1:] == two or one == two[1:] or (one[:2] == two[1::-1] and one[2:] == two[2:])


def _strength(link: CellLink) -> float:
    base = {"exact": 3.0, "core": 2.5, "number": 1.2, "part": 1.5, "kin": 0.3}[link.kind]
    return base + 0.6 * (link.last - link.first) + link.share


def _alike(name: str, said: str, word: str) -> float:
    """How well a word of the question names a word of a heading."""
    if name == said:
        return 1.0
    if word in STOPS or word in NUMBER_WORDS:
        return 0.0
    if said in SYNONYMS.get(name, frozenset()):
        return 0.6
    if any(said in long for long in ABBREVIATIONS.get(name, ())):
        return 0.7
    if 2 <= len(name) <= 4 < len(said) and name[0] == said[0] and _shortens(name, said):
        return 0.5
    if len(name) >= 4 and len(said) >= 4 and (name.startswith(said[:5]) or said.startswith(name[:5])):
        return 0.55
    return 0.0


def _shortens(name: str, said: str) -> bool:
    """Whether a heading is a short form: the word's beginning, or letters of it in order and no vowel, as in "pts"."""
    if said.startswith(name):
        return len(name) >= 3 or name not in STOPS
    if set(name) & set("aeiou"):
        return False
    rest = iter(said)
    return all(letter in rest for letter in name)
