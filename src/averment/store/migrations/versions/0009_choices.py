"""Which reading of a question a person chose over a schema."""

from __future__ import annotations

from alembic import op

from averment.store.schema.columns import keys, required

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "choices",
        *keys("schema_fingerprint", "question"),
        *required("plan", "created_at"),
    )


def downgrade() -> None:
    """Take the table away again."""
    op.drop_table("choices")
