"""Cards of documents as plain bytes: all of them at once, and keeping those that were missing."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import select
from sqlalchemy.dialects import postgresql, sqlite

from averment.store.db.database import Database
from averment.store.schema.research_tables import CORPUS_CARDS


class CorpusCards:
    """The cards of one home."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = sqlite.insert if database.dialect == "sqlite" else postgresql.insert

    def all(self) -> dict[str, bytes]:
        """The card of every document that has one, by the document's id."""
        rows = self._database.tuples(select(CORPUS_CARDS.c.document_id, CORPUS_CARDS.c.card))
        return {row.document_id: bytes(row.card) for row in rows}

    def words(self) -> dict[str, bytes]:
        """The words of every document that has a card, by the document's id."""
        rows = self._database.tuples(select(CORPUS_CARDS.c.document_id, CORPUS_CARDS.c.words))
        return {row.document_id: bytes(row.words) for row in rows}

    def put(self, cards: Mapping[str, tuple[bytes, bytes]]) -> None:
        """Keep cards of documents that are there, in place of what they had."""
        if not cards:
            return
        with self._database.write() as connection:
            for document_id, (card, words) in sorted(cards.items()):
                adding = self._insert(CORPUS_CARDS).values(document_id=document_id, card=card, words=words)
                values = {"card": card, "words": words}
                connection.execute(adding.on_conflict_do_update(index_elements=["document_id"], set_=values))
