"""Searching archived texts alone: the same pinned snapshots give the same passages, whatever the corpus holds today.

A research names the snapshots it looked into. Documents that came, changed or went later do not touch its passages, so
that a search can be repeated and compared years after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from averment.corpus.corpus import Corpus
from averment.corpus.index.lexical import LexicalIndex
from averment.corpus.index.passage_index import best_rows
from averment.corpus.passages import cut
from averment.corpus.terms import pack, terms

_PER_DOCUMENT = 4
_FLATTEN = 10
_TITLE_COUNT = 2


@dataclass(frozen=True, kw_only=True, slots=True)
class PinnedHit:
    """A passage of a pinned text: which text (by place), where in it, its words, and how much of the query it holds."""

    place: int
    start: int
    end: int
    text: str
    coverage: float


def search_pinned(corpus: Corpus, query: str, pins: Sequence[tuple[str, str]], k: int) -> list[PinnedHit]:
    """The k best passages of archived texts, each given by its digest and title, the more likely texts first.

    The order mixes the place of the text with the full-text rank of the passage; at most four come from one text.

    Raises:
        SourceNotFound: a digest is not in the archive.
        VerificationFailed: an archived text is not what was archived.
    """
    rows: list[tuple[int, int, int, str]] = []
    packed: list[bytes] = []
    for place, (sha256, title) in enumerate(pins):
        text = corpus.snapshot(sha256)
        for start, end in cut(text):
            counts = Counter(terms(text[start:end]))
            for term in terms(title):
                counts[term] += _TITLE_COUNT
            rows.append((place, start, end, text[start:end]))
            packed.append(pack(counts))
    if not rows:
        return []
    index = LexicalIndex(packed)
    asked = Counter(terms(query))
    scores = index.scores({term: float(count) for term, count in asked.items()})
    ranked = [row for row in best_rows(scores, len(rows)) if scores[row] > 0]
    weights = {term: index.weight(term) for term in asked}
    total = sum(weights.values()) or 1.0
    order = sorted(
        enumerate(ranked), key=lambda pair: (-(1 / (_FLATTEN + pair[0]) + 1 / (_FLATTEN + rows[pair[1]][0])), pair[1])
    )
    found: list[PinnedHit] = []
    taken: Counter[int] = Counter()
    for _, row in order:
        place, start, end, text = rows[row]
        if taken[place] >= _PER_DOCUMENT or len(found) >= k:
            continue
        taken[place] += 1
        held = set(terms(f"{pins[place][1]} {text}"))
        covered = sum(weight for term, weight in weights.items() if term in held) / total
        found.append(PinnedHit(place=place, start=start, end=end, text=text, coverage=round(covered, 6)))
    return found
