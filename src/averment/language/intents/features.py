"""What a sentence looks like to the classifier: its vector, and hashed words and letters weighed by their rarity.

The hashing is CRC-32, so that the same sentence gives the same features on every machine and in every process.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

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
