"""The tables of the driller's sessions: the index by which they expire, and the memory documents of the contract."""

from __future__ import annotations

from sqlalchemy import Boolean, Index, Integer, LargeBinary

from averment.store.schema.columns import keys, optional, owner, required
from averment.store.schema.declared import table

SESSIONS = table(
    "sessions",
    keys("session_id"),
    required("status", "created_at", "expires_at"),
    required("file_count", kind=Integer),
    required("report_ready", kind=Boolean),
    # Data that stays where it is: paths and URLs, never with a password.
    required("sources"),
    optional("run_id"),
    # Runs that answered questions about the session; they are forgotten with it.
    required("asked"),
    optional("message", "finished_at"),
    # Set once nothing is left of an expired session but this row.
    optional("cleared_at"),
    created="created_at",
    expiry="status expires_at",
)

MEMORY_DOCUMENTS = table(
    "memory_documents",
    keys("document_id"),
    owner("session_id", "sessions.session_id"),
    required("content"),
    # Which embedder made the vectors; those of another cannot be compared with them.
    required("embedder"),
    required("embedding", kind=LargeBinary),
    required("created_at"),
    Index("idx_memory_documents_session", "session_id", unique=True),
)
