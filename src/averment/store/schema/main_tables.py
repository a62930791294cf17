"""The tables of the main database, as the stores speak of them.

The migrations build these tables; a test holds the two together. Times are ISO 8601 text in UTC ending in ``Z`` and
structures are JSON text, so that both databases hold the same bytes and order them alike.
"""

from __future__ import annotations

from sqlalchemy import (
    Column,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    text,
)

from averment.store.schema.columns import keys, owner_key, required
from averment.store.schema.declared import METADATA as METADATA
from averment.store.schema.declared import table

SCHEMA_VERSION = "0015"
"""The newest migration. Known without alembic, so that opening an up-to-date database does not import it."""

VERSION_TABLE = "averment_version"
"""Where alembic notes the version; its own name, so that another program's alembic table is left alone."""

RUNS = table(
    "runs",
    keys("run_id"),
    "kind status intent request reading? plan? answer? error? sealed? created_at updated_at",
    "finished_at? cancel_requested_at?",
    created="created_at",
    status="status created_at",
)

RUN_RECORDS = table(
    "run_records",
    owner_key("run_id", "runs.run_id"),
    keys("kind", "key"),
    "position:int body",
    position="run_id kind position",
)

RUN_EVENTS = table("run_events", owner_key("run_id", "runs.run_id"), keys("seq", kind=Integer), "event_type body at")

VECTOR_NAMESPACES = table(
    "vector_namespaces",
    keys("namespace"),
    "dimension:int",
    # A new value at each change, by which a process sees that the matrix it holds in memory is old.
    "stamp",
    # The index that proposes neighbours in this namespace; see averment.store.search.hnsw.
    "near?",
)

# Built by the migrations on SQLite only. On Postgres the column needs the pgvector extension, so that table is built
# when vectors are first used, and a server without pgvector still serves everything else.
VECTORS = table(
    "vectors",
    keys("namespace", "key"),
    "vector:bytes body",
    ForeignKeyConstraint(["namespace"], ["vector_namespaces.namespace"], ondelete="CASCADE"),
)

RECIPE_METADATA = MetaData()

RECIPES = Table(
    "recipes",
    RECIPE_METADATA,
    *keys("recipe_id"),
    *required("schema_fingerprint", "intent_template"),
    *required("intent_embedding", kind=LargeBinary),
    *required("plan_structure", "tool_argument_templates"),
    Column("success_count", Integer, server_default="1"),
    *required("created_at", "last_used_at"),
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
