from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest

from averment.errors import SourceNotFound
from averment.records.base import new_id
from averment.store.corpus.archive import CorpusArchive
from averment.store.corpus.document_rows import Document, DocumentEntry, Passage
from averment.store.corpus.documents import CorpusStore
from averment.store.corpus.passage_vectors import CorpusVectors
from averment.store.db.database import Database

NOON = datetime(2026, 1, 23, 12, tzinfo=UTC)


def an_entry(url: str, text: str = "Some text.", **changes: Any) -> DocumentEntry:
    document_id = changes.pop("document_id", None) or new_id()
    snapshot, raw = text.encode(), b"raw " + text.encode()
    values: dict[str, Any] = {
        "document_id": document_id,
        "url": url,
        "title": "A title",
        "kind": "text",
        "domain": "example.org",
        "snapshot_sha256": hashlib.sha256(snapshot).hexdigest(),
        "raw_sha256": hashlib.sha256(raw).hexdigest(),
        "characters": len(text),
        "accessed_at": NOON,
        "published_at": "2025-12-31",
        "notes": ("encoding assumed: cp1252",),
    }
    passage = Passage(
        passage_id=new_id(),
        document_id=document_id,
        position=0,
        start=0,
        end=len(text),
        text=text,
        terms=b"\x01" * 10,
        names=b"\x02" * 8,
    )
    return DocumentEntry(
        document=Document(**{**values, **changes}),
        snapshot=snapshot,
        raw=raw,
        passages=(passage,),
        bands=("00a", "01b"),
    )


@pytest.fixture
def store(database: Database) -> CorpusStore:
    return CorpusStore(database)


def test_a_document_reads_back_as_it_was_put(store: CorpusStore, database: Database) -> None:
    entry = an_entry("https://example.org/a")
    store.put([entry])
    assert store.document(entry.document.document_id) == entry.document
    assert store.document_at("https://example.org/a") == entry.document
    assert store.passages([one.passage_id for one in entry.passages]) == {one.passage_id: one for one in entry.passages}
    assert store.titles() == {entry.document.document_id: "A title"}
    assert store.count() == (1, 1)
    archive = CorpusArchive(database)
    assert archive.read(entry.document.snapshot_sha256) == entry.snapshot
    assert archive.read(entry.document.raw_sha256) == entry.raw
    with pytest.raises(SourceNotFound):
        archive.read("0" * 64)
    assert not archive.holds("0" * 64)


def test_putting_again_replaces_the_passages_and_keeps_the_archive(store: CorpusStore, database: Database) -> None:
    old = an_entry("https://example.org/a", "The old text.")
    store.put([old])
    stamp = store.stamp()
    new = an_entry("https://example.org/a", "The new text.", document_id=old.document.document_id)
    store.put([new])
    assert [key.passage_id for key in store.passage_keys()] == [new.passages[0].passage_id]
    assert store.raw_digests() == {"https://example.org/a": new.document.raw_sha256}
    assert store.stamp() != stamp
    assert CorpusArchive(database).read(old.document.snapshot_sha256) == b"The old text."


def test_documents_come_by_address_and_bands_lead_to_them(store: CorpusStore) -> None:
    entries = [an_entry(f"https://example.org/{name}") for name in "cab"]
    store.put(entries)
    assert [document.url[-1] for document in store.documents()] == ["a", "b", "c"]
    assert [document.url[-1] for document in store.documents(limit=1, offset=1)] == ["b"]
    documents = sorted((entry.document for entry in entries), key=lambda document: document.document_id)
    assert store.sharing_bands(["00a"]) == [("00a", document) for document in documents]
    assert store.sharing_bands(["zzz"]) == []


def test_removing_a_document_takes_its_passages_and_vectors_and_no_archive(
    store: CorpusStore, database: Database
) -> None:
    entry = an_entry("https://example.org/a")
    store.put([entry])
    vectors = CorpusVectors(database, "test")
    vectors.put([(entry.passages[0].passage_id, b"\0" * 8)])
    assert store.remove(entry.document.document_id)
    assert not store.remove(entry.document.document_id)
    assert store.count() == (0, 0)
    assert vectors.count() == 0
    assert CorpusArchive(database).holds(entry.document.snapshot_sha256)


def test_missing_vectors_are_those_of_this_embedder_and_a_gone_passage_is_left_out(
    store: CorpusStore, database: Database
) -> None:
    entries = [an_entry(f"https://example.org/{name}") for name in "ab"]
    store.put(entries)
    mine, other = CorpusVectors(database, "mine"), CorpusVectors(database, "other")
    ids = sorted(entry.passages[0].passage_id for entry in entries)
    assert [passage_id for passage_id, _, _ in mine.missing(10)] == ids
    mine.put([(ids[0], b"1234"), ("gone", b"5678")])
    mine.put([(ids[0], b"1234")])
    assert mine.all() == [(ids[0], b"1234")]
    assert [row[0] for row in mine.missing(10)] == [ids[1]]
    assert len(other.missing(10)) == 2
