"""The classifier: a few small models over a sentence's vector, its words and letters, and its plain signs.

One is linear, the others have one hidden layer; a weighed mean of their probabilities is what counts. Where few
sentences of a kind are known the first is the steadier, where many are the others are the sharper. Their weights are
fitted by ``scripts/fit_intents.py`` and shipped as numbers; there is no text of anyone in them. A probability under a
caller's threshold means that the caller asks back.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Protocol

from averment.language.intents.cues import CUES, cues
from averment.language.intents.features import count_grams, score_grams

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
class Classification:
    """The likeliest intent with its probability, and the others, likeliest first."""

    intent: str
    confidence: float
    alternatives: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: what a sentence adds to each of its outputs; the parts belong to vector, words and letters, signs."""

    bias: NDArray[np.float32]
    vector: NDArray[np.float32]
    grams: NDArray[np.float32]
    cues: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class IntentWeights:
    """The intents, how rare each bucket is, the linear model with its share, and the hidden layers with their readers.

    The hidden layers stand side by side in one; ``out`` has a table for each of them.
    """

    intents: tuple[str, ...]
    rarity: list[float]
    linear: Layer
    hidden: Layer
    out: NDArray[np.float32]
    out_bias: NDArray[np.float32]
    linear_share: np.float32


@lru_cache(maxsize=1)
def fitted_weights() -> IntentWeights:
    """The weights that are shipped."""
    import numpy as np

    with resources.files("averment.language.intents").joinpath(WEIGHTS).open("rb") as file, np.load(file) as kept:
        parts = {name: np.asarray(kept[name]) for name in kept.files}

    def layer(name: str) -> Layer:
        scale = np.float32(parts[f"{name}_grams_scale"])
        return Layer(
            bias=parts[f"{name}_bias"].astype(np.float32),
            vector=parts[f"{name}_vector"].astype(np.float32),
            grams=parts[f"{name}_grams"].astype(np.float32) * scale,
            cues=parts[f"{name}_cues"].astype(np.float32),
        )

    return IntentWeights(
        intents=tuple(str(name) for name in parts["intents"]),
        rarity=[float(share) for share in parts["rarity"]],
        linear=layer("linear"),
        hidden=layer("hidden"),
        out=parts["out"].astype(np.float32),
        out_bias=parts["out_bias"].astype(np.float32),
        linear_share=np.float32(parts["linear_share"]),
    )


def classify(text: str, vectors: SentenceVectors) -> Classification:
    """What a sentence wants; without sentence vectors of the fitted length, by its words and signs alone."""
    import numpy as np

    weights = fitted_weights()
    known = vectors.dimension == weights.linear.vector.shape[0]
    vector = vectors.embed([text])[0] if known else None
    words = score_grams(count_grams(text), weights.rarity)
    buckets = np.fromiter(words, dtype=np.int64, count=len(words))
    values = np.fromiter(words.values(), dtype=np.float32, count=len(words))
    seen = cues(text)
    signs = np.array([name in seen for name in CUES], dtype=np.float32)

    def through(layer: Layer) -> NDArray[np.float32]:
        summed = layer.bias + values @ layer.grams[buckets] + signs @ layer.cues
        whole = summed if vector is None else summed + vector @ layer.vector
        return whole.astype(np.float32, copy=False)

    heads, size = weights.out.shape[:2]
    hidden = np.maximum(through(weights.hidden), np.float32(0.0)).reshape(heads, size)
    scores = [one @ out + bias for one, out, bias in zip(hidden, weights.out, weights.out_bias, strict=True)]
    sharper = sum(map(_shares, scores[1:]), _shares(scores[0])) / heads
    shares = weights.linear_share * _shares(through(weights.linear)) + (1 - weights.linear_share) * sharper
    order = np.argsort(-shares, kind="stable")
    ranked = [(weights.intents[at], float(shares[at])) for at in order]
    return Classification(ranked[0][0], ranked[0][1], tuple(ranked[1:4]))


def _shares(scores: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    odds = np.exp(scores - scores.max())
    return odds / odds.sum()
