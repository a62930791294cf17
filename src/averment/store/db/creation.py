"""A new database on SQLite, made at once from the tables themselves.

The migrations would build the very same (a test holds the two together), one step after the other and with alembic
loaded first, which takes longer than all else that opening a home does.
"""

from __future__ import annotations

from importlib import import_module

from sqlalchemy import Connection, inspect, text

from averment.store.schema.main_tables import METADATA, SCHEMA_VERSION, VERSION_TABLE

_PARTS = ("chat", "knowledge", "ledgers", "research", "sessions", "workers")
"""The modules that declare tables beside ``schema`` itself, each named ``…_tables``."""


def is_empty(connection: Connection) -> bool:
    """Whether the database has no table at all."""
    return not inspect(connection).get_table_names()


def create_schema(connection: Connection) -> None:
    """Make every table and index of the newest schema in an empty database, and note its version."""
    for part in _PARTS:
        import_module(f"averment.store.schema.{part}_tables")
    METADATA.create_all(connection, checkfirst=False)
    connection.execute(
        text(
            f"CREATE TABLE {VERSION_TABLE} (\n\tversion_num VARCHAR(32) NOT NULL, \n\t"
            f"CONSTRAINT {VERSION_TABLE}_pkc PRIMARY KEY (version_num)\n)"
        )
    )
    connection.execute(text(f"INSERT INTO {VERSION_TABLE} VALUES (:version)"), {"version": SCHEMA_VERSION})
