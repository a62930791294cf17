"""pgvector's HNSW on Postgres: an index that proposes candidates quickly, and may miss a few.

What it proposes is always compared again exactly by whoever asks, and small sets are not asked of it at all. The index
is derived from kept vectors: losing it loses nothing.
"""

from __future__ import annotations

import hashlib

from sqlalchemy import Connection, Text, TextClause, bindparam, text
from sqlalchemy.exc import DBAPIError

from averment.errors import StoreUnavailable
from averment.store.db.engine import DatabaseLink

APPROXIMATE_FROM = 20_000
"""From so many vectors on candidates come from the index; below, all are compared, which takes a few milliseconds."""

CANDIDATES = 200
"""At least so many are proposed, however few are wanted: comparing them exactly then finds the true nearest."""

MOST_CANDIDATES = 1_000
"""pgvector's own limit; whoever wants more neighbours compares all."""

MOST_DIMENSIONS = 2_000
"""Longer vectors cannot be indexed."""

_BUILD = "m = 16, ef_construction = 64"


def switch_on(link: DatabaseLink, lock: str, *statements: str) -> None:
    """Make sure that the database has pgvector and the tables these statements make.

    Raises:
        StoreUnavailable: the server has no pgvector, or this role may not switch it on.
    """
    try:
        with link.engine.begin() as connection:
            link.lock(connection, lock)
            connection.execute(text("CREATE EXTENSION IF NOT EXISTS vector"))
            for statement in statements:
                connection.execute(text(statement))
    except DBAPIError as error:
        raise StoreUnavailable(
            "The Postgres server does not have pgvector, or this role may not enable it.",
            hint="Install pgvector on the server and run CREATE EXTENSION vector in this database as its owner.",
        ) from error


def name_of(table: str, part: str) -> str:
    """The name of the index over one part of a table; any text may name a part."""
    return f"{table}_near_{hashlib.sha256(part.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def exists(connection: Connection, name: str) -> bool:
    """Whether an index of that name is there and whole."""
    query = text("SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(:name)")
    return bool(connection.execute(query, {"name": name}).scalar())


def build(connection: Connection, *, table: str, part_column: str, part: str, key: str, kind: str) -> str:
    """Build the index over one part of a table, unless it is there; its name. Other writers of the table wait.

    ``key`` is the indexed expression and ``kind`` its type, ``vector`` or ``halfvec``.
    """
    name = name_of(table, part)
    connection.execute(
        part_of(
            f"CREATE INDEX IF NOT EXISTS {name} ON {table} USING hnsw (({key}) {kind}_cosine_ops) "
            f"WITH ({_BUILD}) WHERE {part_column} = :part",
            part,
        )
    )
    return name


def part_of(statement: str, part: str) -> TextClause:
    """A statement whose ``:part`` is written out: only so does Postgres see that the index of that part fits."""
    return text(statement).bindparams(bindparam("part", part, Text, literal_execute=True))


def look_wide(connection: Connection, candidates: int) -> None:
    """Let the searches of this transaction weigh enough nodes to propose so many candidates."""
    connection.execute(text("SELECT set_config('hnsw.ef_search', :width, true)"), {"width": str(candidates)})
