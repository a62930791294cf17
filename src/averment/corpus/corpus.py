"""The corpus of one home: sources are added to it, passages are found in it, and quotations are read from its archive.

``search`` ranks by words and meaning together; ``search_hops`` also follows named things from passage to passage. Both
work on full text alone until vectors are there, and give the same order for the same corpus every time. Only a large
corpus on Postgres is searched by candidates that an approximate index proposes; their scores are exact.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from averment.corpus import hops
from averment.corpus.answering.card import DocumentCard, card_of, pack_card, pack_words, unpack_card, unpack_words
from averment.corpus.answering.span_reader import SpanReader as SentenceReader
from averment.corpus.answering.span_reader import TokenEmbedder
from averment.corpus.hits import Hit
from averment.corpus.index.far_index import FarIndex
from averment.corpus.index.passage_index import PassageIndex, best_rows
from averment.corpus.ingest import DocumentDraft, Ingest, IngestResult
from averment.corpus.ranking import Embed, Mask, PassageScores, score
from averment.corpus.readers.limits import DocumentLimits
from averment.corpus.readers.reader import DocumentReader
from averment.corpus.sources import drafts
from averment.corpus.stemmer import stem
from averment.corpus.structure.read import read_structure
from averment.corpus.structure.shape import Structure
from averment.corpus.terms import STOP_WORDS, fold, terms
from averment.corpus.web.fetch import Fetcher
from averment.errors import InvalidArguments, SourceNotFound
from averment.language.embeddings.protocol import Embedder
from averment.store.corpus.archive import CorpusArchive
from averment.store.corpus.cards import CorpusCards
from averment.store.corpus.document_rows import Document
from averment.store.corpus.documents import CorpusStore, Documents
from averment.store.corpus.members import CorpusMembers
from averment.store.corpus.passage_index import CorpusNearest
from averment.store.corpus.passage_vectors import CorpusVectors
from averment.store.db.database import Database

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


MOST = 720
"""So many characters are read at most; technical text has seldom so many different words in a passage."""
VERSION = "brief2"
"""Part of the name that vectors are kept under: those of another way of shortening are never compared with these."""

_WORD = re.compile(r"[^\W_]+(?:[.'’-][^\W_]+)*")


def condensed(title: str, text: str) -> str:
    """The title and the telling words of a passage in order, cut where there are enough."""
    kept: list[str] = []
    said: set[str] = set()
    size = len(title)
    for word in _WORD.findall(text):
        folded = fold(word)
        if folded in STOP_WORDS or folded in said or (len(word) == 1 and word == folded and not word.isdigit()):
            continue
        said.add(folded)
        kept.append(word)
        size += len(word) + 1
        if size > MOST:
            break
    return f"{title}\n{' '.join(kept)}" if kept else f"{title}\n{text}"


BATCH = 256
"""Missing ones are looked up once a batch, so that a large batch looks them up less often; a stop loses one."""
_GIVES_WAY = 10


def kept_under(embedder: Embedder) -> str:
    """The name that the vectors of passages are kept under: the embedder, and how passages are shortened for it."""
    return f"{embedder.name}-{VERSION}"


class VectorWork:
    """The computing of missing vectors, here or on a thread of its own."""

    def __init__(self, vectors: CorpusVectors, embedder: Embedder, after: Callable[[], int] | None = None) -> None:
        """``after`` makes kept vectors ready for searching, a batch at each call, and says how many it found to do."""
        self._vectors = vectors
        self._after = after
        self._embedder = embedder
        self._stop = threading.Event()
        self._wake = threading.Event()
        self._idle = threading.Event()
        self._idle.set()
        self._thread: threading.Thread | None = None
        self.failure: Exception | None = None

    def step(self) -> int:
        """Compute and keep one batch; how many passages it had."""
        batch = self._vectors.missing(BATCH)
        if batch:
            rows = self._embedder.embed([condensed(title, text) for _, title, text in batch])
            kept = [
                (passage_id, row.astype("<f4").tobytes()) for (passage_id, _, _), row in zip(batch, rows, strict=True)
            ]
            self._vectors.put(kept)
        return len(batch)

    def finish(self) -> int:
        """Compute everything that is missing; how many passages that were."""
        done = 0
        while (count := self.step()) and not self._stop.is_set():
            done += count
        while self._after is not None and self._after() and not self._stop.is_set():
            pass
        return done + count

    def start(self) -> None:
        """Compute in the background from now on, until ``close``; called again it looks for new passages."""
        self._idle.clear()
        self._wake.set()
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="averment-corpus-vectors", daemon=True)
            self._thread.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait until nothing is missing or the background work failed; whether that came in time."""
        return self._idle.wait(timeout)

    def close(self) -> None:
        """Stop after the batch that is under way."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        _give_way()
        try:
            while not self._stop.is_set():
                self._wake.clear()
                while not self._stop.is_set() and (self.step() or (self._after is not None and self._after())):
                    pass
                if not self._stop.is_set() and not self._wake.is_set():
                    self._idle.set()
                    self._wake.wait()
        except Exception as error:  # noqa: BLE001  # the end of a thread: search goes on with full text, and says why
            self.failure = error
        finally:
            self._idle.set()


def _give_way() -> None:
    """Let whoever adds or searches go first: on Linux a thread has a priority of its own."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _GIVES_WAY)


_MOST_HITS = 1_000
_KEPT_VECTORS = 256
DEFAULT = "default"
"""The corpus that documents belong to, and that is searched, where none is named."""
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,63}")
FAR_FROM = 50_000
"""From so many passages on, vectors stay in a Postgres that has pgvector; below, they are all held and compared."""


class Corpus:
    """All archived sources of one database; safe to share between threads."""

    def __init__(
        self,
        database: Database,
        embedder: Embedder | None = None,
        limits: DocumentLimits | None = None,
        *,
        far_from: int = FAR_FROM,
    ) -> None:
        """``far_from`` is how many passages there are before vectors stay in a Postgres with pgvector."""
        self.reader = DocumentReader(limits)
        self._database = database
        self._far_from = far_from
        self._store = CorpusStore(database)
        self._archive = CorpusArchive(database)
        self.members = CorpusMembers(database)
        self._ingest = Ingest(self._store, self._archive, self.members)
        self.catalogue = Catalogue(self._store, self._archive, CorpusCards(database), embedder)
        self._embedder = embedder
        self._vectors = None if embedder is None else CorpusVectors(database, kept_under(embedder))
        after = self._copy_for_search
        self._work = None if embedder is None or self._vectors is None else VectorWork(self._vectors, embedder, after)
        self._lock = threading.RLock()
        self._index: tuple[str, PassageIndex] | None = None
        self._asked: dict[str, npt.NDArray[np.float32]] = {}

    def add(self, drafts: Iterable[DocumentDraft], *, into: str = DEFAULT) -> Iterator[IngestResult]:
        """Archive and index documents as they come; unchanged ones are skipped, hopeless ones told and left out.

        They belong to the corpus ``into``; with an empty name they are archived and belong to none.

        Raises:
            InvalidArguments: that is not a valid corpus name.
        """
        return self._ingest.add(drafts, check_name(into) if into else "")

    def add_sources(
        self, sources: Iterable[str], *, fetcher: Fetcher | None = None, into: str = DEFAULT
    ) -> Iterator[IngestResult]:
        """Add files, folders and web addresses; what cannot be read or reached is told and does not stop the rest."""
        refused: list[IngestResult] = []
        found = drafts(
            sources,
            reader=self.reader,
            fetcher=fetcher or Fetcher(),
            known=self._store.raw_digests(),
            refuse=refused.append,
        )
        for added in self.add(found, into=into):
            yield from refused
            refused.clear()
            yield added
        yield from refused

    def documents(self, limit: int | None = None, offset: int = 0, *, corpus: str | None = None) -> Documents:
        """The documents by address; those of one corpus where it is named."""
        return self._store.documents(limit, offset, corpus)

    def document(self, document_id: str) -> Document:
        """The document of that id or address.

        Raises:
            SourceNotFound: there is none.
        """
        found = self._store.document(document_id) or self._store.document_at(document_id)
        if found is None:
            raise SourceNotFound(
                f"The corpus has no document {document_id[:200]!a}.", hint="See `averment corpus list`."
            )
        return found

    def remove(self, document_id: str) -> bool:
        """Forget a document; what was archived of it stays for the reports that quote it."""
        return self._store.remove(document_id)

    def snapshot(self, sha256: str) -> str:
        """The archived text of that digest, checked against it.

        Raises:
            SourceNotFound: nothing is archived under it.
            VerificationFailed: it is not what was archived.
        """
        return self._archive.read(sha256).decode()

    def raw(self, sha256: str) -> bytes:
        """The archived bytes of that digest, checked against it; raises as ``snapshot`` does."""
        return self._archive.read(sha256)

    def quote(self, sha256: str, start: int, end: int) -> str:
        """The stretch of an archived text between two offsets.

        Raises:
            InvalidArguments: the offsets do not lie in the text.
        """
        text = self.snapshot(sha256)
        if not 0 <= start < end <= len(text):
            raise InvalidArguments(
                f"The snapshot has {len(text)} characters; {start} to {end} is not a range within it."
            )
        return text[start:end]

    def copies(self) -> dict[str, str]:
        """Each document that is a copy, with the document it copies: together they are one source."""
        return {one.document_id: one.copies_of for one in self.documents() if one.copies_of is not None}

    def search(self, query: str, k: int = 10, *, within: Collection[str] | None = None) -> list[Hit]:
        """The k best passages for a query, the best first; ``within`` keeps to the documents of these ids.

        Raises:
            InvalidArguments: the query is blank, or k is not between 1 and 1,000.
        """
        _check(query, k)
        index = self.index()
        if not len(index):
            return []
        scored = score(index, query, self._embed, _allowed(index, within))
        found = scored.mixed
        ranked = [(row, float(found[row])) for row in best_rows(found, k) if found[row] > 0]
        return self._hits(index, scored, ranked)

    def search_hops(
        self, question: str, k: int = 8, *, within: Collection[str] | None = None, by_words: bool = False
    ) -> list[Hit]:
        """The k passages most likely needed to answer a question in several steps; as ``search`` otherwise.

        ``by_words`` leaves vectors out, so that the order does not depend on how many are computed yet.
        """
        _check(question, k)
        index = self.index()
        if not len(index):
            return []
        allowed = _allowed(index, within)
        embed = None if by_words else self._embed
        ranked = hops.rank(index, question, lambda rows: self._texts(index, rows), embed, allowed)
        return self._hits(index, score(index, question, embed, allowed), ranked[:k])

    def likely_documents(
        self, query: str, k: int, *, by_words: bool = False, within: Collection[str] | None = None
    ) -> list[str]:
        """The ids of the k documents whose best passage fits a query best, the best first.

        Raises:
            InvalidArguments: the query is blank.
        """
        _check(query, 1)
        index = self.index()
        if not len(index):
            return []
        found = score(index, query, None if by_words else self._embed, _allowed(index, within)).mixed
        ranked = (index.documents[row] for row in best_rows(found, min(len(index), 20 * k)) if found[row] > 0)
        return list(dict.fromkeys(ranked))[:k]

    def holds_word(self, word: str, within: Collection[str] | None = None) -> bool:
        """Whether any passage holds a word, in whatever inflection; ``within`` keeps to the documents of these ids."""
        index = self.index()
        if within is None:
            return index.lexical.document_frequency(stem(word)) > 0
        return any(index.documents[row] in within for row in index.lexical.rows_of(stem(word)))

    def forget(self, name: str) -> int:
        """Give up the corpus of that name, and the documents that belong to no other; how many of them there were.

        Raises:
            SourceNotFound: there is no corpus of that name.
        """
        if name not in dict(self.members.names()):
            raise SourceNotFound(f"There is no corpus {name[:80]!a}.", hint="See `averment corpus names`.")
        gone = self.members.forget(name)
        for document_id in gone:
            self.remove(document_id)
        return len(gone)

    def pending_vectors(self) -> int:
        """How many passages have no vector yet; 0 where there is no embedder."""
        return 0 if self._vectors is None else self._store.count()[1] - self._vectors.count()

    def start_vectors(self) -> None:
        """Compute missing vectors in the background; call it again after adding."""
        if self._work is not None:
            self._work.start()

    def wait_vectors(self, timeout: float | None = None) -> bool:
        """Wait for the background work; whether all vectors that can be computed were there in time."""
        return self._work is None or self._work.wait(timeout)

    def finish_vectors(self) -> int:
        """Compute missing vectors now; how many there were."""
        return 0 if self._work is None else self._work.finish()

    def close(self) -> None:
        """Stop the background work after its present batch, and the reading process."""
        self.reader.close()
        if self._work is not None:
            self._work.close()

    def index(self) -> PassageIndex:
        """The index of the corpus as it is now; loaded again only when documents changed."""
        with self._lock:
            stamp = self._store.stamp()
            if self._index is None or self._index[0] != stamp:
                self._index = (stamp, self._load())
            index = self._index[1]
            vectors = self._vectors if index.with_vector < len(index) else None
            if vectors is not None and vectors.count() > index.with_vector:
                index.take_vectors(vectors.all())
            return index

    def _load(self) -> PassageIndex:
        keys, titles = self._store.passage_keys(), self._store.titles()
        dimension = 0 if self._embedder is None else self._embedder.dimension
        near = self._near if len(keys) >= self._far_from else None
        if near is None or self._vectors is None or not near.ready:
            return PassageIndex(keys, titles, dimension)
        return FarIndex(keys, titles, dimension=dimension, near=near, vectors=self._vectors)

    @cached_property
    def _near(self) -> CorpusNearest | None:
        """What proposes passages of a large corpus; None where every vector is compared, however many there are."""
        if self._embedder is None:
            return None
        return CorpusNearest.open(self._database, kept_under(self._embedder), self._embedder.dimension)

    def _copy_for_search(self) -> int:
        """Let a large corpus be searched by proposals, a batch more of it; how many passages were still missing."""
        if self._vectors is None or self._vectors.count() < self._far_from or self._near is None:
            return 0
        return self._near.catch_up()

    @property
    def _embed(self) -> Embed | None:
        return None if self._embedder is None else self._vector

    def _vector(self, text: str) -> npt.NDArray[np.float32]:
        assert self._embedder is not None
        with self._lock:
            if text not in self._asked:
                while len(self._asked) >= _KEPT_VECTORS:
                    self._asked.pop(next(iter(self._asked)))
                self._asked[text] = self._embedder.embed([text])[0]
            return self._asked[text]

    def _texts(self, index: PassageIndex, rows: Sequence[int]) -> Mapping[int, str]:
        found = self._store.passages([index.ids[row] for row in rows])
        return {row: found[index.ids[row]].text if index.ids[row] in found else "" for row in rows}

    def _hits(self, index: PassageIndex, scored: PassageScores, ranked: Sequence[tuple[int, float]]) -> list[Hit]:
        passages = self._store.passages([index.ids[row] for row, _ in ranked])
        documents: dict[str, Document | None] = {}
        hits: list[Hit] = []
        for row, points in ranked:
            passage = passages.get(index.ids[row])
            document_id = index.documents[row]
            if document_id not in documents:
                documents[document_id] = self._store.document(document_id)
            document = documents[document_id]
            if passage is None or document is None:
                continue  # Removed between ranking and reading.
            held = set(terms(f"{document.title} {passage.text}"))
            hits.append(
                Hit(
                    passage_id=passage.passage_id,
                    document_id=document_id,
                    score=round(points, 9),
                    start=passage.start,
                    end=passage.end,
                    text=passage.text,
                    title=document.title,
                    url=document.url,
                    snapshot_sha256=document.snapshot_sha256,
                    coverage=round(scored.coverage(index, held), 9),
                    cosine=None if scored.cosines is None else round(float(scored.cosines[row]), 6),
                )
            )
        return hits


def check_name(name: str) -> str:
    """The name of a corpus, if it is one.

    Raises:
        InvalidArguments: it is not.
    """
    if not _NAME.fullmatch(name):
        raise InvalidArguments(
            f"{name[:80]!a} is not a valid corpus name.",
            hint="Use lowercase letters, digits, dots, hyphens and underscores.",
        )
    return name


def _check(query: str, k: int) -> None:
    if not terms(query):
        raise InvalidArguments("The query contains no words.", hint="Enter at least one word.")
    if not 1 <= k <= _MOST_HITS:
        raise InvalidArguments(f"A search returns 1 to {_MOST_HITS} passages.")


def _allowed(index: PassageIndex, within: Collection[str] | None) -> Mask:
    if within is None:
        return np.ones(len(index), bool)
    wanted = frozenset(within)
    return np.fromiter((document_id in wanted for document_id in index.documents), bool, len(index))
