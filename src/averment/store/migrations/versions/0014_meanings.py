"""What a word was taught to mean: beside columns also formulas, conditions and lists of values."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    """Add the meaning; a row without one means its column."""
    op.add_column("corrections", sa.Column("meaning", sa.Text))


def downgrade() -> None:
    """Take it away again."""
    op.drop_column("corrections", "meaning")
