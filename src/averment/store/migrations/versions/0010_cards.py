"""A card of each document: what it is called, what it says of itself, and its words."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the table; documents that are there already get their cards when they are first asked of."""
    op.create_table(
        "corpus_cards",
        sa.Column(
            "document_id",
            sa.Text,
            sa.ForeignKey("corpus_documents.document_id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("card", sa.LargeBinary, nullable=False),
        sa.Column("words", sa.LargeBinary, nullable=False),
    )


def downgrade() -> None:
    """Take the table away again; cards are made anew from the archived texts."""
    op.drop_table("corpus_cards")
