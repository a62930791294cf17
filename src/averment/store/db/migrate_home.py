"""Carrying a home over: every row of an embedded database into an empty Postgres, in one transaction, then compared.

Only what lies in the database moves here; ``migrate_files`` moves the rest. What is unfinished goes on afterwards: the
steps of a run find what they kept, wherever it lies.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sqlalchemy import Connection, Table, func, insert, select, text

from averment.errors import StoreConflict
from averment.store.db.database import Database
from averment.store.schema import (
    chat_tables,
    knowledge_tables,
    ledgers_tables,
    research_tables,
    sessions_tables,
)
from averment.store.schema.main_tables import METADATA, RECIPES, VECTORS
from averment.store.schema.workers_tables import WORKERS
from averment.store.search.vectors import VectorIndex, as_text

BATCH = 1_000
AREAS = (chat_tables, knowledge_tables, ledgers_tables, research_tables, sessions_tables)
"""Each of them adds its tables to the metadata when it is loaded."""
Progress = Callable[[str, int], None]


def carry_over(source: Database, target: Database, *, on_table: Progress | None = None) -> dict[str, int]:
    """Copy every row of the source into the target and compare them; the rows of each table.

    Raises:
        StoreConflict: the target is not empty, or holds something else after the copy; then it is left as it was.
    """
    # The living are no part of a home; and Postgres has its own form for vectors.
    tables = [table for table in METADATA.sorted_tables if table not in (WORKERS, VECTORS)]
    counts: dict[str, int] = {}
    with source.read() as reading:
        has_vectors = bool(reading.execute(select(func.count()).select_from(VECTORS)).scalar())
        if has_vectors:
            VectorIndex(target)  # Builds its table, which needs pgvector.
        with target.write() as writing, source.recipe_link.read() as recipes:
            _check_empty(writing, [*tables, RECIPES])
            for table in tables:
                counts[str(table.name)] = _copy(reading, writing, table)
                _tell(on_table, str(table.name), counts)
            counts[str(RECIPES.name)] = _copy(recipes, writing, RECIPES)
            _tell(on_table, str(RECIPES.name), counts)
            if has_vectors:
                counts[str(VECTORS.name)] = _copy_vectors(reading, writing)
                _tell(on_table, str(VECTORS.name), counts)
            if counts["tasks"]:
                numbering = "SELECT setval(pg_get_serial_sequence('tasks', 'id'), (SELECT max(id) FROM tasks))"
                writing.execute(text(numbering))
    return counts


def _check_empty(connection: Connection, tables: list[Table]) -> None:
    for table in tables:
        if table.name != "corpus_state" and connection.execute(select(func.count()).select_from(table)).scalar():
            raise StoreConflict(
                f"The target database already has rows in the table {table.name}.",
                hint="Name an empty database.",
            )


def _copy(reading: Connection, writing: Connection, table: Table) -> int:
    writing.execute(table.delete())  # A row that the migrations made themselves.
    count = 0
    for batch in _batches(reading, table):
        writing.execute(insert(table), batch)
        count += len(batch)
    if _digest(reading, table) != _digest(writing, table):
        raise StoreConflict(f"The table {table.name} was not copied completely; nothing was kept.")
    return count


def _batches(connection: Connection, table: Table) -> Iterator[list[dict[str, Any]]]:
    # By its key: a row that refers to an earlier one of the same table then comes after it in both.
    found = connection.execute(select(table).order_by(*table.primary_key.columns)).mappings()
    while batch := found.fetchmany(BATCH):
        yield [dict(row) for row in batch]


def _digest(connection: Connection, table: Table) -> str:
    """A hash over all rows whatever their order, since two databases may order texts differently."""
    total = 0
    for batch in _batches(connection, table):
        for row in batch:
            total += int.from_bytes(hashlib.sha256(repr(sorted(row.items())).encode()).digest(), "big")
    return f"{total:x}"


def _copy_vectors(reading: Connection, writing: Connection) -> int:
    values = ":namespace, :key, CAST(:vector AS vector), :body"
    adding = text(f"INSERT INTO vectors (namespace, key, vector, body) VALUES ({values})")
    count = 0
    for batch in _batches(reading, VECTORS):
        rows = [{**row, "vector": as_text(np.frombuffer(row["vector"], dtype="<f4"))} for row in batch]
        writing.execute(adding, rows)
        for row in batch:
            found = text("SELECT CAST(vector AS text) FROM vectors WHERE namespace = :namespace AND key = :key")
            kept = str(writing.execute(found, {"namespace": row["namespace"], "key": row["key"]}).scalar())
            if np.array(kept.strip("[]").split(","), dtype="<f4").tobytes() != row["vector"]:
                raise StoreConflict("A vector was not copied completely; nothing was kept.")
        count += len(rows)
    return count


def _tell(on_table: Progress | None, name: str, counts: dict[str, int]) -> None:
    if on_table is not None:
        on_table(name, counts[name])
