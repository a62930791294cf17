"""Corpora by name: which documents belong to which; what was there before belongs to the default one."""

from __future__ import annotations

from alembic import op

from averment.store.schema.columns import keys, owner_key

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Build the table, and put all documents into the default corpus."""
    op.create_table(
        "corpus_members",
        *keys("corpus"),
        owner_key("document_id", "corpus_documents.document_id"),
    )
    op.create_index("idx_corpus_members_document", "corpus_members", ["document_id"])
    op.execute("INSERT INTO corpus_members (corpus, document_id) SELECT 'default', document_id FROM corpus_documents")


def downgrade() -> None:
    """Take it away again."""
    op.drop_table("corpus_members")
