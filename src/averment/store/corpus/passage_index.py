"""The likely nearest passages of a large corpus on Postgres: pgvector's HNSW over half-precision copies of the vectors.

It only proposes; the exact cosines come from the bytes in ``averment.store.corpus.passage_vectors``. The copies go with
their passages and are made again where they are missing, so a database without them, or without pgvector, lacks
nothing.
"""

from __future__ import annotations

import numpy as np
from sqlalchemy import text

from averment.errors import StoreUnavailable
from averment.store.db.database import Database
from averment.store.search import hnsw
from averment.store.search.nearest import Vector

BATCH = 500
_TABLE = """
CREATE TABLE IF NOT EXISTS corpus_nearest (
    embedder TEXT NOT NULL,
    passage_id TEXT NOT NULL,
    near halfvec NOT NULL,
    PRIMARY KEY (embedder, passage_id),
    FOREIGN KEY (passage_id, embedder) REFERENCES corpus_vectors (passage_id, embedder) ON DELETE CASCADE
)
"""
_MISSING = """
SELECT kept.passage_id, kept.vector FROM corpus_vectors AS kept
LEFT JOIN corpus_nearest AS copied ON copied.passage_id = kept.passage_id AND copied.embedder = kept.embedder
WHERE kept.embedder = :embedder AND octet_length(kept.vector) = :size AND copied.passage_id IS NULL
ORDER BY kept.passage_id LIMIT :batch
"""
_KEEP = """
INSERT INTO corpus_nearest (embedder, passage_id, near)
SELECT :embedder, :passage_id, CAST(:near AS halfvec)
WHERE EXISTS (SELECT FROM corpus_vectors WHERE passage_id = :passage_id AND embedder = :embedder)
ON CONFLICT DO NOTHING
"""
_NEAREST = """
SELECT passage_id FROM corpus_nearest WHERE embedder = :part
ORDER BY CAST(near AS halfvec({dimension})) <=> CAST(:wanted AS halfvec({dimension})) LIMIT :k
"""


class CorpusNearest:
    """The proposals for the vectors of one embedder, which all have one length."""

    def __init__(self, database: Database, embedder: str, dimension: int) -> None:
        self._database = database
        self._embedder = embedder
        self._dimension = dimension
        self._ready = False

    @classmethod
    def open(cls, database: Database, embedder: str, dimension: int) -> CorpusNearest | None:
        """The proposals of a database; None on SQLite, without pgvector, or for vectors that are too long."""
        if database.dialect != "postgresql" or not 0 < dimension <= hnsw.MOST_DIMENSIONS:
            return None
        there = database.value(text("SELECT to_regclass('corpus_nearest')")) is not None
        if not there:
            try:
                hnsw.switch_on(database.link, "averment.vectors", _TABLE)
            except StoreUnavailable:
                return None  # All vectors are then compared in memory, as on SQLite.
        return cls(database, embedder, dimension)

    @property
    def ready(self) -> bool:
        """Whether the index is built; once it is, it stays."""
        if not self._ready:
            with self._database.read() as connection:
                self._ready = hnsw.exists(connection, hnsw.name_of("corpus_nearest", self._embedder))
        return self._ready

    def catch_up(self) -> int:
        """Copy vectors that have no copy yet, a batch at most; how many there were. After the last, build the index."""
        wanted = {"embedder": self._embedder, "size": 4 * self._dimension, "batch": BATCH}
        missing = self._database.tuples(text(_MISSING).bindparams(**wanted))
        if missing:
            rows = [
                {"embedder": self._embedder, "passage_id": row.passage_id, "near": _short(row.vector)}
                for row in missing
            ]
            with self._database.write() as connection:
                connection.execute(text(_KEEP), rows)
        elif not self.ready:
            with self._database.write() as connection:
                self._database.link.lock(connection, "averment.vectors.near")
                key = f"CAST(near AS halfvec({self._dimension}))"
                hnsw.build(
                    connection,
                    table="corpus_nearest",
                    part_column="embedder",
                    part=self._embedder,
                    key=key,
                    kind="halfvec",
                )
        return len(missing)

    def nearest(self, vector: Vector, k: int = hnsw.CANDIDATES) -> list[str]:
        """About the k nearest passages; the true nearest are among them nearly always."""
        query = hnsw.part_of(_NEAREST.format(dimension=self._dimension), self._embedder)
        with self._database.read() as connection:
            hnsw.look_wide(connection, k)
            found = connection.execute(query, {"wanted": _short(np.asarray(vector, "<f4").tobytes()), "k": k})
            return [row.passage_id for row in found]


def _short(vector: bytes) -> str:
    """A vector's bytes as pgvector reads them, with the digits that half precision can hold."""
    return "[" + ",".join(f"{number:.5g}" for number in np.frombuffer(vector, dtype="<f4").tolist()) + "]"
