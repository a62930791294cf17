"""A large corpus whose vectors stay in the database: each question fetches those of the likely passages alone.

Likely are the passages that an approximate index proposes, and those whose words fit best; their cosines are exact. Any
other passage counts as an ordinary one, whose cosine is the median of a fixed sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from averment.corpus.index.passage_index import Floats, PassageIndex, best_rows
from averment.store.corpus.document_rows import PassageKey
from averment.store.corpus.passage_index import CorpusNearest
from averment.store.corpus.passage_vectors import CorpusVectors

BY_WORDS = 200
"""So many of the passages whose words fit best are compared by meaning too."""

SAMPLE = 1_000


class FarIndex(PassageIndex):
    """One moment of a corpus whose vectors are not held in memory."""

    def __init__(
        self,
        keys: Sequence[PassageKey],
        titles: Mapping[str, str],
        *,
        dimension: int,
        near: CorpusNearest,
        vectors: CorpusVectors,
    ) -> None:
        super().__init__(keys, titles)
        self._dimension = dimension
        self._near = near
        self._kept = vectors
        places = np.unique(np.linspace(0, len(keys) - 1, min(SAMPLE, len(keys))).astype(int))
        self._sample = self._matrix([self.ids[place] for place in places])[1]

    @property
    def with_vector(self) -> int:
        """All of them: what is not known of a passage is fetched when it is asked for."""
        return len(self)

    def take_vectors(self, vectors: Iterable[tuple[str, bytes]]) -> None:
        """Nothing is taken into memory."""

    def cosines(
        self, vector: npt.NDArray[np.float32], by_words: Floats | None = None
    ) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """The cosines of likely passages, an ordinary one for all others; which have one, as far as was looked."""
        likely = set(self._near.nearest(vector))
        if by_words is not None:
            likely.update(self.ids[row] for row in best_rows(by_words, BY_WORDS) if by_words[row] > 0)
        ids, matrix = self._matrix(sorted(likely))
        ordinary = float(np.median(self._sample @ vector)) if len(self._sample) else 0.0
        found = np.full(len(self), ordinary)
        places = [(place, row) for place, one in enumerate(ids) if (row := self._row.get(one)) is not None]
        found[[row for _, row in places]] = (matrix @ vector)[[place for place, _ in places]]
        has_vector = np.ones(len(self), bool)
        has_vector[[self._row[one] for one in likely.difference(ids) if one in self._row]] = False
        return found, has_vector

    def _matrix(self, ids: Sequence[str]) -> tuple[list[str], npt.NDArray[np.float32]]:
        """The vectors of these passages in the order of their ids, as far as they have one of the right length."""
        kept = sorted(one for one in self._kept.some(ids) if len(one[1]) == 4 * self._dimension)
        rows = np.frombuffer(b"".join(vector for _, vector in kept), dtype="<f4")
        return [passage_id for passage_id, _ in kept], rows.reshape(len(kept), self._dimension)
