"""How a table of the main database is declared: its name, its columns, and its indexes by what they are for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Column, Index, MetaData, Table
from sqlalchemy.schema import SchemaItem

METADATA = MetaData()


def table(name: str, *parts: SchemaItem | Iterable[Column[Any]], never_again: bool = False, **indexes: str) -> Table:
    """The table of that name, with its columns and constraints in this order.

    Each of the ``indexes`` is named after the table and its keyword, over the columns that it lists. With
    ``never_again``, an id that was given is not given to a later row, not even when its own has gone.
    """
    items = [item for part in parts for item in ([part] if isinstance(part, SchemaItem) else part)]
    over = [Index(f"idx_{name}_{use}", *columns.split()) for use, columns in indexes.items()]
    return Table(name, METADATA, *items, *over, sqlite_autoincrement=never_again)
