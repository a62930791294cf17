"""What the writers of one database gathered of their logs: lines, checkpoints, and the keys first seen."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from averment.store.schema.columns import keys, required

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Build the tables."""
    op.create_table(
        "ledger_writers",
        *keys("writer_id"),
        *required("host", "key", "joined_at"),
    )
    op.create_table(
        "ledger_lines",
        sa.Column("writer_id", sa.Text, sa.ForeignKey("ledger_writers.writer_id"), primary_key=True),
        sa.Column("sequence_number", sa.BigInteger, primary_key=True, autoincrement=False),
        *required("request_id", "line"),
    )
    op.create_index("idx_ledger_lines_request", "ledger_lines", ["request_id"])
    op.create_table(
        "ledger_checkpoints",
        sa.Column("writer_id", sa.Text, sa.ForeignKey("ledger_writers.writer_id"), primary_key=True),
        sa.Column("size", sa.BigInteger, primary_key=True, autoincrement=False),
        *keys("note_sha256"),
        *required("root", "signer", "note", "kept_at"),
    )


def downgrade() -> None:
    """Take the tables away again."""
    for name in ("ledger_checkpoints", "ledger_lines", "ledger_writers"):
        op.drop_table(name)
