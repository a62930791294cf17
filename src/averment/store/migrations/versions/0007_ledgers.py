"""What the writers of one database gathered of their logs: lines, checkpoints, and the keys first seen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the tables."""
    op.create_table(
        "ledger_writers",
        sa.Column("writer_id", sa.Text, primary_key=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("joined_at", sa.Text, nullable=False),
    )
    op.create_table(
        "ledger_lines",
        sa.Column("writer_id", sa.Text, sa.ForeignKey("ledger_writers.writer_id"), primary_key=True),
        sa.Column("sequence_number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("request_id", sa.Text, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
    )
    op.create_index("idx_ledger_lines_request", "ledger_lines", ["request_id"])
    op.create_table(
        "ledger_checkpoints",
        sa.Column("writer_id", sa.Text, sa.ForeignKey("ledger_writers.writer_id"), primary_key=True),
        sa.Column("size", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("note_sha256", sa.Text, primary_key=True),
        sa.Column("root", sa.Text, nullable=False),
        sa.Column("signer", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("kept_at", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Take the tables away again."""
    for name in ("ledger_checkpoints", "ledger_lines", "ledger_writers"):
        op.drop_table(name)
