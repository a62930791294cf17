"""The table of the processes that carry runs out, as its store speaks of it."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Integer, Table, Text

from averment.store.schema.main_tables import METADATA

WORKERS = Table(
    "workers",
    METADATA,
    Column("worker_id", Text, primary_key=True),
    Column("host", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("concurrency", Integer, nullable=False),
    Column("beats", BigInteger, nullable=False),
    Column("running", Integer, nullable=False),
    Column("started_at", Text, nullable=False),
)
