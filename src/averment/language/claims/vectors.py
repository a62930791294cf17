"""Likeness of texts by their vectors, each text embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from averment.language.embeddings import Embedder


class Similarity:
    """Cosines between texts, from 0 to 1; without an embedder every likeness is 0."""

    def __init__(self, embedder: Embedder | None, *, keep: int = 50_000) -> None:
        self._embedder = embedder
        self._kept: dict[str, Any] = {}
        self._keep = keep

    @property
    def is_there(self) -> bool:
        """Whether there is anything to compare with."""
        return self._embedder is not None

    def between(self, one: str, others: Sequence[str]) -> list[float]:
        """How alike a text is to each of the others."""
        if self._embedder is None or not others:
            return [0.0] * len(others)
        self._learn((one, *others))
        row = self._kept[one]
        return [max(0.0, float(row @ self._kept[other])) for other in others]

    def to_all(self, group: Sequence[str], others: Sequence[str]) -> list[float]:
        """How alike each of the others is to a group of texts as a whole."""
        if self._embedder is None or not others:
            return [0.0] * len(others)
        self._learn((*group, *others))
        middle: Any = sum((self._kept[text] for text in group[1:]), self._kept[group[0]])
        length = float((middle @ middle) ** 0.5) or 1.0
        return [float(middle @ self._kept[other]) / length for other in others]

    def _learn(self, texts: Sequence[str]) -> None:
        assert self._embedder is not None
        new = [text for text in dict.fromkeys(texts) if text not in self._kept]
        if len(self._kept) + len(new) > self._keep:
            self._kept.clear()
            new = list(dict.fromkeys(texts))
        rows = self._embedder.embed(new) if new else ()
        for text, row in zip(new, rows, strict=True):
            self._kept[text] = row
