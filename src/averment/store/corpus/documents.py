"""The corpus in the database: documents, their passages, and which documents are copies of which.

Everything of a document is kept in one transaction: after a crash it is wholly there or not at all. What was archived
stays when a document is replaced or removed, since a report may still quote it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, TypeAlias

from sqlalchemy import Connection, RowMapping, func, select, update

from averment.records.base import iso_z, new_id, picked
from averment.store.corpus.archive import keep
from averment.store.corpus.document_rows import Document, DocumentEntry, Passage, PassageKey
from averment.store.corpus.members import keep_members
from averment.store.db.database import Database
from averment.store.db.text import from_json, from_row, is_plain, to_json
from averment.store.schema.research_tables import (
    CORPUS_CARDS,
    CORPUS_DOCUMENTS,
    CORPUS_MEMBERS,
    CORPUS_PASSAGES,
    CORPUS_SHINGLES,
    CORPUS_STATE,
)

Documents: TypeAlias = list[Document]

MANY = 500
"""Keys in one statement; SQLite takes only so many parameters."""


class CorpusStore:
    """The documents and passages of one home."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = database.insert

    def put(self, entries: Sequence[DocumentEntry]) -> None:
        """Keep documents with their passages in one transaction, each in place of what its address held before."""
        if not entries:
            return
        with self._database.write() as connection:
            self._database.link.lock(connection, "averment.corpus")
            keep(connection, self._insert, [part for entry in entries for part in (entry.snapshot, entry.raw)])
            for entry in entries:
                self._put_document(connection, entry.document)
            rows = [_passage_row(passage) for entry in entries for passage in entry.passages]
            if rows:
                connection.execute(CORPUS_PASSAGES.insert(), rows)
            bands = [
                {"document_id": entry.document.document_id, "band": band}
                for entry in entries
                for band in sorted(set(entry.bands))
            ]
            if bands:
                connection.execute(CORPUS_SHINGLES.insert(), bands)
            cards = [
                {"document_id": entry.document.document_id, "card": entry.card, "words": entry.words}
                for entry in entries
                if entry.card
            ]
            if cards:
                connection.execute(CORPUS_CARDS.insert(), cards)
            keep_members(
                connection, self._database, [(one.corpus, one.document.document_id) for one in entries if one.corpus]
            )
            self._stamp(connection)

    def document(self, document_id: str) -> Document | None:
        """The document of that id, or None."""
        return self._one(CORPUS_DOCUMENTS.c.document_id == document_id)

    def document_at(self, url: str) -> Document | None:
        """The document of that address, or None."""
        return self._one(CORPUS_DOCUMENTS.c.url == url)

    def documents(self, limit: int | None = None, offset: int = 0, corpus: str | None = None) -> Documents:
        """Documents by address; those of one corpus where it is named."""
        query = select(CORPUS_DOCUMENTS).order_by(CORPUS_DOCUMENTS.c.url, CORPUS_DOCUMENTS.c.document_id)
        if corpus is not None:
            members = select(CORPUS_MEMBERS.c.document_id).where(CORPUS_MEMBERS.c.corpus == corpus)
            query = query.where(CORPUS_DOCUMENTS.c.document_id.in_(members))
        rows = self._database.rows(query.limit(limit).offset(offset))
        # Postgres orders text by its locale; by code point both databases agree.
        found = [_document(row) for row in rows]
        return sorted(found, key=lambda document: document.url)

    def count(self) -> tuple[int, int]:
        """How many documents and passages there are."""
        with self._database.read() as connection:
            documents = connection.execute(select(func.count()).select_from(CORPUS_DOCUMENTS)).scalar_one()
            passages = connection.execute(select(func.count()).select_from(CORPUS_PASSAGES)).scalar_one()
        return int(documents), int(passages)

    def raw_digests(self) -> dict[str, str]:
        """The digest of the raw bytes at each address, by which an unchanged file is skipped."""
        with self._database.read() as connection:
            return {
                row.url: row.raw_sha256
                for row in connection.execute(select(CORPUS_DOCUMENTS.c.url, CORPUS_DOCUMENTS.c.raw_sha256))
            }

    def kinds_of(self, snapshots: Collection[str]) -> frozenset[str]:
        """The kinds of the documents that these texts were read from, as far as they are still there."""
        wanted, found = sorted(set(snapshots)), set[str]()
        with self._database.read() as connection:
            for first in range(0, len(wanted), MANY):
                some = CORPUS_DOCUMENTS.c.snapshot_sha256.in_(wanted[first : first + MANY])
                found.update(connection.scalars(select(CORPUS_DOCUMENTS.c.kind).where(some).distinct()))
        return frozenset(found)

    def sharing_bands(self, bands: Collection[str]) -> list[tuple[str, Document]]:
        """The documents that have one of these bands, with the band, by band and id."""
        wanted = sorted(set(bands))
        found: list[tuple[str, Document]] = []
        with self._database.read() as connection:
            for first in range(0, len(wanted), MANY):
                query = (
                    select(CORPUS_SHINGLES.c.band, CORPUS_DOCUMENTS)
                    .join(CORPUS_DOCUMENTS, CORPUS_DOCUMENTS.c.document_id == CORPUS_SHINGLES.c.document_id)
                    .where(CORPUS_SHINGLES.c.band.in_(wanted[first : first + MANY]))
                )
                found += [(row["band"], _document(row)) for row in connection.execute(query).mappings()]
        return sorted(found, key=lambda pair: (pair[0], pair[1].document_id))

    def remove(self, document_id: str) -> bool:
        """Forget a document and its passages, not its archived bytes; whether there was one.

        Its copies become copies of the first of them, which is then an original.
        """
        with self._database.write() as connection:
            self._database.link.lock(connection, "averment.corpus")
            _release_copies(connection, document_id)
            gone = connection.execute(
                CORPUS_DOCUMENTS.delete().where(CORPUS_DOCUMENTS.c.document_id == document_id)
            ).rowcount
            if gone:
                self._stamp(connection)
        return bool(gone)

    def passage_keys(self) -> list[PassageKey]:
        """All passages without their texts, by id."""
        table = CORPUS_PASSAGES.c
        query = select(table.passage_id, table.document_id, table.position, table.terms, table.names)
        rows = self._database.tuples(query)
        found = [
            PassageKey(
                passage_id=row.passage_id,
                document_id=row.document_id,
                position=row.position,
                terms=bytes(row.terms),
                names=bytes(row.names),
            )
            for row in rows
        ]
        return sorted(found, key=lambda key: key.passage_id)

    def passages(self, passage_ids: Collection[str]) -> dict[str, Passage]:
        """The passages of these ids that are there."""
        wanted = sorted(set(passage_ids))
        found: dict[str, Passage] = {}
        with self._database.read() as connection:
            for first in range(0, len(wanted), MANY):
                query = select(CORPUS_PASSAGES).where(CORPUS_PASSAGES.c.passage_id.in_(wanted[first : first + MANY]))
                for row in connection.execute(query).mappings():
                    found[row["passage_id"]] = _passage(row)
        return found

    def titles(self) -> dict[str, str]:
        """The title of every document."""
        query = select(CORPUS_DOCUMENTS.c.document_id, CORPUS_DOCUMENTS.c.title)
        return {row.document_id: row.title for row in self._database.tuples(query)}

    def stamp(self) -> str:
        """A value that changes whenever documents do."""
        query = select(CORPUS_STATE.c.stamp).where(CORPUS_STATE.c.name == "documents")
        return str(self._database.value(query) or "")

    def _one(self, condition: Any) -> Document | None:
        row = self._database.first(select(CORPUS_DOCUMENTS).where(condition))
        return None if row is None else _document(row)

    def _put_document(self, connection: Connection, document: Document) -> None:
        values = _document_row(document)
        query = select(CORPUS_DOCUMENTS.c.snapshot_sha256).where(CORPUS_DOCUMENTS.c.document_id == document.document_id)
        there = connection.execute(query).first()
        if there is None:
            connection.execute(CORPUS_DOCUMENTS.insert(), values)
            return
        if there.snapshot_sha256 != document.snapshot_sha256:
            # Its copies are copies of what it said before.
            _release_copies(connection, document.document_id)
        for table in (CORPUS_PASSAGES, CORPUS_SHINGLES, CORPUS_CARDS):
            connection.execute(table.delete().where(table.c.document_id == document.document_id))
        connection.execute(
            update(CORPUS_DOCUMENTS).where(CORPUS_DOCUMENTS.c.document_id == document.document_id).values(values)
        )

    def _stamp(self, connection: Connection) -> None:
        values = {"name": "documents", "stamp": new_id()}
        adding = self._insert(CORPUS_STATE).values(values)
        connection.execute(adding.on_conflict_do_update(index_elements=["name"], set_={"stamp": values["stamp"]}))


def _release_copies(connection: Connection, document_id: str) -> None:
    """Make the oldest copy of a document an original, and the others copies of that one."""
    query = (
        select(CORPUS_DOCUMENTS.c.document_id)
        .where(CORPUS_DOCUMENTS.c.copies_of == document_id)
        .order_by(CORPUS_DOCUMENTS.c.accessed_at, CORPUS_DOCUMENTS.c.document_id)
    )
    copies = [row.document_id for row in connection.execute(query)]
    _point(connection, copies[:1], None)
    _point(connection, copies[1:], copies[0] if copies else None)


def _point(connection: Connection, document_ids: Sequence[str], original: str | None) -> None:
    for document_id in document_ids:
        change = update(CORPUS_DOCUMENTS).where(CORPUS_DOCUMENTS.c.document_id == document_id)
        connection.execute(change.values(copies_of=original))


def _document_row(document: Document) -> dict[str, Any]:
    same = ("document_id", "kind", "snapshot_sha256", "raw_sha256", "characters", "published_at", "copies_of")
    return {
        **picked(document, *same),
        **{name: _storable(text) for name, text in picked(document, "url", "title", "domain").items()},
        "accessed_at": iso_z(document.accessed_at),
        "notes": to_json(list(document.notes)),
    }


def _storable(text: str) -> str:
    """The text itself, or without what a plain column cannot hold; a hostile title must not stop a document."""
    return text if is_plain(text) else text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _document(row: RowMapping) -> Document:
    return from_row(Document, row, times="accessed_at", notes=tuple(from_json(row["notes"])))


def _passage_row(passage: Passage) -> dict[str, Any]:
    same = picked(passage, "passage_id", "document_id", "position", "start", "text", "terms", "names")
    return {**same, "stop": passage.end}


def _passage(row: RowMapping) -> Passage:
    return from_row(Passage, row, end=row["stop"], terms=bytes(row["terms"]), names=bytes(row["names"]))
