"""The table of datasets, as its store speaks of it."""

from __future__ import annotations

from sqlalchemy import Column, Index, Table, Text

from averment.store.schema.main_tables import METADATA

DATASETS = Table(
    "datasets",
    METADATA,
    Column("dataset_id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Index("idx_datasets_name", "user_id", "name", unique=True),
)
