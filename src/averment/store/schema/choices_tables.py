"""The table of readings that people chose, as its store speaks of it."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from averment.store.schema.main_tables import METADATA

CHOICES = Table(
    "choices",
    METADATA,
    Column("schema_fingerprint", Text, primary_key=True),
    Column("question", Text, primary_key=True),
    Column("plan", Text, nullable=False),
    Column("created_at", Text, nullable=False),
)
