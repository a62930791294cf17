"""Which reading of a question a person chose over a schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "choices",
        sa.Column("schema_fingerprint", sa.Text, primary_key=True),
        sa.Column("question", sa.Text, primary_key=True),
        sa.Column("plan", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Take the table away again."""
    op.drop_table("choices")
