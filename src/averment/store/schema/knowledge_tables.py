"""The tables of what people told and chose: meanings of words, readings of questions, and datasets by name."""

from __future__ import annotations

from sqlalchemy import Index, Table

from averment.store.schema.columns import keys, optional, required
from averment.store.schema.main_tables import METADATA

CORRECTIONS = Table(
    "corrections",
    METADATA,
    *keys("correction_id"),
    *required("schema_fingerprint", "word", "table_name", "column_name", "schema_columns", "created_at"),
    *optional("meaning"),
    Index("idx_corrections_word", "word"),
    Index("idx_corrections_schema_word", "schema_fingerprint", "word", unique=True),
)

CHOICES = Table("choices", METADATA, *keys("schema_fingerprint", "question"), *required("plan", "created_at"))

DATASETS = Table(
    "datasets",
    METADATA,
    *keys("dataset_id"),
    *required("user_id", "name", "body", "created_at", "updated_at"),
    Index("idx_datasets_name", "user_id", "name", unique=True),
)
