"""The table of the processes that carry runs out, as its store speaks of it."""

from __future__ import annotations

from averment.store.schema.columns import keys
from averment.store.schema.declared import table

WORKERS = table("workers", keys("worker_id"), "host role concurrency:int beats:bigint running:int started_at")
