"""Runs with their records and events, vectors, and on Postgres the recipes of the analyst contract."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from averment.store.schema.columns import keys, optional, owner_key, required

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Build the first tables."""
    op.create_table(
        "runs",
        *keys("run_id"),
        *required("kind", "status", "intent", "request"),
        *optional("reading", "plan", "answer", "error", "sealed"),
        *required("created_at", "updated_at"),
        *optional("finished_at", "cancel_requested_at"),
    )
    op.create_index("idx_runs_created", "runs", ["created_at"])
    op.create_index("idx_runs_status", "runs", ["status", "created_at"])

    op.create_table(
        "run_records",
        owner_key("run_id", "runs.run_id"),
        *keys("kind", "key"),
        *required("position", kind=sa.Integer),
        *required("body"),
    )
    op.create_index("idx_run_records_position", "run_records", ["run_id", "kind", "position"])

    op.create_table(
        "run_events",
        owner_key("run_id", "runs.run_id"),
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=False),
        *required("event_type", "body", "at"),
    )

    op.create_table(
        "vector_namespaces",
        *keys("namespace"),
        *required("dimension", kind=sa.Integer),
        *required("stamp"),
    )
    if op.get_context().dialect.name == "sqlite":
        # Postgres builds its own with pgvector's type on first use; see averment.store.search.vectors.
        op.create_table(
            "vectors",
            owner_key("namespace", "vector_namespaces.namespace"),
            *keys("key"),
            *required("vector", kind=sa.LargeBinary),
            *required("body"),
        )
    else:
        # On SQLite the recipes have a file of their own; see averment.store.knowledge.recipes.
        op.create_table(
            "recipes",
            *keys("recipe_id"),
            *required("schema_fingerprint", "intent_template"),
            *required("intent_embedding", kind=sa.LargeBinary),
            *required("plan_structure", "tool_argument_templates"),
            sa.Column("success_count", sa.Integer, server_default="1"),
            *required("created_at", "last_used_at"),
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
