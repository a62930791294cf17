"""The table of the processes that carry runs out, as its store speaks of it."""

from __future__ import annotations

from sqlalchemy import BigInteger, Integer

from averment.store.schema.columns import keys, required
from averment.store.schema.declared import table

WORKERS = table(
    "workers",
    keys("worker_id"),
    required("host", "role"),
    required("concurrency", kind=Integer),
    required("beats", kind=BigInteger),
    required("running", kind=Integer),
    required("started_at"),
)
