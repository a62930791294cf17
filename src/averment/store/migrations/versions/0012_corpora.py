"""Corpora by name: which documents belong to which; what was there before belongs to the default one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the table, and put all documents into the default corpus."""
    op.create_table(
        "corpus_members",
        sa.Column("corpus", sa.Text, primary_key=True),
        sa.Column(
            "document_id", sa.Text, sa.ForeignKey("corpus_documents.document_id", ondelete="CASCADE"), primary_key=True
        ),
    )
    op.create_index("idx_corpus_members_document", "corpus_members", ["document_id"])
    op.execute("INSERT INTO corpus_members (corpus, document_id) SELECT 'default', document_id FROM corpus_documents")


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("corpus_members")
