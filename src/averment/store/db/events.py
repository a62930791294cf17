"""Events that are numbered within what they belong to: a run, a conversation."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Table, select

from averment.store.db.text import from_json

if TYPE_CHECKING:
    from averment.store.db.database import Database


def events_after(
    database: Database, table: Table, owner: ColumnElement[bool], *, after: int, limit: int
) -> list[dict[str, Any]]:
    """The rows of one owner whose number is over ``after``, in order, with their bodies and times read."""
    query = select(table).where(owner, table.c.seq > after).order_by(table.c.seq).limit(limit)
    with database.read() as connection:
        return [
            {**row, "body": from_json(row["body"]), "at": datetime.fromisoformat(row["at"])}
            for row in connection.execute(query).mappings()
        ]
