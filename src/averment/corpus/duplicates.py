"""Near-duplicates: documents whose runs of five words are nearly the same are copies, and copies are one source.

Candidates come from MinHash bands, which the store can look up; whether two texts are copies is then counted exactly. A
text retold in the same words in another order or with some words exchanged is a copy too, where both are at hand.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from zlib import crc32

from averment.corpus.terms import terms, words

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

RUN = 5
"""Words in a shingle."""
ALIKE = 0.8
"""The share of common shingles above which two documents are copies."""
CONTAINED = 0.95
"""The share of the shorter document's shingles that the longer one holds, where it is at least half as long."""

RETOLD = 0.7
"""The share of common terms above which one text retells another; independent texts on one matter share far fewer."""
_TERMS_ENOUGH = 20

_BANDS, _ROWS = 16, 4


def shingles(text: str) -> frozenset[int]:
    """The runs of five words of a text as numbers; a shorter text is one run."""
    found = words(text)
    if not found:
        return frozenset()
    last = max(len(found) - RUN, 0)
    return frozenset(crc32(" ".join(found[first : first + RUN]).encode()) for first in range(last + 1))


def bands(runs: frozenset[int]) -> tuple[str, ...]:
    """Sixteen keys; two documents that share four fifths of their runs share one of them almost surely."""
    import numpy as np

    if not runs:
        return ()
    values = np.array(sorted(runs), dtype=np.uint64)
    multipliers, offsets = _permutations()
    lowest = ((values[None, :] * multipliers[:, None] + offsets[:, None]) >> np.uint64(32)).min(axis=1)
    rows = lowest.reshape(_BANDS, _ROWS).astype("<u4")
    return tuple(f"{number:02d}{row.tobytes().hex()}" for number, row in enumerate(rows))


def are_copies(one: frozenset[int], other: frozenset[int]) -> bool:
    """Whether two documents, given by their shingles, are copies of each other."""
    if not one or not other:
        return False
    common = len(one & other)
    if common >= ALIKE * (len(one) + len(other) - common):
        return True
    short, long = sorted((len(one), len(other)))
    return short > RUN and 2 * short >= long and common >= CONTAINED * short


def are_retold(one: str, other: str) -> bool:
    """Whether one text retells the other: long enough to tell, and nearly the same terms in whatever order."""
    left, right = _terms(one), _terms(other)
    if min(len(left), len(right)) < _TERMS_ENOUGH:
        return False
    common = len(left & right)
    return common >= RETOLD * (len(left) + len(right) - common)


@lru_cache(maxsize=1024)
def _terms(text: str) -> frozenset[str]:
    return frozenset(terms(text))


@lru_cache(maxsize=1)
def _permutations() -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Fixed odd multipliers and offsets; overflow of 64 bits is the mixing."""
    import numpy as np

    state, made = 0x9E3779B97F4A7C15, []
    for _ in range(2 * _BANDS * _ROWS):
        # SplitMix64: a small generator whose numbers are the same everywhere and for ever.
        state = (state + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & 0xFFFFFFFFFFFFFFFF
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & 0xFFFFFFFFFFFFFFFF
        made.append(mixed ^ (mixed >> 31))
    numbers = np.array(made, dtype=np.uint64).reshape(2, -1)
    return numbers[0] | np.uint64(1), numbers[1]
