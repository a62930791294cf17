"""The corpus of this home as a provider: nothing leaves the machine."""

from __future__ import annotations

from collections.abc import Collection

from averment.corpus.corpus import Corpus
from averment.corpus.providers.protocol import ANY, Found, Narrowed

_PER_SOURCE = 4


class LocalCorpus:
    """Finds documents by their best passage."""

    name = "corpus"

    def __init__(self, corpus: Corpus, within: Collection[str] | None = None) -> None:
        self._corpus = corpus
        self._within = within

    def search(self, query: str, k: int, narrowed: Narrowed = ANY) -> list[Found]:
        """Up to k documents, each once, with the passage that fits best."""
        found: dict[str, Found] = {}
        for hit in self._corpus.search_hops(query, min(1_000, k * _PER_SOURCE), within=self._within):
            if hit.url not in found and len(found) < k:
                published = self._corpus.document(hit.document_id).published_at
                one = Found(url=hit.url, title=hit.title, snippet=hit.text, provider=self.name, published_at=published)
                if narrowed.keeps(one):
                    found[hit.url] = one
        return list(found.values())
