"""The texts of one home: the corpus of archived sources, and what turns texts into vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.errors import StorageError
from averment.runtime.once import LazyParts, once

if TYPE_CHECKING:
    from averment.corpus.corpus import Corpus
    from averment.language.embeddings import Embedder
    from averment.runtime.store_services import StoreServices


class TextServices(LazyParts):
    """What is searched by words and by meaning."""

    _LASTING = frozenset({"embedder"})

    def __init__(self, store: StoreServices) -> None:
        super().__init__()
        self._store = store

    @property
    @once
    def corpus(self) -> Corpus:
        """The archived sources of this home."""
        from averment.corpus.corpus import Corpus

        return Corpus(self._store.database, self.embedder())

    @once
    def embedder(self) -> Embedder:
        """What turns texts into vectors, built once and kept in the cache; where there is no room, the small one."""
        from averment.language.embeddings import HashedTfidfEmbedder, default_embedder

        embedder = default_embedder(self._store.cache_dir / "models")
        try:
            embedder.embed(["ready"])  # The model is built at its first text.
        except StorageError:
            return HashedTfidfEmbedder()
        return embedder
