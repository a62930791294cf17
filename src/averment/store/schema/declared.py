"""How a table of the main database is declared: its name, its columns, and its indexes by what they are for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Float, Index, Integer, LargeBinary, MetaData, Table, Text
from sqlalchemy.schema import SchemaItem

from averment.store.schema.columns import Kind

METADATA = MetaData()


KINDS: dict[str, Kind] = {
    "": Text,
    "int": Integer,
    "bigint": BigInteger,
    "float": Float,
    "bool": Boolean,
    "bytes": LargeBinary,
}


def table(
    name: str, *parts: SchemaItem | Iterable[Column[Any]] | str, never_again: bool = False, **indexes: str
) -> Table:
    """The table of that name, with its columns and constraints in this order.

    A text lists plain columns: ``title`` holds a text, ``size:int`` a number, and ``due?`` may be empty.
    Each of the ``indexes`` is named after the table and its keyword, over the columns that it lists. With
    ``never_again``, an id that was given is not given to a later row, not even when its own has gone.
    """
    items = [item for part in parts for item in _items(part)]
    over = [Index(f"idx_{name}_{use}", *columns.split()) for use, columns in indexes.items()]
    return Table(name, METADATA, *items, *over, sqlite_autoincrement=never_again)


def _items(part: SchemaItem | Iterable[Column[Any]] | str) -> Iterable[SchemaItem]:
    if isinstance(part, str):
        return [_column(word) for word in part.split()]
    return [part] if isinstance(part, SchemaItem) else part


def _column(word: str) -> Column[Any]:
    name, _, kind = word.removesuffix("?").partition(":")
    return Column(name, KINDS[kind], nullable=word.endswith("?"))
