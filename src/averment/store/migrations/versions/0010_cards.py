"""A card of each document: what it is called, what it says of itself, and its words."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from averment.store.schema.columns import owner_key, required

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Build the table; documents that are there already get their cards when they are first asked of."""
    op.create_table(
        "corpus_cards",
        owner_key("document_id", "corpus_documents.document_id"),
        *required("card", "words", kind=sa.LargeBinary),
    )


def downgrade() -> None:
    """Take the table away again; cards are made anew from the archived texts."""
    op.drop_table("corpus_cards")
