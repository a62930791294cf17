"""The tables of what the writers of one database gathered of their logs, as their store speaks of them."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Text

from averment.store.schema.columns import keys
from averment.store.schema.declared import table

LEDGER_WRITERS = table("ledger_writers", keys("writer_id"), "host key joined_at")

LEDGER_LINES = table(
    "ledger_lines",
    Column("writer_id", Text, ForeignKey("ledger_writers.writer_id"), primary_key=True),
    Column("sequence_number", BigInteger, primary_key=True, autoincrement=False),
    "request_id line",
    request="request_id",
)

LEDGER_CHECKPOINTS = table(
    "ledger_checkpoints",
    Column("writer_id", Text, ForeignKey("ledger_writers.writer_id"), primary_key=True),
    Column("size", BigInteger, primary_key=True, autoincrement=False),
    # A writer that forked signs two of one size, and one that changes its key does too: none of them is lost.
    keys("note_sha256"),
    "root signer note kept_at",
)
