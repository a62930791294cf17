"""What the reader says of the likeliest candidates, kept between fits."""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from answer_fitting.collect import Case

from averment.corpus.answering.reader import Opinion, Reader
from averment.corpus.answering.shortlist import READ


class Read:
    """The reader, of the package's weights or of others; the states of tokens are computed once."""

    def __init__(self, kept: Path, weights: Path | None) -> None:
        from safetensors.numpy import load_file

        from averment.language.embeddings.minilm import MiniLmEmbedder, model_dir

        loaded = None if weights is None else {n: v.astype(np.float32) for n, v in load_file(str(weights)).items()}
        self._place = kept / "reader_states.pickle"
        self._states: dict[tuple[int, ...], Any] = (
            pickle.loads(self._place.read_bytes()) if self._place.exists() else {}  # our own file of an earlier fit
        )
        self._embedder = MiniLmEmbedder(kept)
        self._reader = Reader(self._kept_states, model_dir(), loaded)
        self._opinions: dict[tuple[str, Any], Opinion] = {}

    def _kept_states(self, ids: Sequence[int]) -> Any:
        key = tuple(ids)
        if key not in self._states:
            self._states[key] = self._embedder.states(ids).astype(np.float16)
        return self._states[key].astype(np.float32)

    def all(self, cases: Sequence[Case]) -> None:
        """Read more candidates of every case than any curve will choose, and keep the states of their tokens."""
        for case in cases:
            self.of(case, range(min(2 * READ, len(case.windows))))
        self._place.write_bytes(pickle.dumps(self._states))

    def of(self, case: Case, places: Iterable[int]) -> list[Opinion]:
        """The opinions of some candidates of a case."""
        found: list[Opinion] = []
        for n in places:
            key = (case.question, case.windows[n])
            if key not in self._opinions:
                self._opinions[key] = self._reader.read(case.question, [case.windows[n]])[0]
            found.append(self._opinions[key])
        return found
