"""The reminders that rang, so that each rings once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from averment.store.schema.columns import keys, optional, required

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "reminders",
        *keys("id"),
        *required("task_id", kind=sa.Integer),
        *required("user_id", "title", "at", "rung_at"),
        *optional("seen_at", "sent_at", "leased_until"),
        *required("tries", kind=sa.Integer),
    )
    op.create_index("idx_reminders_user", "reminders", ["user_id", "seen_at"])
    op.create_index("idx_reminders_sent", "reminders", ["sent_at", "leased_until"])


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("reminders")
