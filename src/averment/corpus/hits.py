"""What a search gives back."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """One passage that was found: where it stands in which snapshot, and how well it fits.

    ``score`` orders the hits of one search and means nothing across searches. ``coverage`` does: it is the share of the
    question's words, weighed by rarity, that the passage and its title hold. So does ``cosine``, where there are
    vectors.
    """

    passage_id: str
    document_id: str
    score: float
    start: int
    end: int
    text: str
    title: str
    url: str
    snapshot_sha256: str
    coverage: float
    cosine: float | None = None
