"""The tables of the main database, as the stores speak of them.

The migrations build these tables; a test holds the two together. Times are ISO 8601 text in UTC ending in ``Z`` and
structures are JSON text, so that both databases hold the same bytes and order them alike.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    text,
)

SCHEMA_VERSION = "0015"
"""The newest migration. Known without alembic, so that opening an up-to-date database does not import it."""

VERSION_TABLE = "averment_version"
"""Where alembic notes the version; its own name, so that another program's alembic table is left alone."""

METADATA = MetaData()

RUNS = Table(
    "runs",
    METADATA,
    Column("run_id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("intent", Text, nullable=False),
    Column("request", Text, nullable=False),
    Column("reading", Text),
    Column("plan", Text),
    Column("answer", Text),
    Column("error", Text),
    Column("sealed", Text),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("finished_at", Text),
    Column("cancel_requested_at", Text),
    Index("idx_runs_created", "created_at"),
    Index("idx_runs_status", "status", "created_at"),
)

RUN_RECORDS = Table(
    "run_records",
    METADATA,
    Column("run_id", Text, ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("body", Text, nullable=False),
    Index("idx_run_records_position", "run_id", "kind", "position"),
)

RUN_EVENTS = Table(
    "run_events",
    METADATA,
    Column("run_id", Text, ForeignKey("runs.run_id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("event_type", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("at", Text, nullable=False),
)

VECTOR_NAMESPACES = Table(
    "vector_namespaces",
    METADATA,
    Column("namespace", Text, primary_key=True),
    Column("dimension", Integer, nullable=False),
    # A new value at each change, by which a process sees that the matrix it holds in memory is old.
    Column("stamp", Text, nullable=False),
    # The index that proposes neighbours in this namespace; see averment.store.search.hnsw.
    Column("near", Text),
)

# Built by the migrations on SQLite only. On Postgres the column needs the pgvector extension, so that table is built
# when vectors are first used, and a server without pgvector still serves everything else.
VECTORS = Table(
    "vectors",
    METADATA,
    Column("namespace", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
    Column("body", Text, nullable=False),
    ForeignKeyConstraint(["namespace"], ["vector_namespaces.namespace"], ondelete="CASCADE"),
)

RECIPE_METADATA = MetaData()

RECIPES = Table(
    "recipes",
    RECIPE_METADATA,
    Column("recipe_id", Text, primary_key=True),
    Column("schema_fingerprint", Text, nullable=False),
    Column("intent_template", Text, nullable=False),
    Column("intent_embedding", LargeBinary, nullable=False),
    Column("plan_structure", Text, nullable=False),
    Column("tool_argument_templates", Text, nullable=False),
    Column("success_count", Integer, server_default="1"),
    Column("created_at", Text, nullable=False),
    Column("last_used_at", Text, nullable=False),
    Index("idx_schema_fp", "schema_fingerprint"),
    Index("idx_last_used", text("last_used_at DESC")),
)

# Word for word the statement of the analyst contract, so that the file is the one it draws.
SQLITE_RECIPES = (
    """CREATE TABLE IF NOT EXISTS recipes (
    recipe_id TEXT PRIMARY KEY,
    schema_fingerprint TEXT NOT NULL,
    intent_template TEXT NOT NULL,
    intent_embedding BLOB NOT NULL,
    plan_structure TEXT NOT NULL,
    tool_argument_templates TEXT NOT NULL,
    success_count INTEGER DEFAULT 1,
    created_at TEXT NOT NULL,
    last_used_at TEXT NOT NULL
)""",
    "CREATE INDEX IF NOT EXISTS idx_schema_fp ON recipes(schema_fingerprint)",
    "CREATE INDEX IF NOT EXISTS idx_last_used ON recipes(last_used_at DESC)",
)
