"""The tables of the driller's sessions: the index by which they expire, and the memory documents of the contract."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Index, Integer, LargeBinary, Table, Text

from averment.store.schema.main_tables import METADATA

SESSIONS = Table(
    "sessions",
    METADATA,
    Column("session_id", Text, primary_key=True),
    Column("status", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("expires_at", Text, nullable=False),
    Column("file_count", Integer, nullable=False),
    Column("report_ready", Boolean, nullable=False),
    # Data that stays where it is: paths and URLs, never with a password.
    Column("sources", Text, nullable=False),
    Column("run_id", Text),
    # Runs that answered questions about the session; they are forgotten with it.
    Column("asked", Text, nullable=False),
    Column("message", Text),
    Column("finished_at", Text),
    # Set once nothing is left of an expired session but this row.
    Column("cleared_at", Text),
    Index("idx_sessions_created", "created_at"),
    Index("idx_sessions_expiry", "status", "expires_at"),
)

MEMORY_DOCUMENTS = Table(
    "memory_documents",
    METADATA,
    Column("document_id", Text, primary_key=True),
    Column("session_id", Text, ForeignKey("sessions.session_id", ondelete="CASCADE"), nullable=False),
    Column("content", Text, nullable=False),
    # Which embedder made the vectors; those of another cannot be compared with them.
    Column("embedder", Text, nullable=False),
    Column("embedding", LargeBinary, nullable=False),
    Column("created_at", Text, nullable=False),
    Index("idx_memory_documents_session", "session_id", unique=True),
)
