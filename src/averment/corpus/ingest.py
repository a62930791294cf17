"""From a document that was read to everything that is kept of it: snapshot, passages, terms, names, and its original.

Nothing here touches the network or reads a file; the same draft always gives the same entry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal
from uuid import NAMESPACE_URL, uuid5

from averment.corpus.answering.binding import CREATED_KEYS
from averment.corpus.answering.card import pack_card, pack_words
from averment.corpus.dates import date_in, read_date
from averment.corpus.duplicates import are_copies, bands, shingles
from averment.corpus.names import names
from averment.corpus.passages import cut
from averment.corpus.snapshot import digest, normalise
from averment.corpus.structure.read import read_structure
from averment.corpus.structure.shape import Structure
from averment.corpus.terms import pack, pack_keys, terms, words
from averment.errors import AvermentError, SourceEmpty
from averment.records.base import derived_id, utc_now
from averment.records.research.sources import domain_of
from averment.store.corpus.archive import CorpusArchive
from averment.store.corpus.document_rows import Document, DocumentEntry, Passage
from averment.store.corpus.documents import CorpusStore
from averment.store.corpus.members import CorpusMembers

Outcome = Literal["added", "updated", "unchanged", "refused"]

_TITLE_COUNT = 2
_TITLE_LENGTH = 200
_BATCH = 64
_STRUCTURED = frozenset({"rst", "markdown"})


@dataclass(frozen=True, kw_only=True, slots=True)
class DocumentDraft:
    """A document as it was read: its text, the bytes it came from, and what it says about itself."""

    url: str
    title: str
    text: str
    raw: bytes
    kind: str = "text"
    published_at: str | None = None
    accessed_at: datetime = field(default_factory=utc_now)
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class IngestResult:
    """What became of one source."""

    url: str
    outcome: Outcome
    document: Document | None = None
    error: AvermentError | None = None


def document_id_of(url: str) -> str:
    """The id of the document at an address; it stays the same when its content changes."""
    return str(uuid5(NAMESPACE_URL, url))


class Ingest:
    """Turns drafts into entries and keeps them, many in one transaction."""

    def __init__(self, store: CorpusStore, archive: CorpusArchive, members: CorpusMembers) -> None:
        self._store = store
        self._archive = archive
        self._members = members

    def add(self, drafts: Iterable[DocumentDraft], into: str = "") -> Iterator[IngestResult]:
        """Keep drafts as they come, a batch in one transaction; what is refused or unchanged changes nothing.

        Those that are there then, unchanged ones too, belong to the corpus ``into``, where one is named.
        """
        digests = self._store.raw_digests()
        batch: list[_PreparedDocument | IngestResult] = []
        waiting: set[str] = set()
        for draft in drafts:
            if draft.url in waiting:
                # Two contents for one address: the first is kept before the second replaces it.
                yield from self._keep(batch, into)
                batch, waiting = [], set()
            if digests.get(draft.url) == digest(draft.raw):
                batch.append(
                    IngestResult(url=draft.url, outcome="unchanged", document=self._store.document_at(draft.url))
                )
            else:
                try:
                    prepared = _prepare(draft, "updated" if draft.url in digests else "added")
                except AvermentError as error:
                    batch.append(IngestResult(url=draft.url, outcome="refused", error=error))
                else:
                    digests[draft.url] = prepared.entry.document.raw_sha256
                    waiting.add(draft.url)
                    batch.append(prepared)
            if len(batch) >= _BATCH:
                yield from self._keep(batch, into)
                batch, waiting = [], set()
        yield from self._keep(batch, into)

    def _keep(self, batch: list[_PreparedDocument | IngestResult], into: str) -> Iterator[IngestResult]:
        found = [one for one in batch if isinstance(one, _PreparedDocument)]
        entries = {entry.document.url: replace(entry, corpus=into) for entry in self._with_originals(found)}
        self._store.put(list(entries.values()))
        there = [
            one.document.document_id for one in batch if isinstance(one, IngestResult) and one.document is not None
        ]
        if into and there:
            self._members.put(into, there)
        for one in batch:
            if isinstance(one, IngestResult):
                yield one
            else:
                document = entries[one.entry.document.url].document
                yield IngestResult(url=document.url, outcome=one.outcome, document=document)

    def _with_originals(self, batch: list[_PreparedDocument]) -> Iterator[DocumentEntry]:
        """Each entry with the document it is a copy of: one kept before, or one that comes earlier in the batch."""
        kept = self._store.sharing_bands({band for one in batch for band in one.entry.bands})
        runs: dict[str, frozenset[int]] = {}
        by_band: dict[str, list[Document]] = {}
        for band, document in kept:
            by_band.setdefault(band, []).append(document)
        for one in batch:
            document = one.entry.document
            near = {other.document_id: other for band in one.entry.bands for other in by_band.get(band, ())}
            near.pop(document.document_id, None)
            found: list[tuple[datetime, str]] = []
            for other in near.values():
                if other.document_id not in runs:
                    runs[other.document_id] = shingles(self._archive.read(other.snapshot_sha256).decode())
                if are_copies(one.runs, runs[other.document_id]):
                    found.append((other.accessed_at, other.copies_of or other.document_id))
            originals = [original for _, original in sorted(found) if original != document.document_id]
            document = replace(document, copies_of=originals[0] if originals else None)
            runs[document.document_id] = one.runs
            for band in one.entry.bands:
                # What the address held before is replaced with this batch and is no original any more.
                others = [other for other in by_band.get(band, ()) if other.document_id != document.document_id]
                by_band[band] = [*others, document]
            yield replace(one.entry, document=document)


def _prepare(draft: DocumentDraft, outcome: Outcome) -> _PreparedDocument:
    text = normalise(draft.text, laid_out=draft.kind in _STRUCTURED)
    spans = cut(text)
    if not spans or not words(text):
        raise SourceEmpty(
            f"{draft.url} contains no text.", hint="A scanned PDF contains only images. Run OCR on it first."
        )
    structure = read_structure(text, draft.kind, draft.url, draft.title)
    title = _title(draft, structure, text)
    snapshot = text.encode()
    runs = shingles(text)
    document = Document(
        document_id=document_id_of(draft.url),
        url=draft.url,
        title=title,
        kind=draft.kind,
        domain=domain_of(draft.url),
        snapshot_sha256=digest(snapshot),
        raw_sha256=digest(draft.raw),
        characters=len(text),
        published_at=draft.published_at or _dated(structure) or date_in(text),
        accessed_at=draft.accessed_at,
        notes=draft.notes,
    )
    passages = tuple(_passages(document, text, spans))
    entry = DocumentEntry(
        document=document,
        snapshot=snapshot,
        raw=draft.raw,
        passages=passages,
        bands=bands(runs),
        card=pack_card(structure),
        words=pack_words(structure),
    )
    return _PreparedDocument(entry, runs, outcome)


def _title(draft: DocumentDraft, structure: Structure, text: str) -> str:
    """What a document is called: by its kind and number where it bears them, by its own words, by its first line."""
    said = " ".join(normalise(draft.title).split())
    if draft.kind in _STRUCTURED and structure.title:
        numbered = f"{structure.kind.upper()} {structure.number}: " if structure.kind and structure.number else ""
        said = f"{numbered}{' '.join(normalise(structure.title).split())}"
    return said[:_TITLE_LENGTH] or text.partition("\n")[0][:_TITLE_LENGTH]


def _dated(structure: Structure) -> str | None:
    for one in structure.values(*CREATED_KEYS):
        if made := read_date(one.value):
            return made
    return None


@dataclass(frozen=True, slots=True)
class _PreparedDocument:
    entry: DocumentEntry
    runs: frozenset[int]
    outcome: Outcome


def _passages(document: Document, text: str, spans: list[tuple[int, int]]) -> Iterator[Passage]:
    title_terms = terms(document.title)
    for position, (start, end) in enumerate(spans):
        piece = text[start:end]
        counts = Counter(terms(piece))
        for term in title_terms:
            counts[term] += _TITLE_COUNT
        yield Passage(
            passage_id=derived_id(document.document_id, document.snapshot_sha256, position),
            document_id=document.document_id,
            position=position,
            start=start,
            end=end,
            text=piece,
            terms=pack(counts),
            names=pack_keys(names(piece)),
        )
