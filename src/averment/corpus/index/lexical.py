"""Full text in memory: BM25 over packed terms, exact and the same for the same passages.

Passages are rows numbered from 0 in the order they are given. Titles are counted with the text they head, more than
once: a word of the title says more about a passage than the same word in passing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from averment.corpus.terms import key_of, unpack

Floats: TypeAlias = npt.NDArray[np.float64]

K1 = 1.2
B = 0.75


class LexicalIndex:
    """BM25 over a fixed list of packed passages."""

    def __init__(self, packed: Sequence[bytes]) -> None:
        self.size = len(packed)
        pairs = [unpack(one) for one in packed]
        counts = np.array([len(keys) for keys, _ in pairs], dtype=np.int64)
        rows = np.repeat(np.arange(self.size, dtype=np.int32), counts)
        keys = np.concatenate([keys for keys, _ in pairs]) if pairs else np.empty(0, np.uint64)
        frequencies = np.concatenate([found for _, found in pairs]) if pairs else np.empty(0, np.uint16)
        order = np.argsort(keys, kind="stable")
        self._rows = rows[order]
        self._frequencies = frequencies[order].astype(np.float64)
        self._keys, self._starts = np.unique(keys[order], return_index=True)
        self._ends = np.append(self._starts[1:], len(keys))
        self.lengths = np.bincount(rows, weights=frequencies.astype(np.float64), minlength=self.size)
        mean = float(self.lengths.mean()) if self.size else 1.0
        self._norms = K1 * (1 - B + B * self.lengths / max(mean, 1.0))

    def _place(self, term: str) -> int | None:
        key = np.uint64(key_of(term))
        place = int(np.searchsorted(self._keys, key))
        return place if place < len(self._keys) and self._keys[place] == key else None

    def document_frequency(self, term: str) -> int:
        """How many passages hold a term."""
        place = self._place(term)
        return 0 if place is None else int(self._ends[place] - self._starts[place])

    def rows_of(self, term: str) -> npt.NDArray[np.int32]:
        """The rows of the passages that hold a term."""
        place = self._place(term)
        return self._rows[:0] if place is None else self._rows[self._starts[place] : self._ends[place]]

    def weight(self, term: str) -> float:
        """The inverse document frequency of a term, never negative; the highest for a term that no passage holds."""
        frequency = self.document_frequency(term)
        return float(np.log1p((self.size - frequency + 0.5) / (frequency + 0.5)))

    def scores(self, weighted: dict[str, float]) -> Floats:
        """The BM25 score of every passage for terms with weights."""
        total = np.zeros(self.size)
        for term in sorted(weighted):
            place = self._place(term)
            if place is None:
                continue
            span = slice(self._starts[place], self._ends[place])
            rows, frequency = self._rows[span], self._frequencies[span]
            gain = frequency * (K1 + 1) / (frequency + self._norms[rows])
            # Each row stands once in a term's postings, so plain indexed addition is exact.
            total[rows] += weighted[term] * self.weight(term) * gain
        return total
