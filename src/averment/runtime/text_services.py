"""The texts of one home: the corpus of archived sources, and what turns texts into vectors."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from averment.errors import StorageError

if TYPE_CHECKING:
    from averment.corpus.corpus import Corpus
    from averment.language.embeddings import Embedder
    from averment.runtime.store_services import StoreServices


class TextServices:
    """What is searched by words and by meaning."""

    def __init__(self, store: StoreServices) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._corpus: Corpus | None = None
        self._embedder: Embedder | None = None

    @property
    def corpus(self) -> Corpus:
        """The archived sources of this home."""
        from averment.corpus.corpus import Corpus

        with self._lock:
            if self._corpus is None:
                self._corpus = Corpus(self._store.database, self.embedder())
            return self._corpus

    def embedder(self) -> Embedder:
        """What turns texts into vectors, built once and kept in the cache; where there is no room, the small one."""
        from averment.language.embeddings import HashedTfidfEmbedder, default_embedder

        with self._lock:
            if self._embedder is None:
                embedder = default_embedder(self._store.cache_dir / "models")
                try:
                    embedder.embed(["ready"])  # The model is built at its first text.
                except StorageError:
                    embedder = HashedTfidfEmbedder()
                self._embedder = embedder
            return self._embedder

    def close(self) -> None:
        """Close the corpus; the embedder stays, since it holds nothing open."""
        with self._lock:
            if self._corpus is not None:
                self._corpus.close()
            self._corpus = None
