"""The tables of the driller's sessions: the index by which they expire, and the memory documents of the contract."""

from __future__ import annotations

from sqlalchemy import Index

from averment.store.schema.columns import keys, owner
from averment.store.schema.declared import table

SESSIONS = table(
    "sessions",
    keys("session_id"),
    "status created_at expires_at file_count:int report_ready:bool",
    # Data that stays where it is: paths and URLs, never with a password.
    "sources run_id?",
    # Runs that answered questions about the session; they are forgotten with it.
    "asked message? finished_at?",
    # Set once nothing is left of an expired session but this row.
    "cleared_at?",
    created="created_at",
    expiry="status expires_at",
)

MEMORY_DOCUMENTS = table(
    "memory_documents",
    keys("document_id"),
    owner("session_id", "sessions.session_id"),
    "content",
    # Which embedder made the vectors; those of another cannot be compared with them.
    "embedder embedding:bytes created_at",
    Index("idx_memory_documents_session", "session_id", unique=True),
)
