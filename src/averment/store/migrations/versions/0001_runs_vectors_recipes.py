"""Runs with their records and events, vectors, and on Postgres the recipes of the analyst contract."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build the first tables."""
    op.create_table(
        "runs",
        sa.Column("run_id", sa.Text, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("intent", sa.Text, nullable=False),
        sa.Column("request", sa.Text, nullable=False),
        sa.Column("reading", sa.Text),
        sa.Column("plan", sa.Text),
        sa.Column("answer", sa.Text),
        sa.Column("error", sa.Text),
        sa.Column("sealed", sa.Text),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("finished_at", sa.Text),
        sa.Column("cancel_requested_at", sa.Text),
    )
    op.create_index("idx_runs_created", "runs", ["created_at"])
    op.create_index("idx_runs_status", "runs", ["status", "created_at"])

    op.create_table(
        "run_records",
        sa.Column("run_id", sa.Text, sa.ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("kind", sa.Text, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
    )
    op.create_index("idx_run_records_position", "run_records", ["run_id", "kind", "position"])

    op.create_table(
        "run_events",
        sa.Column("run_id", sa.Text, sa.ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("event_type", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )

    op.create_table(
        "vector_namespaces",
        sa.Column("namespace", sa.Text, primary_key=True),
        sa.Column("dimension", sa.Integer, nullable=False),
        sa.Column("stamp", sa.Text, nullable=False),
    )
    if op.get_context().dialect.name == "sqlite":
        # Postgres builds its own with pgvector's type on first use; see averment.store.search.vectors.
        op.create_table(
            "vectors",
            sa.Column(
                "namespace",
                sa.Text,
                sa.ForeignKey("vector_namespaces.namespace", ondelete="CASCADE"),
                primary_key=True,
            ),
            sa.Column("key", sa.Text, primary_key=True),
            sa.Column("vector", sa.LargeBinary, nullable=False),
            sa.Column("body", sa.Text, nullable=False),
        )
    else:
        # On SQLite the recipes have a file of their own; see averment.store.knowledge.recipes.
        op.create_table(
            "recipes",
            sa.Column("recipe_id", sa.Text, primary_key=True),
            sa.Column("schema_fingerprint", sa.Text, nullable=False),
            sa.Column("intent_template", sa.Text, nullable=False),
            sa.Column("intent_embedding", sa.LargeBinary, nullable=False),
            sa.Column("plan_structure", sa.Text, nullable=False),
            sa.Column("tool_argument_templates", sa.Text, nullable=False),
            sa.Column("success_count", sa.Integer, server_default="1"),
            sa.Column("created_at", sa.Text, nullable=False),
            sa.Column("last_used_at", sa.Text, nullable=False),
        )
        op.create_index("idx_schema_fp", "recipes", ["schema_fingerprint"])
        op.create_index("idx_last_used", "recipes", [sa.text("last_used_at DESC")])


def downgrade() -> None:
    """Take every table away again."""
    if op.get_context().dialect.name == "sqlite":
        op.drop_table("vectors")
    else:
        op.execute("DROP TABLE IF EXISTS vectors")
        op.drop_table("recipes")
    for name in ("vector_namespaces", "run_events", "run_records", "runs"):
        op.drop_table(name)
