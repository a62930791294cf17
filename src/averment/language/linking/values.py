"""Cell values found in a question, among hundreds of thousands: by dictionary first, by trigrams where nothing fits.

Keys are casefolded words without accents and punctuation, so that "U.S." finds "US". Everything beyond the plain
dictionary is built on first use and kept.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from averment.language.stems import root
from averment.language.tokens import STOP_WORDS, Span, overlaps, quoted_spans, strip_accents
from averment.language.word_lists import word_lists

if TYPE_CHECKING:
    from averment.language.linking.trigrams import TrigramIndex


def _groups() -> list[tuple[str, ...]]:
    lists = word_lists("places")
    groups: list[tuple[str, ...]] = []
    for entry in lists["states"].splitlines():
        code, _, name = entry.partition(" ")
        groups.append((code, name))
    for entry in lists["countries"].splitlines():
        words = entry.split()
        codes = [word for word in words[:3] if len(word) <= 3]
        groups.append((*codes, " ".join(words[len(codes) :])))
    return [*groups, *(tuple(line.split(", ")) for line in lists["extra"].splitlines())]


ALIASES: dict[str, tuple[str, ...]] = {}
"""Every name in folded form with the other names of the same thing."""
for _group in _groups():
    for _name in _group:
        _others = (*ALIASES.get(_name, ()), *(other for other in _group if other != _name))
        ALIASES[_name] = tuple(dict.fromkeys(_others))


ValueHow = Literal["exact", "case", "stem", "alias", "subset", "fuzzy"]

_WORD = re.compile(r"(?:[^\W\d_]\.){2,}[^\W\d_]?(?!\w)|[^\W_]+")
_LONGEST = 10
_MOST_SUBSETS = 25
# Single letters that name an axis of a chart more often than a value.
_AXES = frozenset("xy")


@dataclass(frozen=True, slots=True)
class ValueMatch:
    """A stretch of a question that stands for a value of a column."""

    column: str
    value: str
    span: Span
    score: float
    how: ValueHow


@dataclass(frozen=True, slots=True)
class _ValueWord:
    key: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Window:
    words: tuple[_ValueWord, ...]
    text: str
    quoted: bool

    @property
    def key(self) -> str:
        return " ".join(word.key for word in self.words)

    @property
    def span(self) -> Span:
        return (self.words[0].start, self.words[-1].end)


class ValueIndex:
    """The distinct text values of some columns, ready to be found in questions."""

    def __init__(self, values: Iterable[tuple[str, str]]) -> None:
        self._entries: dict[str, list[tuple[str, str]]] = {}
        seen: set[tuple[str, str]] = set()
        for column, value in values:
            key = value_key(value)
            if key and (column, value) not in seen:
                seen.add((column, value))
                self._entries.setdefault(key, []).append((column, value))
        self._keys = list(self._entries)
        self._longest = min(max((key.count(" ") + 1 for key in self._keys), default=0), _LONGEST)

    def __len__(self) -> int:
        return sum(map(len, self._entries.values()))

    def find(self, text: str, *, fuzzy: bool = True, columns: Sequence[str] | None = None) -> list[ValueMatch]:
        """Every value a text names, best first; a shorter find inside a longer sure one is left out.

        ``columns`` keeps to some columns; ``fuzzy`` also finds values with slips of the pen.
        """
        words = _words(text)
        windows = self._windows(text, words)
        found: list[ValueMatch] = []
        covered: list[Span] = []
        for window in windows:
            sure = self._sure(text, window)
            if sure and not _inside(window.span, covered):
                found += sure
                covered.append(window.span)
        reached: list[Span] = list(covered)
        for window in windows:
            around = [span for span in reached if overlaps(window.span, [span])]
            if not all(_inside(span, [window.span]) for span in around):
                continue
            partial = self._subset(window)
            if partial:
                found += partial
                reached.append(window.span)
        if fuzzy:
            found += self._fuzzy(windows, covered)
        kept = [one for one in found if columns is None or one.column in columns]
        best: dict[tuple[str, str, Span], ValueMatch] = {}
        for one in kept:
            place = (one.column, one.value, one.span)
            if place not in best or best[place].score < one.score:
                best[place] = one
        return sorted(
            best.values(), key=lambda one: (-one.score, one.span[0] - one.span[1], one.span, one.column, one.value)
        )

    def _windows(self, text: str, words: Sequence[_ValueWord]) -> list[_Window]:
        """Runs of words, quotations first, longer before shorter."""
        quotes = [
            _Window(inside, text[start:end], True)
            for start, end in quoted_spans(text)
            if (inside := tuple(word for word in words if start <= word.start and word.end <= end))
        ]
        runs: list[_Window] = []
        for size in range(min(max(self._longest, 3), len(words)), 0, -1):
            for start in range(len(words) - size + 1):
                run = tuple(words[start : start + size])
                # A sentence mark or bracket between two words parts them; "St. Louis" stays whole.
                if any(mark in text[one.end : two.start] for one, two in pairwise(run) for mark in "?!;\n"):
                    continue
                runs.append(_Window(run, text[run[0].start : run[-1].end], False))
        return quotes + runs

    def _sure(self, text: str, window: _Window) -> list[ValueMatch]:
        if not window.quoted and not _is_telling(text, window):
            return []
        found: list[ValueMatch] = []
        for column, value in self._entries.get(window.key, ()):
            same = value.strip() == window.text.strip()
            found.append(ValueMatch(column, value, window.span, 1.0 if same else 0.97, "exact" if same else "case"))
        if found:
            return found
        for key in self._stems.get(_stem_key(window.key), ()):
            if not window.key.isdigit():
                found += [ValueMatch(column, value, window.span, 0.9, "stem") for column, value in self._entries[key]]
        if len(window.key) > 3 or window.text.isupper() or "." in window.text or window.quoted:
            for other in ALIASES.get(window.key, ()):
                for column, value in self._entries.get(other, ()):
                    found.append(ValueMatch(column, value, window.span, 0.88, "alias"))
        return found

    @cached_property
    def _stems(self) -> dict[str, list[str]]:
        stems: dict[str, list[str]] = {}
        for key in self._keys:
            stems.setdefault(_stem_key(key), []).append(key)
        return stems

    @cached_property
    def _holders(self) -> dict[str, list[int]]:
        holders: dict[str, list[int]] = {}
        for place, key in enumerate(self._keys):
            words = key.split(" ")
            if 1 < len(words) <= 12:
                for word in dict.fromkeys(words):
                    holders.setdefault(root(word), []).append(place)
        return holders

    def _subset(self, window: _Window) -> list[ValueMatch]:
        """Values that hold all words of a run and more."""
        words = [word.key for word in window.words]
        if words[0] in STOP_WORDS or words[-1] in STOP_WORDS or sum(map(len, words)) < 4:
            return []
        held = [self._holders.get(root(word), []) for word in words if word not in STOP_WORDS]
        if not all(held):
            return []
        common = set(min(held, key=len)).intersection(*held)
        if not common or len(common) > _MOST_SUBSETS:
            return []
        found: list[ValueMatch] = []
        for place in sorted(common):
            key = self._keys[place]
            score = round(0.55 + 0.3 * len("".join(words)) / len(key.replace(" ", "")), 4)
            found += [
                ValueMatch(column, value, window.span, min(score, 0.85), "subset")
                for column, value in self._entries[key]
            ]
        return found

    @cached_property
    def _trigrams(self) -> TrigramIndex:
        from averment.language.linking.trigrams import TrigramIndex

        return TrigramIndex(self._keys)

    def _fuzzy(self, windows: Sequence[_Window], covered: Sequence[Span]) -> list[ValueMatch]:
        found: list[ValueMatch] = []
        for window in windows:
            key, words = window.key, [word.key for word in window.words]
            if words[0] in STOP_WORDS or words[-1] in STOP_WORDS or len(words) > 5 or len(key) < 5:
                continue
            if not any(char.isalpha() for char in key) or overlaps(window.span, covered):
                continue
            for place, similarity in self._trigrams.near(key):
                score = round(0.85 * similarity, 4)
                entries = self._entries[self._keys[place]]
                found += [ValueMatch(column, value, window.span, score, "fuzzy") for column, value in entries]
        return found


def value_key(value: str) -> str:
    """The form by which values are the same: casefolded words without accents or punctuation."""
    return " ".join(map(_fold_word, _WORD.findall(value)))


def _words(text: str) -> list[_ValueWord]:
    return [_ValueWord(_fold_word(found.group()), found.start(), found.end()) for found in _WORD.finditer(text)]


def _fold_word(word: str) -> str:
    plain = word.replace(".", "")
    if plain.isascii():
        return plain.lower()
    return strip_accents(unicodedata.normalize("NFKC", plain).casefold())


def _stem_key(key: str) -> str:
    return " ".join(map(root, key.split(" ")))


def _is_telling(text: str, window: _Window) -> bool:
    """Whether an unquoted run may be a value: little words and axes only when written in capitals."""
    if any(word.key not in STOP_WORDS and (len(word.key) > 1 or word.key not in _AXES) for word in window.words):
        return True
    if len(window.words) > 1 and not all(word.key in STOP_WORDS for word in window.words):
        return True
    return window.text.isupper() and not text.isupper() and window.span[0] > 0 and window.text != "I"


def _inside(span: Span, others: Sequence[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end and (start, end) != span for start, end in others)
