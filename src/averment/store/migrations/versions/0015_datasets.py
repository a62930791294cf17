"""Datasets: sources that are kept by name, with what a person said about their columns."""

from __future__ import annotations

from alembic import op

from averment.store.schema.columns import keys, required

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "datasets",
        *keys("dataset_id"),
        *required("user_id", "name", "body", "created_at", "updated_at"),
    )
    op.create_index("idx_datasets_name", "datasets", ["user_id", "name"], unique=True)


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("datasets")
