"""What a person told about a word over a schema: by revenue I mean net_amount."""

from __future__ import annotations

from alembic import op

from averment.store.schema.columns import keys, required

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "corrections",
        *keys("correction_id"),
        *required("schema_fingerprint", "word", "table_name", "column_name", "schema_columns", "created_at"),
    )
    op.create_index("idx_corrections_word", "corrections", ["word"])
    op.create_index("idx_corrections_schema_word", "corrections", ["schema_fingerprint", "word"], unique=True)


def downgrade() -> None:
    """Take the table away again."""
    op.drop_table("corrections")
