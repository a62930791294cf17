"""All passages in memory: their terms, vectors, titles and names, as rows in the order of their ids.

An index is a picture of the corpus at one moment and is never changed, but for vectors that arrive later. Rows are
sorted by passage id, so that equal scores always come in the same order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from averment.corpus.index.lexical import LexicalIndex
from averment.corpus.names import title_keys
from averment.corpus.terms import key_of
from averment.store.corpus.document_rows import PassageKey

Floats: TypeAlias = npt.NDArray[np.float64]


class PassageIndex:
    """One moment of the corpus, ready to be searched."""

    def __init__(self, keys: Sequence[PassageKey], titles: Mapping[str, str], dimension: int = 0) -> None:
        self.ids = [key.passage_id for key in keys]
        self.documents = [key.document_id for key in keys]
        self.titles = titles
        self.lexical = LexicalIndex([key.terms for key in keys])
        self._names = [key.names for key in keys]
        self._row = {passage_id: row for row, passage_id in enumerate(self.ids)}
        self._vectors = np.zeros((len(keys), dimension), np.float32)
        self._has_vector = np.zeros(len(keys), bool)

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def with_vector(self) -> int:
        """How many passages have a vector."""
        return int(self._has_vector.sum())

    def take_vectors(self, vectors: Iterable[tuple[str, bytes]]) -> None:
        """Add vectors of passages by id; those of passages that are not in this index are left out."""
        for passage_id, vector in vectors:
            row = self._row.get(passage_id)
            if row is not None and len(vector) == 4 * self._vectors.shape[1]:
                self._vectors[row] = np.frombuffer(vector, dtype="<f4")
                self._has_vector[row] = True

    def title(self, row: int) -> str:
        """The title of the document a row belongs to."""
        return self.titles.get(self.documents[row], "")

    def cosines(
        self, vector: npt.NDArray[np.float32], by_words: Floats | None = None
    ) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """The cosine of every passage with a unit vector, and which passages have one at all.

        ``by_words`` are the scores by full text, for an index that does not look at every passage.
        """
        return (self._vectors @ vector).astype(np.float64), self._has_vector

    @cached_property
    def title_rows(self) -> dict[str, list[int]]:
        """Every form of a title with the passages of the documents that bear it."""
        rows_of: dict[str, list[int]] = defaultdict(list)
        for row, document_id in enumerate(self.documents):
            rows_of[document_id].append(row)
        found: dict[str, list[int]] = defaultdict(list)
        for document_id, rows in rows_of.items():
            for key in title_keys(self.titles.get(document_id, "")):
                found[key].extend(rows)
        return {key: sorted(rows) for key, rows in found.items()}

    @cached_property
    def _name_postings(self) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.int64]]:
        packed = [np.frombuffer(names, dtype="<u8") for names in self._names]
        keys = np.concatenate(packed) if packed else np.empty(0, np.uint64)
        rows = np.repeat(np.arange(len(packed)), [len(names) for names in packed])
        order = np.argsort(keys, kind="stable")
        return keys[order], rows[order]

    def rows_naming(self, name: str) -> npt.NDArray[np.int64]:
        """The passages that mention a name, in order."""
        keys, rows = self._name_postings
        key = np.uint64(key_of(name))
        return rows[np.searchsorted(keys, key, "left") : np.searchsorted(keys, key, "right")]


def best_rows(scores: Floats, k: int) -> list[int]:
    """The k rows of the highest scores, the highest first, equals by row."""
    if k <= 0 or not len(scores):
        return []
    near = np.flatnonzero(scores >= np.partition(scores, -k)[-k]) if k < len(scores) else np.arange(len(scores))
    return [int(row) for row in near[np.lexsort((near, -scores[near]))][:k]]
