"""The reminders that rang, so that each rings once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "reminders",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
        sa.Column("rung_at", sa.Text, nullable=False),
        sa.Column("seen_at", sa.Text),
        sa.Column("sent_at", sa.Text),
        sa.Column("leased_until", sa.Text),
        sa.Column("tries", sa.Integer, nullable=False),
    )
    op.create_index("idx_reminders_user", "reminders", ["user_id", "seen_at"])
    op.create_index("idx_reminders_sent", "reminders", ["sent_at", "leased_until"])


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("reminders")
