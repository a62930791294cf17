"""Datasets: sources that are kept by name, with what a person said about their columns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "datasets",
        sa.Column("dataset_id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
    )
    op.create_index("idx_datasets_name", "datasets", ["user_id", "name"], unique=True)


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("datasets")
