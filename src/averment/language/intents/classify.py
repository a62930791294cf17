"""The classifier: a linear model over a sentence's vector, its words and letters, and its plain signs.

Its weights are fitted by ``scripts/fit_intents.py`` and shipped as numbers; there is no text of anyone in them. A
probability under a caller's threshold means that the caller asks back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Protocol

from averment.language.intents.cues import CUES, cues
from averment.language.intents.features import grams

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

WEIGHTS = "weights.npz"


class SentenceVectors(Protocol):
    """What turns sentences into vectors."""

    @property
    def dimension(self) -> int:
        """How long a vector is."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector a text."""
        ...


@dataclass(frozen=True, slots=True)
class Classified:
    """The likeliest intent with its probability, and the others, likeliest first."""

    intent: str
    confidence: float
    alternatives: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Weights:
    """One row of weights for each intent; the parts of a row belong to vector, words and letters, signs."""

    intents: tuple[str, ...]
    bias: NDArray[np.float32]
    vector: NDArray[np.float32]
    grams: NDArray[np.float32]
    cues: NDArray[np.float32]


@lru_cache(maxsize=1)
def fitted_weights() -> Weights:
    """The weights that are shipped."""
    import numpy as np

    with resources.files("averment.language.intents").joinpath(WEIGHTS).open("rb") as file, np.load(file) as kept:
        parts = {name: np.asarray(kept[name]) for name in kept.files}
    return Weights(
        intents=tuple(str(name) for name in parts["intents"]),
        bias=parts["bias"].astype(np.float32),
        vector=parts["vector"].astype(np.float32),
        grams=parts["grams"].astype(np.float32) * np.float32(parts["grams_scale"]),
        cues=parts["cues"].astype(np.float32),
    )


def classify(text: str, vectors: SentenceVectors) -> Classified:
    """What a sentence wants; without sentence vectors of the fitted length, by its words and signs alone."""
    import numpy as np

    weights = fitted_weights()
    scores = weights.bias.copy()
    if vectors.dimension == weights.vector.shape[1]:
        scores += weights.vector @ vectors.embed([text])[0]
    words = grams(text)
    if words:
        buckets = np.fromiter(words, dtype=np.int64, count=len(words))
        scores += weights.grams[:, buckets] @ np.fromiter(words.values(), dtype=np.float32, count=len(words))
    seen = cues(text)
    for at, cue in enumerate(CUES):
        if cue in seen:
            scores += weights.cues[:, at]
    odds = np.exp(scores - scores.max())
    shares = odds / odds.sum()
    order = np.argsort(-shares, kind="stable")
    ranked = [(weights.intents[at], float(shares[at])) for at in order]
    return Classified(ranked[0][0], ranked[0][1], tuple(ranked[1:4]))
