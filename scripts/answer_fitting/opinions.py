"""What the reader says of the likeliest candidates, kept between fits."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from answer_fitting.collect import Case
from averment.corpus.answering.answerer import READ
from averment.corpus.answering.span_reader import SpanOpinion, SpanReader, packaged

Opinions = dict[tuple[str, object], SpanOpinion]


class Read:
    """The reader, with the package's numbers or with others; each opinion is made once.

    A corpus that some reader was fitted on is read by the one that ``without`` names for it: one that left it out.
    """

    def __init__(self, kept: Path, weights: Path | None, without: Mapping[str, Path] | None = None) -> None:
        self._plain = One(kept, packaged() if weights is None else weights.read_bytes())
        places = without or {}
        readers = {place: One(kept, place.read_bytes()) for place in dict.fromkeys(places.values())}
        self._without = {corpus: readers[place] for corpus, place in places.items()}

    def all(self, cases: Sequence[Case]) -> None:
        """Read more candidates of every case than any curve will choose, and keep what was said."""
        for case in cases:
            self.of(case, range(min(2 * READ, len(case.windows))))
        for one in (self._plain, *dict.fromkeys(self._without.values())):
            one.save()

    def of(self, case: Case, places: Iterable[int]) -> list[SpanOpinion]:
        """The opinions of some candidates of a case."""
        return self._without.get(case.corpus, self._plain).of(case, places)


class One:
    """A reader with certain numbers, and what it said."""

    def __init__(self, kept: Path, fitted: bytes) -> None:
        from averment.language.embeddings.minilm import MiniLmEmbedder

        self._place = kept / f"opinions-{hashlib.sha256(fitted).hexdigest()[:12]}.pickle"
        self._opinions: Opinions = (
            pickle.loads(self._place.read_bytes()) if self._place.exists() else {}  # our own file of an earlier fit
        )
        self._reader = SpanReader(MiniLmEmbedder(kept), fitted)

    def of(self, case: Case, places: Iterable[int]) -> list[SpanOpinion]:
        """The opinions of some candidates of a case."""
        found: list[SpanOpinion] = []
        for n in places:
            key = (case.question, case.windows[n])
            if key not in self._opinions:
                self._opinions[key] = self._reader.read(case.question, [case.windows[n]])[0]
            found.append(self._opinions[key])
        return found

    def save(self) -> None:
        """Keep what was said."""
        self._place.write_bytes(pickle.dumps(self._opinions))
