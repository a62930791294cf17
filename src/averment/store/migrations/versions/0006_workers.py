"""Who carries runs out, and that they are alive."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "workers",
        sa.Column("worker_id", sa.Text, primary_key=True),
        sa.Column("host", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("concurrency", sa.Integer, nullable=False),
        sa.Column("beats", sa.BigInteger, nullable=False),
        sa.Column("running", sa.Integer, nullable=False),
        sa.Column("started_at", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Take the table away again."""
    op.drop_table("workers")
