"""One question against all passages: full text and meaning, each brought to a scale of 0 to 1, and mixed.

Where vectors are not computed yet a passage's full-text score stands in for the missing one, so that a corpus can be
searched from the first moment and gets better while vectors arrive.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from averment.corpus.index.passage_index import PassageIndex
from averment.corpus.terms import terms

Floats: TypeAlias = npt.NDArray[np.float64]
Mask: TypeAlias = npt.NDArray[np.bool_]
Embed: TypeAlias = Callable[[str], npt.NDArray[np.float32]]

LEXICAL_SHARE = 0.5
"""How much of the mixed score is full text; the rest is meaning."""


@dataclass(frozen=True, slots=True)
class PassageScores:
    """What one question says about every passage."""

    question: str
    terms: Counter[str]
    lexical: Floats
    dense: Floats
    mixed: Floats
    cosines: Floats | None

    def coverage(self, index: PassageIndex, held: set[str]) -> float:
        """The share of the question's terms, weighed by rarity, that a passage with these terms holds."""
        weights = {term: index.lexical.weight(term) for term in self.terms}
        total = sum(weights.values())
        return sum(weight for term, weight in weights.items() if term in held) / total if total else 0.0


def score(index: PassageIndex, question: str, embed: Embed | None, allowed: Mask) -> PassageScores:
    """The scores of every passage for a question, 0 where it is not allowed; ``embed`` is None without vectors."""
    asked = Counter(terms(question))
    found = index.lexical.scores({term: float(count) for term, count in asked.items()})
    lexical = _upscaled(np.where(allowed, found, 0.0))
    if embed is None or not index.with_vector:
        return PassageScores(question, asked, lexical, lexical, lexical, None)
    cosines, has_vector = index.cosines(embed(question), lexical)
    known = has_vector & allowed
    dense = np.where(known, scaled(cosines, known), lexical)
    return PassageScores(
        question, asked, lexical, dense, LEXICAL_SHARE * lexical + (1 - LEXICAL_SHARE) * dense, cosines
    )


def scaled(cosines: Floats, known: Mask) -> Floats:
    """Cosines as 0 for an ordinary passage (the median) and below, 1 for the nearest."""
    if not known.any():
        return np.zeros_like(cosines)
    middle = float(np.median(cosines[known]))
    highest = float(cosines[known].max())
    if highest <= middle:
        return np.where(cosines >= highest, 1.0, 0.0)
    return np.clip((cosines - middle) / (highest - middle), 0.0, 1.0)


def _upscaled(scores: Floats) -> Floats:
    highest = float(scores.max()) if len(scores) else 0.0
    return scores / highest if highest > 0 else scores
