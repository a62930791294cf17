"""What a person told about a word over a schema: by revenue I mean net_amount."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "corrections",
        sa.Column("correction_id", sa.Text, primary_key=True),
        sa.Column("schema_fingerprint", sa.Text, nullable=False),
        sa.Column("word", sa.Text, nullable=False),
        sa.Column("table_name", sa.Text, nullable=False),
        sa.Column("column_name", sa.Text, nullable=False),
        sa.Column("schema_columns", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
    )
    op.create_index("idx_corrections_word", "corrections", ["word"])
    op.create_index("idx_corrections_schema_word", "corrections", ["schema_fingerprint", "word"], unique=True)


def downgrade() -> None:
    """Take the table away again."""
    op.drop_table("corrections")
