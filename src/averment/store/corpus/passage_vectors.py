"""Vectors of passages as plain bytes: what is there already, what is missing, and keeping a batch.

These bytes are the truth on both databases, and nothing here searches: the searcher holds all of them in one matrix, or
asks ``averment.store.corpus.passage_index`` for candidates where there are too many. Vectors of different embedders lie
side by side and are never mixed.
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import and_, func, select

from averment.store.corpus.documents import MANY
from averment.store.db.database import Database
from averment.store.schema.research_tables import CORPUS_DOCUMENTS, CORPUS_PASSAGES, CORPUS_VECTORS


class CorpusVectors:
    """The vectors of one embedder."""

    def __init__(self, database: Database, embedder: str) -> None:
        self._database = database
        self._embedder = embedder
        self._insert = database.insert

    def all(self) -> list[tuple[str, bytes]]:
        """Every passage id with its vector's bytes."""
        query = select(CORPUS_VECTORS.c.passage_id, CORPUS_VECTORS.c.vector)
        with self._database.read() as connection:
            found = connection.execute(query.where(CORPUS_VECTORS.c.embedder == self._embedder))
            return [(row.passage_id, bytes(row.vector)) for row in found]

    def some(self, passage_ids: Sequence[str]) -> list[tuple[str, bytes]]:
        """Those of these passages that have a vector, with its bytes."""
        found: list[tuple[str, bytes]] = []
        query = select(CORPUS_VECTORS.c.passage_id, CORPUS_VECTORS.c.vector)
        query = query.where(CORPUS_VECTORS.c.embedder == self._embedder)
        with self._database.read() as connection:
            for first in range(0, len(passage_ids), MANY):
                part = query.where(CORPUS_VECTORS.c.passage_id.in_(passage_ids[first : first + MANY]))
                found += [(row.passage_id, bytes(row.vector)) for row in connection.execute(part)]
        return found

    def count(self) -> int:
        """How many passages have a vector."""
        query = select(func.count()).select_from(CORPUS_VECTORS).where(CORPUS_VECTORS.c.embedder == self._embedder)
        with self._database.read() as connection:
            return int(connection.execute(query).scalar_one())

    def missing(self, limit: int) -> list[tuple[str, str, str]]:
        """Passages without a vector: id, title of the document, and text; the same ones until they are kept."""
        passages, vectors = CORPUS_PASSAGES.c, CORPUS_VECTORS.c
        has = and_(vectors.passage_id == passages.passage_id, vectors.embedder == self._embedder)
        query = (
            select(passages.passage_id, CORPUS_DOCUMENTS.c.title, passages.text)
            .select_from(CORPUS_PASSAGES)
            .join(CORPUS_DOCUMENTS, CORPUS_DOCUMENTS.c.document_id == passages.document_id)
            .outerjoin(CORPUS_VECTORS, has)
            .where(vectors.passage_id.is_(None))
            .order_by(passages.passage_id)
            .limit(limit)
        )
        return [(row.passage_id, row.title, row.text) for row in self._database.tuples(query)]

    def put(self, vectors: Sequence[tuple[str, bytes]]) -> None:
        """Keep a batch in one transaction; passages that are gone meanwhile are left out."""
        with self._database.write() as connection:
            there = select(CORPUS_PASSAGES.c.passage_id).where(
                CORPUS_PASSAGES.c.passage_id.in_([passage_id for passage_id, _ in vectors])
            )
            alive = {row.passage_id for row in connection.execute(there)}
            rows = [
                {"passage_id": passage_id, "embedder": self._embedder, "vector": vector}
                for passage_id, vector in vectors
                if passage_id in alive
            ]
            if rows:
                connection.execute(self._insert(CORPUS_VECTORS).on_conflict_do_nothing(), rows)
