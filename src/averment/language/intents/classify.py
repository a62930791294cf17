"""The classifier: a few small models over a sentence's vector, its words and letters, and its plain signs.

One is linear, the others have one hidden layer; a weighed mean of their probabilities is what counts. Where few
sentences of a kind are known the first is the steadier, where many are the others are the sharper. Their weights are
fitted by ``scripts/fit_intents.py`` and shipped as numbers; there is no text of anyone in them. A probability under a
caller's threshold means that the caller asks back.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import pairwise
from typing import TYPE_CHECKING, Protocol

from averment.language.intents.vocabulary import (
    CAUSE,
    DATA,
    METRIC,
    MOVE,
    REFERENCE,
    SOURCES,
    STATISTIC,
    TASK_WORDS,
    VERB_PAST,
    pattern,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_UNDO = pattern("undo")
_UPDATE_VERB = pattern("update_verb")
_UPDATE_SHAPE = pattern("update_shape")
_COMPLETE = pattern("complete")
_DID = re.compile(rf"^(?:yep,? |yes,? |ok,? )?(?:i|we)(?:'ve| have)?(?: already| just| finally)? (?:{VERB_PAST})\b")
_ASKS = re.compile(r"(?:what|which|who|where|when|why|how|is|are|do|does|did|can|could|will|would|should|has|have)\b")
_NOT_DONE = re.compile(r"\b(?:not|n't|never|if|when|until|did i|have i|should)\b|\?")


CUES = (
    "undo",
    "drill",
    "update",
    "update_shape",
    "complete",
    "did",
    "research",
    "analyze",
    "about_task",
    "cause",
    "move",
    "metric",
    "statistic",
    "data",
    "question",
)
"""What ``cues`` may name, in the order of the classifier's weights."""


def cues(text: str) -> frozenset[str]:
    """Which plain signs of an intent the words hold."""
    plain = " ".join(text.casefold().replace("\u2019", "'").split())
    about_task = bool(REFERENCE.search(plain) or TASK_WORDS.search(plain))
    cause, move, metric = (bool(pattern.search(plain)) for pattern in (CAUSE, MOVE, METRIC))
    statistic, data = bool(STATISTIC.search(plain)), bool(DATA.search(plain))
    finished, shaped = bool(_COMPLETE.search(plain)), bool(_UPDATE_SHAPE.search(plain))
    told = {
        "undo": bool(_UNDO.search(plain)),
        "drill": cause and (move or metric),
        "update": about_task and bool(_UPDATE_VERB.search(plain)) and not finished,
        "update_shape": shaped and not finished,
        "complete": finished and not _NOT_DONE.search(plain),
        "did": bool(_DID.search(plain)) and not _NOT_DONE.search(plain),
        "research": bool(SOURCES.search(plain)),
        "analyze": statistic and data,
        "about_task": about_task,
        "cause": cause,
        "move": move,
        "metric": metric,
        "statistic": statistic,
        "data": data,
        "question": plain.endswith("?") or bool(_ASKS.match(plain)),
    }
    return frozenset(name for name, there in told.items() if there)


BUCKETS = 1 << 13
_WORD = re.compile(r"[a-z]+|[0-9]+|[#?!']")
_NUMBER = re.compile(r"[0-9]+")

Counts = tuple[Counter[int], Counter[int]]
"""How often each bucket was hit: by words and pairs of words, and by runs of letters."""


def count_grams(text: str) -> Counts:
    """The words, pairs of words and runs of letters of a sentence, counted by bucket."""
    plain = _NUMBER.sub("7", text.casefold().replace("\u2019", "'"))
    words = _WORD.findall(plain)
    bounded = ["<", *words, ">"]
    by_word = Counter(_bucket("w", word) for word in words)
    by_word.update(_bucket("p", f"{left} {right}") for left, right in pairwise(bounded))
    by_letter: Counter[int] = Counter()
    for word in words:
        framed = f"_{word}_"
        for size in (3, 4):
            by_letter.update(_bucket("c", framed[start : start + size]) for start in range(len(framed) - size + 1))
    return by_word, by_letter


def score_grams(counts: Counts, rarity: Sequence[float]) -> dict[int, float]:
    """Weights by bucket: words together are of length one, and so are letters; what is rare weighs more."""
    whole: dict[int, float] = {}
    for part in counts:
        weights = {bucket: (1.0 + math.log(count)) * rarity[bucket] for bucket, count in part.items()}
        norm = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        for bucket, weight in weights.items():
            whole[bucket] = whole.get(bucket, 0.0) + weight / norm
    return whole


def measure_rarity(seen: Sequence[Counts]) -> list[float]:
    """How rare each bucket is among sentences: one and more, the more the fewer hit it."""
    hits: Counter[int] = Counter()
    for by_word, by_letter in seen:
        hits.update(by_word.keys() | by_letter.keys())
    return [math.log((1 + len(seen)) / (1 + hits[bucket])) + 1.0 for bucket in range(BUCKETS)]


def _bucket(kind: str, text: str) -> int:
    return zlib.crc32(f"{kind}:{text}".encode()) % BUCKETS


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
