"""What a sentence looks like to the classifier: its vector, and hashed words and letters.

The hashing is CRC-32, so that the same sentence gives the same features on every machine and in every process.
"""

from __future__ import annotations

import math
import re
import zlib
from collections import Counter
from itertools import pairwise

BUCKETS = 1 << 13
_WORD = re.compile(r"[a-z]+|[0-9]+|[#?!']")
_NUMBER = re.compile(r"[0-9]+")


def grams(text: str) -> dict[int, float]:
    """The words, pairs of words and runs of letters of a sentence as weights by bucket, of length one together."""
    plain = _NUMBER.sub("7", text.casefold().replace("\u2019", "'"))
    words = _WORD.findall(plain)
    counted: Counter[int] = Counter()
    bounded = ["<", *words, ">"]
    for word in words:
        counted[_bucket("w", word)] += 1
    for left, right in pairwise(bounded):
        counted[_bucket("p", f"{left} {right}")] += 1
    for word in words:
        framed = f"_{word}_"
        for size in (3, 4):
            for start in range(len(framed) - size + 1):
                counted[_bucket("c", framed[start : start + size])] += 1
    weights = {bucket: 1.0 + math.log(count) for bucket, count in counted.items()}
    norm = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {bucket: weight / norm for bucket, weight in weights.items()}


def _bucket(kind: str, text: str) -> int:
    return zlib.crc32(f"{kind}:{text}".encode()) % BUCKETS
