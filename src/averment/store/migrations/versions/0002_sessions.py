"""Sessions of the driller: their index, by which they expire, and the memory documents of the driller contract."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from averment.store.schema.columns import keys, optional, owner, required

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Build these tables."""
    op.create_table(
        "sessions",
        *keys("session_id"),
        *required("status", "created_at", "expires_at"),
        *required("file_count", kind=sa.Integer),
        *required("report_ready", kind=sa.Boolean),
        *required("sources"),
        *optional("run_id"),
        *required("asked"),
        *optional("message", "finished_at", "cleared_at"),
    )
    op.create_index("idx_sessions_created", "sessions", ["created_at"])
    op.create_index("idx_sessions_expiry", "sessions", ["status", "expires_at"])

    op.create_table(
        "memory_documents",
        *keys("document_id"),
        owner("session_id", "sessions.session_id"),
        *required("content", "embedder"),
        *required("embedding", kind=sa.LargeBinary),
        *required("created_at"),
    )
    op.create_index("idx_memory_documents_session", "memory_documents", ["session_id"], unique=True)


def downgrade() -> None:
    """Take these tables away again."""
    op.drop_table("memory_documents")
    op.drop_table("sessions")
