"""Names found in a question: which words name which target, how surely, and by what.

A target has one or more names; a name's words may stand in any order with little words between them ("date of birth"
for ``birth_date``). All readings are returned, best first; ``select_links`` keeps the best that do not share words.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import log
from typing import TYPE_CHECKING

from averment.language.linking.affinity import SCORES, How, compare, worst
from averment.language.linking.lexicon import ABBREVIATIONS
from averment.language.stems import root
from averment.language.tokens import STOP_WORDS, Span, Token, split_words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from averment.language.embeddings import Embedder

_PASSED = frozenset("of the for in a an s their its this that our per".split())
_APART = 6
_LONGEST_ACRONYM = 5
_NEAR = 0.62
_SAID_APART = 0.88


@dataclass(frozen=True, slots=True)
class Target:
    """Something a question may name: an id of the caller's choosing and the names it goes by, the main one first."""

    id: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """Words of a question that name a target.

    ``span`` covers the words in the text, ``words`` are their places among the tokens given. ``coverage`` is the
    share of the name that was said, by the weight of its words. ``score`` is 1 for the whole name word for word.
    """

    target: str
    name: str
    span: Span
    words: tuple[int, ...]
    score: float
    how: How
    coverage: float


@dataclass(frozen=True, slots=True)
class _Name:
    target: int
    text: str
    words: tuple[str, ...]
    joined: str


@dataclass(frozen=True, slots=True)
class _Reading:
    """A link with the places of the name's words it explains."""

    link: Link
    parts: frozenset[int]


class Linker:
    """Links questions to one set of targets; built once, asked many times."""

    def __init__(self, targets: Sequence[Target], embedder: Embedder | None = None) -> None:
        self._targets = tuple(targets)
        self._embedder = embedder
        self._names = [
            _Name(place, text, words, "".join(words))
            for place, target in enumerate(self._targets)
            for text in dict.fromkeys(target.names)
            if (words := _name_words(text))
        ]
        self._weights = _weigh(self._names, len(self._targets))

    def link(self, tokens: Sequence[Token], *, minimum: float = 0.5) -> list[Link]:
        """Every link of at least a score, best first; equal ones in the order of targets, then of the text."""
        words = [(place, token) for place, token in enumerate(tokens) if token.kind != "symbol"]
        found: dict[tuple[int, tuple[int, ...]], Link] = {}
        for name in self._names:
            for one in self._all_readings(name, words):
                if one.score < minimum:
                    continue
                key = (name.target, one.words)
                if key not in found or found[key].score < one.score:
                    found[key] = one
        order = {target.id: place for place, target in enumerate(self._targets)}
        links = [*found.values()]
        if self._embedder is not None:
            links += self._by_meaning(tokens, links)
        return sorted(links, key=lambda one: (-one.score, -len(one.words), order[one.target], one.span))

    def _all_readings(self, name: _Name, words: list[tuple[int, Token]]) -> list[Link]:
        hits = [[compare(token.normal, part) for part in name.words] for _, token in words]
        readings = self._joined(name, words)
        for start in range(len(words)):
            if any(hits[start]):
                one = self._aligned(name, words, hits, start)
                if one is not None:
                    readings.append(one)
        return [*(one.link for one in readings), *self._merged(name, words, readings)]

    def _aligned(
        self, name: _Name, words: list[tuple[int, Token]], hits: list[list[tuple[How, float] | None]], start: int
    ) -> _Reading | None:
        """The name's words taken one by one from a place on, prepositions and articles passed over."""
        left = dict(enumerate(name.words))
        taken: list[tuple[int, int, How, float, float]] = []
        for place in range(start, len(words)):
            if place > start and _is_apart(words[place - 1][1], words[place][1]):
                break
            options: list[tuple[float, float, int, How]] = [
                (hit[1], self._weights[left[part]], part, hit[0]) for part in left if (hit := hits[place][part])
            ]
            if options:
                score, weight, part, how = max(options, key=lambda option: (option[0], option[1], -option[2]))
                taken.append((place, part, how, score, weight))
                del left[part]
            elif words[place][1].normal not in _PASSED:
                break
            if not left:
                break
        if all(name.words[part] in STOP_WORDS for _, part, *_ in taken) and left:
            return None
        said = sum(weight for *_, weight in taken)
        mean = sum(score * weight for *_, score, weight in taken) / said
        how = worst([how for _, _, how, _, _ in taken])
        parts = frozenset(part for _, part, *_ in taken)
        return self._reading(name, words, [place for place, *_ in taken], mean, how, parts)

    def _joined(self, name: _Name, words: list[tuple[int, Token]]) -> list[_Reading]:
        """Names written in one word or as initials: "home town" for hometown, "gross domestic product" for gdp."""
        found: list[_Reading] = []
        for start in range(len(words)):
            glued, initials = "", ""
            used: list[int] = []
            for place in range(start, min(start + 7, len(words))):
                if place > start and _is_apart(words[place - 1][1], words[place][1]):
                    break
                word = words[place][1].normal
                glued += word
                if word in STOP_WORDS:
                    if place == start:
                        break
                    continue
                used.append(place)
                initials += word[:1]
                if len(used) > 1 and (parts := _parts_written(name, glued)):
                    found.append(self._reading(name, words, used, 0.95, "stem", parts))
                if 2 < len(used) <= _LONGEST_ACRONYM and (parts := _parts_written(name, initials)):
                    found.append(self._reading(name, words, used, SCORES["abbreviation"], "abbreviation", parts))
                if len(used) == 1 and len(name.words) > 1:
                    found += self._one_for_many(name, words, place)
        return found

    def _one_for_many(self, name: _Name, words: list[tuple[int, Token]], place: int) -> list[_Reading]:
        """One word for a name of several: hometown for home_town, dob for date_of_birth, gdp for its initials."""
        word, every = words[place][1].normal, frozenset(range(len(name.words)))
        content = [part for part in name.words if part not in STOP_WORDS]
        if word == name.joined or root(word) == root(name.joined):
            return [self._reading(name, words, [place], 0.97, "stem", every)]
        initials = len(content) > 2 and word == "".join(part[0] for part in content)
        listed = any(len(full) > 1 and sorted(full) == sorted(content) for full in ABBREVIATIONS.get(word, ()))
        if initials or listed:
            return [self._reading(name, words, [place], SCORES["abbreviation"], "abbreviation", every)]
        return []

    def _merged(self, name: _Name, words: list[tuple[int, Token]], readings: list[_Reading]) -> list[Link]:
        """Two parts of one name said apart: "customers with id", "gross domestic product … in 1982"."""
        found: list[Link] = []
        partial = [one for one in readings if one.link.coverage < 1]
        place_of = {token_place: place for place, (token_place, _) in enumerate(words)}
        for one, two in combinations(partial, 2):
            if one.parts & two.parts or set(one.link.words) & set(two.link.words):
                continue
            first, second = sorted((one.link, two.link), key=lambda link: link.words)
            numbered = any(name.words[part].isdigit() for part in one.parts | two.parts)
            if second.words[0] - first.words[-1] > _APART and not numbered:
                continue
            places = sorted(place_of[place] for place in (*first.words, *second.words))
            score = _SAID_APART * (first.score / _partly(first.coverage) + second.score / _partly(second.coverage)) / 2
            how = worst([first.how, second.how])
            found.append(self._reading(name, words, places, score, how, one.parts | two.parts).link)
        return found

    def _reading(
        self,
        name: _Name,
        words: list[tuple[int, Token]],
        places: list[int],
        score: float,
        how: How,
        parts: frozenset[int],
    ) -> _Reading:
        weights = [self._weights[word] for word in name.words]
        whole = len(parts) == len(weights)
        coverage = 1.0 if whole else sum(weights[part] for part in parts) / sum(weights)
        first, last = words[places[0]][1], words[places[-1]][1]
        made = Link(
            self._targets[name.target].id,
            name.text,
            (first.start, last.end),
            tuple(words[place][0] for place in places),
            round(score * _partly(coverage), 4),
            "subset" if not whole and how in ("exact", "stem") else how,
            round(coverage, 4),
        )
        return _Reading(made, parts)

    @cached_property
    def _vectors(self) -> npt.NDArray[np.float32]:
        assert self._embedder is not None
        return self._embedder.embed([" ".join(name.words) for name in self._names])

    def _by_meaning(self, tokens: Sequence[Token], links: list[Link]) -> list[Link]:
        """The nearest names in meaning for words that nothing else explains."""
        taken = {place for one in links if one.score >= SCORES["typo"] for place in one.words}
        phrases = _free_phrases(tokens, taken)
        if not phrases or not self._names or self._embedder is None:
            return []
        near = (
            self._embedder.embed([" ".join(tokens[place].normal for place in phrase) for phrase in phrases])
            @ self._vectors.T
        )
        found: dict[tuple[int, tuple[int, ...]], Link] = {}
        for row, phrase in enumerate(phrases):
            for column, name in enumerate(self._names):
                cosine = float(near[row, column])
                if cosine < _NEAR:
                    continue
                score = round(SCORES["embedding"] + 0.25 * (cosine - _NEAR) / (1 - _NEAR), 4)
                span = (tokens[phrase[0]].start, tokens[phrase[-1]].end)
                one = Link(self._targets[name.target].id, name.text, span, phrase, score, "embedding", 1.0)
                key = (name.target, phrase)
                if key not in found or found[key].score < score:
                    found[key] = one
        return [*found.values()]


def link(
    tokens: Sequence[Token], targets: Sequence[Target], embedder: Embedder | None = None, *, minimum: float = 0.5
) -> list[Link]:
    """Every link between the words of a question and some targets, best first.

    ``tokens`` come from ``split_words``. With an embedder, words that no other tier explains are compared by meaning.
    """
    return Linker(targets, embedder).link(tokens, minimum=minimum)


def select_links(links: Sequence[Link]) -> list[Link]:
    """The best links that share no word, in the order of the text; more words explained count for more."""
    kept: list[Link] = []
    used: set[int] = set()
    for one in sorted(links, key=lambda one: (-one.score * (1 + 0.3 * (len(one.words) - 1)), -one.score)):
        if used.isdisjoint(one.words):
            kept.append(one)
            used.update(one.words)
    return sorted(kept, key=lambda one: one.span)


def _name_words(text: str) -> tuple[str, ...]:
    return tuple(word.normal for word in split_words(text))


def _weigh(names: Sequence[_Name], count: int) -> dict[str, float]:
    """How much each word tells: one that stands in many targets ("name", "id") tells little, a little word less."""
    holders: dict[str, set[int]] = {}
    for name in names:
        for word in name.words:
            holders.setdefault(word, set()).add(name.target)
    weights = {word: 0.3 + log((1 + count) / len(held)) for word, held in holders.items()}
    return {word: weight * (0.2 if word in STOP_WORDS else 1.0) for word, weight in weights.items()}


def _is_apart(one: Token, two: Token) -> bool:
    """Whether more than a blank stands between two words: a comma or bracket parts two names."""
    return two.start - one.end > 1


def _parts_written(name: _Name, word: str) -> frozenset[int]:
    """Which of a name's words a word spells: one of them, or all when it is the whole name written together."""
    if word == name.joined:
        return frozenset(range(len(name.words)))
    return frozenset(place for place, part in enumerate(name.words) if part == word and len(part) > 1)


def _partly(coverage: float) -> float:
    return 1.0 if coverage >= 1 else SCORES["subset"] + (1 - SCORES["subset"]) * coverage


def _free_phrases(tokens: Sequence[Token], taken: set[int]) -> list[tuple[int, ...]]:
    phrases: list[tuple[int, ...]] = []
    for start in range(len(tokens)):
        for size in (1, 2, 3):
            places = tuple(range(start, start + size))
            inside = [tokens[place] for place in places if place < len(tokens)]
            if len(inside) < size or taken & set(places) or any(token.kind != "word" for token in inside):
                break
            if not inside[0].is_stop and not inside[-1].is_stop:
                phrases.append(places)
    return phrases
