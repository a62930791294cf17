"""Vectors without any model: words, stems and character n-grams hashed into a fixed number of places.

Likeness is that of spelling, not of meaning. There is no corpus to count, so a word's weight follows from its kind:
little words weigh next to nothing, whole words more than their pieces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from math import log1p, sqrt
from typing import TYPE_CHECKING
from zlib import crc32

from averment.language.stems import root
from averment.language.tokens import STOP_WORDS, split_words, strip_accents

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_STOP_WEIGHT = 0.1
_GRAM_WEIGHT = 0.35
_PAIR_WEIGHT = 0.5


class HashedTfidfEmbedder:
    """A deterministic embedder that is always available."""

    name = "hashed-tfidf-384"
    dimension = 384

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """One unit vector for each text; zeros for a text without words."""
        import numpy as np

        rows = np.zeros((len(texts), self.dimension), np.float32)
        for place, text in enumerate(texts):
            for feature, weight in _weighted(text):
                code = crc32(feature.encode("utf-8", "surrogatepass"))
                # The top bit is the sign: features that fall on one place cancel out on average instead of adding up.
                rows[place, code % self.dimension] += weight if code >> 31 else -weight
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0)


def _weighted(text: str) -> Iterator[tuple[str, float]]:
    counts = Counter(_features(text))
    for (feature, weight), count in counts.items():
        yield feature, weight * sqrt(1 + log1p(count - 1))


def _features(text: str) -> Iterator[tuple[str, float]]:
    before = ""
    for word in split_words(text):
        plain = strip_accents(word.normal)
        if plain in STOP_WORDS:
            yield f"w:{plain}", _STOP_WEIGHT
            continue
        stem = root(plain)
        yield f"w:{stem}", 1.0
        if before:
            yield f"p:{before} {stem}", _PAIR_WEIGHT
        before = stem
        padded = f"<{plain}>"
        for size in (3, 4):
            for start in range(len(padded) - size + 1):
                yield f"g:{padded[start : start + size]}", _GRAM_WEIGHT
