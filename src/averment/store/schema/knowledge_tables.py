"""The tables of what people told and chose: meanings of words, readings of questions, and datasets by name."""

from __future__ import annotations

from sqlalchemy import Index

from averment.store.schema.columns import keys
from averment.store.schema.declared import table

CORRECTIONS = table(
    "corrections",
    keys("correction_id"),
    "schema_fingerprint word table_name column_name schema_columns created_at meaning?",
    Index("idx_corrections_schema_word", "schema_fingerprint", "word", unique=True),
    word="word",
)

CHOICES = table("choices", keys("schema_fingerprint", "question"), "plan created_at")

DATASETS = table(
    "datasets",
    keys("dataset_id"),
    "user_id name body created_at updated_at",
    Index("idx_datasets_name", "user_id", "name", unique=True),
)
