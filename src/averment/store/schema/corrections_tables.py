"""The table of what people told about their words, as its store speaks of it."""

from __future__ import annotations

from sqlalchemy import Column, Index, Table, Text

from averment.store.schema.main_tables import METADATA

CORRECTIONS = Table(
    "corrections",
    METADATA,
    Column("correction_id", Text, primary_key=True),
    Column("schema_fingerprint", Text, nullable=False),
    Column("word", Text, nullable=False),
    Column("table_name", Text, nullable=False),
    Column("column_name", Text, nullable=False),
    Column("schema_columns", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("meaning", Text),
    Index("idx_corrections_word", "word"),
    Index("idx_corrections_schema_word", "schema_fingerprint", "word", unique=True),
)
