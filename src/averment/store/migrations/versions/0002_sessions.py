"""Sessions of the driller: their index, by which they expire, and the memory documents of the driller contract."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build these tables."""
    op.create_table(
        "sessions",
        sa.Column("session_id", sa.Text, primary_key=True),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.Column("file_count", sa.Integer, nullable=False),
        sa.Column("report_ready", sa.Boolean, nullable=False),
        sa.Column("sources", sa.Text, nullable=False),
        sa.Column("run_id", sa.Text),
        sa.Column("asked", sa.Text, nullable=False),
        sa.Column("message", sa.Text),
        sa.Column("finished_at", sa.Text),
        sa.Column("cleared_at", sa.Text),
    )
    op.create_index("idx_sessions_created", "sessions", ["created_at"])
    op.create_index("idx_sessions_expiry", "sessions", ["status", "expires_at"])

    op.create_table(
        "memory_documents",
        sa.Column("document_id", sa.Text, primary_key=True),
        sa.Column("session_id", sa.Text, sa.ForeignKey("sessions.session_id", ondelete="CASCADE"), nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("embedder", sa.Text, nullable=False),
        sa.Column("embedding", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
    )
    op.create_index("idx_memory_documents_session", "memory_documents", ["session_id"], unique=True)


def downgrade() -> None:
    """Take these tables away again."""
    op.drop_table("memory_documents")
    op.drop_table("sessions")
