"""Vectors: what is near in meaning, by cosine.

SQLite holds a vector as its float32 bytes and one matrix product finds the nearest; Postgres holds it as pgvector's
type and orders by its cosine distance. Both look at every vector of a namespace, so the answer is exact and the same
each time. Only where a namespace on Postgres has grown large does an index propose candidates, which are then compared
exactly. A namespace takes its dimension from its first vector, that is, from the embedder.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from sqlalchemy import Connection, Result, RowMapping, select, text, update
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from averment.errors import InvalidArguments
from averment.records.base import new_id
from averment.store.db.database import Database
from averment.store.db.text import from_json, plain, to_json
from averment.store.schema.main_tables import VECTOR_NAMESPACES, VECTORS
from averment.store.search import hnsw
from averment.store.search.nearest import Vector, VectorRows

Body: TypeAlias = dict[str, Any]
Match: TypeAlias = tuple[str, float, Body]

# SQLite takes only so many parameters in one statement.
_MANY = 1000
# Matrices kept in memory; one of 20,000 vectors of 384 numbers has 30 MB.
_KEPT = 4

_POSTGRES_TABLE = """
CREATE TABLE IF NOT EXISTS vectors (
    namespace TEXT NOT NULL REFERENCES vector_namespaces (namespace) ON DELETE CASCADE,
    key TEXT COLLATE "C" NOT NULL,
    vector vector NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (namespace, key)
)
"""
_POSTGRES_UPSERT = """
INSERT INTO vectors (namespace, key, vector, body) VALUES (:namespace, :key, CAST(:vector AS vector), :body)
ON CONFLICT (namespace, key) DO UPDATE SET vector = EXCLUDED.vector, body = EXCLUDED.body
"""
_POSTGRES_SEARCH = """
SELECT key, 1 - (vector <=> CAST(:vector AS vector)) AS cosine, body FROM vectors
WHERE namespace = :namespace ORDER BY vector <=> CAST(:vector AS vector), key LIMIT :k
"""
_POSTGRES_NEAR = """
WITH near AS MATERIALIZED (
    SELECT key, vector, body FROM vectors WHERE namespace = :part
    ORDER BY CAST(vector AS vector({dimension})) <=> CAST(:vector AS vector({dimension})) LIMIT :candidates
)
SELECT key, 1 - (vector <=> CAST(:vector AS vector)) AS cosine, body FROM near
ORDER BY vector <=> CAST(:vector AS vector), key LIMIT :k
"""
_POSTGRES_MANY = "SELECT count(*) FROM (SELECT FROM vectors WHERE namespace = :namespace LIMIT :enough) AS counted"


class VectorIndex:
    """Named sets of vectors, each with a key and a body."""

    def __init__(self, database: Database, *, approximate_from: int = hnsw.APPROXIMATE_FROM) -> None:
        """``approximate_from`` is how many vectors a namespace on Postgres has before an index proposes candidates."""
        self._database = database
        self._approximate_from = approximate_from
        self._insert = database.insert
        self._rows: dict[tuple[str, str], VectorRows] = {}
        if database.dialect == "postgresql":
            self._prepare_postgres()

    def upsert(self, namespace: str, key: str, vector: Vector, body: Body) -> None:
        """Keep a vector and its body under a key, in place of what was there.

        Raises:
            InvalidArguments: the vector is empty, zero or not finite, or of another dimension than the namespace's.
        """
        self.upsert_many(namespace, [(key, vector, body)])

    def upsert_many(self, namespace: str, entries: list[tuple[str, Vector, Body]]) -> None:
        """Keep many vectors in one transaction; as ``upsert`` for each."""
        if not entries:
            return
        plain(namespace, "namespace")
        rows: list[dict[str, Any]] = [
            {"namespace": namespace, "key": plain(key, "key"), "vector": _checked(vector), "body": to_json(body)}
            for key, vector, body in entries
        ]
        with self._database.write() as connection:
            dimension = self._open_namespace(connection, namespace, len(rows[0]["vector"]))
            for row in rows:
                _same_dimension(namespace, dimension, row["vector"])
            if self._database.dialect == "sqlite":
                rows = [{**row, "vector": row["vector"].tobytes()} for row in rows]
                adding = sqlite_insert(VECTORS)
                connection.execute(
                    adding.on_conflict_do_update(
                        index_elements=["namespace", "key"],
                        set_={"vector": adding.excluded.vector, "body": adding.excluded.body},
                    ),
                    rows,
                )
            else:
                connection.execute(text(_POSTGRES_UPSERT), [{**row, "vector": as_text(row["vector"])} for row in rows])
        if self._database.dialect == "postgresql":
            self._index_if_large(namespace, dimension)

    def search(self, namespace: str, vector: Vector, k: int) -> list[Match]:
        """The k nearest: key, cosine and body, the nearest first, equals by key; fewer when there are fewer.

        Raises:
            InvalidArguments: the vector is not one of the namespace's dimension, or k is negative.
        """
        wanted = _checked(vector)
        if k < 0:
            raise InvalidArguments("The number of neighbours cannot be negative.")
        with self._database.read() as connection:
            query = select(VECTOR_NAMESPACES).where(VECTOR_NAMESPACES.c.namespace == plain(namespace, "namespace"))
            found = connection.execute(query).mappings().first()
            if found is None or k == 0:
                return []
            _same_dimension(namespace, found["dimension"], wanted)
            if self._database.dialect == "sqlite":
                return self._search_sqlite(connection, namespace, found["stamp"], wanted, k)
            nearest = self._search_postgres(connection, found, wanted, k)
            return [(row.key, max(-1.0, min(1.0, row.cosine)), from_json(row.body)) for row in nearest]

    def delete(self, namespace: str, key: str | None = None) -> None:
        """Forget one vector, or the whole namespace with its dimension."""
        with self._database.write() as connection:
            if key is None:
                this = VECTOR_NAMESPACES.c.namespace == namespace
                near = connection.execute(VECTOR_NAMESPACES.delete().where(this).returning(VECTOR_NAMESPACES.c.near))
                if (name := near.scalar()) is not None:
                    connection.execute(text(f"DROP INDEX IF EXISTS {name}"))
            else:
                self._stamp(connection, namespace)
                connection.execute(VECTORS.delete().where(VECTORS.c.namespace == namespace, VECTORS.c.key == key))

    def _open_namespace(self, connection: Connection, namespace: str, dimension: int) -> int:
        """Make the namespace if it is new, mark it as changed, and give the dimension it has."""
        values = {"namespace": namespace, "dimension": dimension, "stamp": new_id()}
        connection.execute(self._insert(VECTOR_NAMESPACES).values(values).on_conflict_do_nothing())
        return self._stamp(connection, namespace)

    def _stamp(self, connection: Connection, namespace: str) -> int:
        """Mark the namespace as changed, so that no process goes on using the matrix it holds in memory."""
        change = update(VECTOR_NAMESPACES).where(VECTOR_NAMESPACES.c.namespace == namespace).values(stamp=new_id())
        return connection.execute(change.returning(VECTOR_NAMESPACES.c.dimension)).scalar() or 0

    def _search_sqlite(self, connection: Connection, namespace: str, stamp: str, wanted: Vector, k: int) -> list[Match]:
        rows = self._rows.get((namespace, stamp))
        if rows is None:
            query = select(VECTORS.c.key, VECTORS.c.vector).where(VECTORS.c.namespace == namespace)
            found = connection.execute(query.order_by(VECTORS.c.key)).all()
            if not found:
                return []
            rows = VectorRows.from_bytes([row.key for row in found], [row.vector for row in found])
            while len(self._rows) >= _KEPT:
                self._rows.pop(next(iter(self._rows)), None)
            self._rows[namespace, stamp] = rows
        nearest = rows.nearest(wanted, k)
        query = select(VECTORS.c.key, VECTORS.c.body).where(VECTORS.c.namespace == namespace)
        if k <= _MANY:
            query = query.where(VECTORS.c.key.in_([key for key, _ in nearest]))
        bodies = {row.key: row.body for row in connection.execute(query)}
        return [(key, cosine, from_json(bodies[key])) for key, cosine in nearest]

    def _search_postgres(self, connection: Connection, space: RowMapping, wanted: Vector, k: int) -> Result[Any]:
        sought: dict[str, Any] = {"vector": as_text(wanted), "k": k}
        if space["near"] is None or k > hnsw.MOST_CANDIDATES:
            return connection.execute(text(_POSTGRES_SEARCH), {**sought, "namespace": space["namespace"]})
        candidates = max(hnsw.CANDIDATES, k)
        hnsw.look_wide(connection, candidates)
        query = hnsw.part_of(_POSTGRES_NEAR.format(dimension=int(space["dimension"])), space["namespace"])
        return connection.execute(query, {**sought, "candidates": candidates})

    def _index_if_large(self, namespace: str, dimension: int) -> None:
        """Build the index of a namespace that has grown large, once."""
        if dimension > hnsw.MOST_DIMENSIONS:
            return
        this = VECTOR_NAMESPACES.c.namespace == namespace
        with self._database.read() as connection:
            counted = {"namespace": namespace, "enough": self._approximate_from}
            has_one = select(VECTOR_NAMESPACES.c.near).where(this)
            if connection.execute(has_one).scalar() is not None:
                return
            if connection.execute(text(_POSTGRES_MANY), counted).scalar_one() < self._approximate_from:
                return
        with self._database.write() as connection:
            self._database.link.lock(connection, "averment.vectors.near")
            key = f"CAST(vector AS vector({dimension}))"
            name = hnsw.build(
                connection, table="vectors", part_column="namespace", part=namespace, key=key, kind="vector"
            )
            connection.execute(update(VECTOR_NAMESPACES).where(this).values(near=name))

    def _prepare_postgres(self) -> None:
        link = self._database.link
        with link.read() as connection:
            if connection.execute(text("SELECT to_regclass('vectors')")).scalar() is not None:
                return
        hnsw.switch_on(link, "averment.vectors", _POSTGRES_TABLE)


def _checked(vector: Vector) -> Vector:
    array = np.ascontiguousarray(vector, dtype="<f4")
    if array.ndim != 1 or array.size == 0:
        raise InvalidArguments("A vector must be one row of numbers.")
    norm = np.linalg.norm(array.astype(np.float64))
    # Squares of very small or very large numbers leave the range of float32, and the cosine with it.
    if not np.isfinite(norm) or not 1e-15 < norm < 1e15:
        raise InvalidArguments("A vector must have finite numbers and a nonzero length.")
    return array


def _same_dimension(namespace: str, dimension: int | None, vector: Vector) -> None:
    if dimension != len(vector):
        raise InvalidArguments(
            f"The vectors of {namespace} have {dimension} numbers, not {len(vector)}.",
            hint="They come from another embedder; rebuild this namespace with the current one.",
        )


def as_text(vector: Vector) -> str:
    """A vector as pgvector reads it, each number so that its float32 comes back the same."""
    return "[" + ",".join(repr(float(number)) for number in vector) + "]"
