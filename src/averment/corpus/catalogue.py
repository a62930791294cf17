"""The catalogue: every document's card, and the structures of those that are opened; kept in memory while they hold.

Documents that were archived before there were cards get theirs when the catalogue is first looked into.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from averment.corpus.answering.card import (
    DocumentCard,
    card_of,
    pack_card,
    pack_words,
    unpack_card,
    unpack_words,
)
from averment.corpus.answering.span_reader import SpanReader as SentenceReader
from averment.corpus.answering.span_reader import TokenEmbedder
from averment.corpus.structure.read import read_structure
from averment.corpus.structure.shape import Structure
from averment.store.corpus.archive import CorpusArchive
from averment.store.corpus.cards import CorpusCards
from averment.store.corpus.document_rows import Document
from averment.store.corpus.documents import CorpusStore

if TYPE_CHECKING:
    from averment.language.embeddings.protocol import Embedder

_STRUCTURES = 400
_VECTORS = 20_000


@dataclass(frozen=True, slots=True)
class CatalogueEntry:
    """A document and its card."""

    document: Document
    card: DocumentCard


class Catalogue:
    """The cards and structures of one corpus; safe to share between threads."""

    def __init__(
        self, store: CorpusStore, archive: CorpusArchive, cards: CorpusCards, embedder: Embedder | None
    ) -> None:
        self._store, self._archive, self._cards, self._embedder = store, archive, cards, embedder
        self._lock = threading.RLock()
        self._listed: tuple[str, list[CatalogueEntry]] | None = None
        self._words: tuple[str, frozenset[str], Counter[str]] | None = None
        self._structures: OrderedDict[tuple[str, str, str, str], Structure] = OrderedDict()
        self._vectors: OrderedDict[str, npt.NDArray[np.float32]] = OrderedDict()

    def among(self, document_ids: Collection[str]) -> list[CatalogueEntry]:
        """These documents with their cards, by address; a copy is left out where its original is among them."""
        return [
            one
            for one in self.all()
            if one.document.document_id in document_ids and one.document.copies_of not in document_ids
        ]

    def all(self) -> list[CatalogueEntry]:
        """Every document with its card, by address."""
        with self._lock:
            stamp = self._store.stamp()
            if self._listed is None or self._listed[0] != stamp:
                self._listed = (stamp, self._load())
            return self._listed[1]

    def words(self, document_ids: Collection[str]) -> Counter[str]:
        """How often these documents together write each word."""
        with self._lock:
            stamp, seen = self._store.stamp(), frozenset(document_ids)
            if self._words is None or self._words[:2] != (stamp, seen):
                self.all()
                total: Counter[str] = Counter()
                for document_id, packed in self._cards.words().items():
                    if document_id in seen:
                        total.update(unpack_words(packed))
                self._words = (stamp, seen, total)
            return self._words[2]

    def structure(self, snapshot_sha256: str, kind: str, url: str, title: str) -> Structure:
        """The structure of an archived text, checked against its digest as it is read.

        Raises:
            SourceNotFound: nothing is archived under the digest.
            VerificationFailed: it is not what was archived.
        """
        text = self._archive.read(snapshot_sha256).decode()
        place = (snapshot_sha256, kind, url, title)
        with self._lock:
            found = self._structures.pop(place, None) or read_structure(text, kind, url, title)
            self._structures[place] = found
            while len(self._structures) > _STRUCTURES:
                self._structures.popitem(last=False)
            return found

    def card(self, structure: Structure) -> DocumentCard:
        """The card of a structure."""
        return card_of(structure)

    @property
    def can_embed(self) -> bool:
        """Whether texts can be compared by meaning."""
        return self._embedder is not None

    @cached_property
    def reader(self) -> SentenceReader | None:
        """What reads a question and a sentence together; None where the embedder cannot be fitted on."""
        embedder = self._embedder
        return SentenceReader(embedder) if isinstance(embedder, TokenEmbedder) else None

    def embed(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """The vectors of texts; each text is computed once."""
        assert self._embedder is not None
        with self._lock:
            fresh = [text for text in dict.fromkeys(texts) if text not in self._vectors]
            if fresh:
                for text, vector in zip(fresh, self._embedder.embed(fresh), strict=True):
                    self._vectors[text] = vector
            found = np.array([self._vectors[text] for text in texts], np.float32)
            while len(self._vectors) > _VECTORS:
                self._vectors.popitem(last=False)
            return found

    def _load(self) -> list[CatalogueEntry]:
        packed = self._cards.all()
        missing: dict[str, tuple[bytes, bytes]] = {}
        found: list[CatalogueEntry] = []
        for document in self._store.documents():
            kept = packed.get(document.document_id)
            card = unpack_card(kept) if kept is not None else None
            if card is None:
                text = self._archive.read(document.snapshot_sha256).decode()
                structure = read_structure(text, document.kind, document.url, document.title)
                missing[document.document_id] = (pack_card(structure), pack_words(structure))
                card = card_of(structure)
            found.append(CatalogueEntry(document, card))
        self._cards.put(missing)
        return found
