"""What the reader says of the likeliest candidates, kept between fits."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Sequence
from pathlib import Path

from answer_fitting.collect import Case
from averment.corpus.answering.shortlist import READ
from averment.corpus.answering.span_reader import Opinion, Reader, packaged


class Read:
    """The reader, with the package's numbers or with others; each opinion is made once."""

    def __init__(self, kept: Path, weights: Path | None) -> None:
        from averment.language.embeddings.minilm import MiniLmEmbedder

        fitted = packaged() if weights is None else weights.read_bytes()
        self._place = kept / f"opinions-{hashlib.sha256(fitted).hexdigest()[:12]}.pickle"
        self._opinions: dict[tuple[str, object], Opinion] = (
            pickle.loads(self._place.read_bytes()) if self._place.exists() else {}  # our own file of an earlier fit
        )
        self._reader = Reader(MiniLmEmbedder(kept), fitted)

    def all(self, cases: Sequence[Case]) -> None:
        """Read more candidates of every case than any curve will choose, and keep what was said."""
        for case in cases:
            self.of(case, range(min(2 * READ, len(case.windows))))
        self._place.write_bytes(pickle.dumps(self._opinions))

    def of(self, case: Case, places: Iterable[int]) -> list[Opinion]:
        """The opinions of some candidates of a case."""
        found: list[Opinion] = []
        for n in places:
            key = (case.question, case.windows[n])
            if key not in self._opinions:
                self._opinions[key] = self._reader.read(case.question, [case.windows[n]])[0]
            found.append(self._opinions[key])
        return found
