"""Which namespaces of vectors have an index of their own that proposes neighbours; only Postgres builds one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column that names the index."""
    op.add_column("vector_namespaces", sa.Column("near", sa.Text))


def downgrade() -> None:
    """Take the column away again; what was derived for searching goes with it."""
    op.drop_column("vector_namespaces", "near")
    if op.get_context().dialect.name == "postgresql":
        op.execute("DROP TABLE IF EXISTS corpus_nearest")
