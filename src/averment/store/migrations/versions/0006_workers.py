"""Who carries runs out, and that they are alive."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from averment.store.schema.columns import keys, required

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Build the table."""
    op.create_table(
        "workers",
        *keys("worker_id"),
        *required("host", "role"),
        *required("concurrency", kind=sa.Integer),
        *required("beats", kind=sa.BigInteger),
        *required("running", kind=sa.Integer),
        *required("started_at"),
    )


def downgrade() -> None:
    """Take the table away again."""
    op.drop_table("workers")
