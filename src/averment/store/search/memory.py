"""Memory documents: what an investigation left, as one text with its vector and as passages found by theirs.

The passages are vectors of a namespace of their own, kept before the document: a document that is there is whole. Both
go with their session.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from sqlalchemy import select

from averment.records.base import iso_z
from averment.records.drilldown.results import MemoryDocument
from averment.store.db.database import Database
from averment.store.db.text import plain
from averment.store.schema.main_tables import VECTOR_NAMESPACES
from averment.store.schema.sessions_tables import MEMORY_DOCUMENTS
from averment.store.search.nearest import Vector
from averment.store.search.vectors import VectorIndex


@dataclass(frozen=True, kw_only=True, slots=True)
class MemoryPassage:
    """A stretch of a memory document: its place in it, its words, the part it stands in, and the file it came from."""

    number: int
    text: str
    section: str
    artifact: str


Scored: TypeAlias = list[tuple[MemoryPassage, float]]


class MemoryStore:
    """The memory documents of all sessions."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._insert = database.insert

    @cached_property
    def _vectors(self) -> VectorIndex:
        return VectorIndex(self._database)

    def put(
        self, document: MemoryDocument, *, embedder: str, passages: Sequence[MemoryPassage], vectors: Sequence[Vector]
    ) -> None:
        """Keep a session's document with its passages, in place of the one it had.

        Raises:
            StoreUnavailable: the database keeps no vectors.
        """
        session_id = document.session_id
        self.delete(session_id)
        entries = [
            (f"{one.number:06d}", vector, {"text": one.text, "section": one.section, "artifact": one.artifact})
            for one, vector in zip(passages, vectors, strict=True)
            if np.any(vector)  # A text without any word has no direction, and is never what is looked for.
        ]
        self._vectors.upsert_many(namespace_of(session_id), entries)
        values = {
            "document_id": document.document_id,
            "session_id": session_id,
            "content": plain(document.content, "memory document"),
            "embedder": embedder,
            "embedding": np.asarray(document.embedding, dtype="<f4").tobytes(),
            "created_at": iso_z(document.created_at),
        }
        adding = self._insert(MEMORY_DOCUMENTS).values(values)
        self._database.change(adding.on_conflict_do_update(index_elements=["session_id"], set_=values))

    def get(self, session_id: str) -> tuple[MemoryDocument, str] | None:
        """A session's document and the name of the embedder that made its vectors, or None."""
        query = select(MEMORY_DOCUMENTS).where(MEMORY_DOCUMENTS.c.session_id == session_id)
        found = self._database.first(query)
        if found is None:
            return None
        vector = np.frombuffer(found["embedding"], dtype="<f4")
        document = MemoryDocument.model_validate(
            {
                "document_id": found["document_id"],
                "session_id": session_id,
                "content": found["content"],
                "embedding": tuple(float(number) for number in vector),
                "created_at": found["created_at"],
            }
        )
        return document, str(found["embedder"])

    def search(self, session_id: str, vector: Vector, k: int) -> Scored:
        """The k passages nearest to a vector with their cosines, the nearest first."""
        if not np.any(vector):
            return []
        return [
            (
                MemoryPassage(number=int(key), text=body["text"], section=body["section"], artifact=body["artifact"]),
                cosine,
            )
            for key, cosine, body in self._vectors.search(namespace_of(session_id), vector, k)
        ]

    def delete(self, session_id: str) -> None:
        """Forget a session's document and its passages."""
        with self._database.write() as connection:
            # The vectors go with their namespace; asked for here, they go even where no vectors can be kept any more.
            space = VECTOR_NAMESPACES.c.namespace == namespace_of(session_id)
            connection.execute(VECTOR_NAMESPACES.delete().where(space))
            connection.execute(MEMORY_DOCUMENTS.delete().where(MEMORY_DOCUMENTS.c.session_id == session_id))


def namespace_of(session_id: str) -> str:
    """The namespace of a session's passages."""
    return f"memory/{session_id}"
