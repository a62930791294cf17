"""Which document a phrase is about: every telling word must be in its title, opening, fields or main words."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from averment.corpus.answering.library import Library
from averment.corpus.answering.question import DOCUMENT_NOUNS, SOFT
from averment.corpus.answering.words import STOP, is_number, keys, kin_of

Embed = Callable[[Sequence[str]], npt.NDArray[np.float32]]

BAD = frozenset(
    """
    rejected withdrawn deferred superseded abandoned obsolete replaced stagnant declined closed postponed deprecated
    """.split()
)
"""Statuses of what did not come, or has gone."""

STATUS_KEYS = ("status", "state")
CREATED_KEYS = ("created", "creation-date", "start-date", "date-created", "date", "published", "start")
_ENOUGH, _LOST, _CLOSE = 0.6, 0.3, 0.06
_READ = 8


@dataclass(frozen=True, slots=True)
class DocumentBinding:
    """The document a phrase is about, how well it fits, and the documents that fit nearly as well."""

    document: int
    score: float
    rivals: tuple[int, ...] = ()


@dataclass
class Binder:
    """Binds phrases to documents; ``touched`` are all that came near, the best first."""

    library: Library
    embed: Embed | None
    touched: list[int] = field(default_factory=list[int])

    @property
    def nouns(self) -> str:
        """What a document is called, as a pattern."""
        names = self.library.kinds | DOCUMENT_NOUNS
        return "|".join(sorted(map(re.escape, names), key=lambda name: (-len(name), name)))

    def topic(self, phrase: str) -> list[str]:
        """The keys of a phrase that say what it is about."""
        plain = re.sub(rf"\b(?:{self.nouns})s?\b", " ", phrase.lower())
        found = dict.fromkeys(keys(re.sub(r"[\"'?]", " ", plain)))
        kept = [one for one in found if (one not in STOP and len(one) > 1) or is_number(one)]
        rare = [one for one in kept if not self._is_everywhere(one)]
        return rare or kept

    def _is_everywhere(self, one: str) -> bool:
        return not is_number(one) and self.library.is_common(one, 0.6)

    def bind(
        self, phrase: str, *, introduced: bool = False, soft: Collection[str] = (), strict: bool = False
    ) -> DocumentBinding | None:
        """The document a phrase is about; with ``introduced`` the earliest one about it that was not turned down."""
        wanted = self.topic(phrase)
        numbers = [one for one in wanted if is_number(one)]
        hard = [one for one in wanted if not is_number(one) and one not in SOFT and one not in soft]
        if not hard:
            return None
        ranked = self._ranked(phrase, hard, numbers, 0.0 if strict or introduced else _LOST, introduced)
        if not ranked:
            return None
        self.touched += [number for _, number in ranked if number not in self.touched]
        best_score, best = ranked[0]
        if strict and not introduced and not self._is_about(best, hard, gone=True):
            return None
        if introduced:
            firm = [pair for pair in ranked if best_score - pair[0] < 0.5 and self._is_about(pair[1], hard)]
            if not firm:
                return None
            best_score, best = min(firm, key=lambda pair: (self.created(pair[1]), -pair[0]))
        rivals = tuple(number for score, number in ranked if number != best and best_score - score < _CLOSE)[:2]
        return DocumentBinding(best, best_score, rivals)

    def _ranked(
        self, phrase: str, hard: list[str], numbers: list[str], lost: float, introduced: bool
    ) -> list[tuple[float, int]]:
        library = self.library
        weight = {one: library.telling(one) + 0.05 for one in hard}
        total = sum(weight.values())
        found: list[tuple[float, int]] = []
        for number, card in enumerate(library.cards):
            if any(one not in card.field_keys and one not in card.title_keys for one in numbers):
                continue
            level = {one: self._level(number, one) for one in hard}
            score = sum(weight[one] * level[one] for one in hard) / total
            missing = sum(weight[one] for one in hard if level[one] < 0.35) / total
            if score < _ENOUGH or missing > lost:
                continue
            body = [one for one in card.title_keys if one not in STOP]
            found.append((score + 0.2 * sum(one in hard for one in body) / max(1, len(body)), number))
        found.sort(key=lambda pair: (-pair[0], pair[1]))
        found = found[:_READ]
        if self.embed is not None and found:
            texts = [f"{library.cards[n].title}. {library.cards[n].opening[:200]}" for _, n in found]
            vectors = self.embed([phrase, *texts])
            near = vectors[1:] @ vectors[0]
            found = [(score + 0.4 * round(float(near[at]), 3), n) for at, (score, n) in enumerate(found)]
        if introduced:
            found = [(score - 0.3 * (self.status(n) in BAD), n) for score, n in found]
        return sorted(found, key=lambda pair: (-pair[0], pair[1]))

    def _level(self, number: int, one: str) -> float:
        card, profile = self.library.cards[number], self.library.profiles[number]
        if one in card.title_keys:
            return 1.0
        if kin_of(one) & card.title_keys:
            return 0.9
        if one in card.opening_keys and one in profile:
            return 0.8
        if one in profile:
            return 0.7 * profile[one]
        return 0.55 if one in card.opening_keys else 0.2 if one in card.counts else 0.0

    def _is_about(self, number: int, hard: list[str], *, gone: bool = False) -> bool:
        """Whether every key is in a document's title or opens it and runs through it; ``gone`` lets the status be."""
        card, profile = self.library.cards[number], self.library.profiles[number]
        if not gone and self.status(number) in BAD:
            return False
        return all(
            one in card.title_keys
            or kin_of(one) & card.title_keys
            or (one in card.opening_keys and profile.get(one, 0.0) >= 0.8)
            for one in hard
        )

    def status(self, number: int) -> str:
        """The first word of a document's status, small."""
        found = self.library.cards[number].values(*STATUS_KEYS)
        return re.split(r"[\s(,;]", found[0].value.lower())[0] if found else ""

    def created(self, number: int) -> str:
        """When a document was begun, in a form that sorts; far in the future where it does not say."""
        from averment.corpus.dates import read_date

        found = self.library.cards[number].values(*CREATED_KEYS)
        return (read_date(found[0].value) or _year(found[0].value)) if found else "9999"


def _year(text: str) -> str:
    match = re.search(r"\b(?:19|20)\d\d\b", text)
    return match[0] if match else "9999"
