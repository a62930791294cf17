"""When a task is due, how urgent it is and how it repeats; and the tokens of the users of a home."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from averment.store.schema.columns import keys, optional, required

revision = "0011"
down_revision = "0010"

FIELDS = ("due", "priority", "repeat")


def upgrade() -> None:
    """Add the fields to the tasks, and build the tables of users and of what is theirs."""
    for name in FIELDS:
        op.add_column("tasks", sa.Column(name, sa.Text))
    op.create_index("idx_tasks_due", "tasks", ["status", "due"])
    op.create_table(
        "user_tokens",
        *keys("token_sha256"),
        *required("user_id", "groups", "created_at"),
        *optional("revoked_at"),
    )
    op.create_index("idx_user_tokens_user", "user_tokens", ["user_id", "created_at"])
    op.create_table(
        "owners",
        *keys("kind", "id"),
        *required("user_id", "created_at"),
    )
    op.create_index("idx_owners_user", "owners", ["user_id", "kind", "created_at"])


def downgrade() -> None:
    """Take them away again."""
    op.drop_table("owners")
    op.drop_table("user_tokens")
    op.drop_index("idx_tasks_due", "tasks")
    for name in FIELDS:
        op.drop_column("tasks", name)
