"""Sources that stay where they are: Parquet files, DuckDB and SQLite database files. Only their schemas are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from averment.errors import SourceUnreadable
from averment.tables.catalog import ColumnInfo, TableInfo
from averment.tables.engines.backend import quote as quote_name
from averment.tables.engines.backend import quote_text
from averment.tables.engines.extensions import load_extension

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SQLITE_SECONDS = 5


def inspect_parquet(files: Sequence[str], label: str) -> list[TableInfo]:
    """The one table that the Parquet files hold together.

    Raises:
        SourceUnreadable: a file is broken, or the files do not have the same columns.
    """
    import duckdb

    listed = ", ".join(quote_text(file) for file in files)
    try:
        with duckdb.connect() as connection:
            described = connection.execute(f"DESCRIBE SELECT * FROM read_parquet([{listed}])").fetchall()
            row = connection.execute(f"SELECT count(*) FROM read_parquet([{listed}])").fetchone()
            for file in files[1:]:
                other = connection.execute(f"DESCRIBE SELECT * FROM read_parquet({quote_text(file)})").fetchall()
                if [(item[0], item[1]) for item in other] != [(item[0], item[1]) for item in described]:
                    raise SourceUnreadable(f"{Path(file).name} has different columns from {Path(files[0]).name}.")
    except duckdb.Error as error:
        raise SourceUnreadable(f"The Parquet data cannot be read: {str(error).splitlines()[0]}") from error
    columns = tuple(ColumnInfo(name=str(name), type=str(kind), original_name=str(name)) for name, kind, *_ in described)
    return [TableInfo(name="data", columns=columns, row_count=int(row[0]) if row else 0, source=label)]


def inspect_duckdb(path: Path, label: str) -> list[TableInfo]:
    """The tables and views of a DuckDB file, each view with its SQL.

    Raises:
        SourceUnreadable: it is broken, locked or of a newer version.
    """
    import duckdb

    try:
        with duckdb.connect(config=_LOCKED) as connection:
            connection.execute(f"ATTACH {quote_text(str(path))} AS source (READ_ONLY)")
            return _engine_tables(connection, "source", label)
    except duckdb.Error as error:
        raise SourceUnreadable(f"{path.name} cannot be opened: {str(error).splitlines()[0]}") from error


_LOCKED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
}


def _engine_tables(connection: DuckDBPyConnection, database: str, label: str) -> list[TableInfo]:
    """Tables and views that the engine sees in an attached database, in the order of their names."""
    columns: dict[tuple[str, str], list[ColumnInfo]] = {}
    for schema, table, name, kind in connection.execute(
        "SELECT schema_name, table_name, column_name, data_type FROM duckdb_columns() "
        "WHERE database_name = ? AND NOT internal ORDER BY schema_name, table_name, column_index",
        [database],
    ).fetchall():
        columns.setdefault((schema, table), []).append(ColumnInfo(name=name, type=kind, original_name=name))
    views = {
        (schema, name): sql
        for schema, name, sql in connection.execute(
            "SELECT schema_name, view_name, sql FROM duckdb_views() WHERE database_name = ? AND NOT internal",
            [database],
        ).fetchall()
    }
    found: list[TableInfo] = []
    for (schema, name), items in columns.items():
        rows = None
        if (schema, name) not in views:
            place = ".".join(quote_name(part) for part in (database, schema, name))
            row = connection.execute(f"SELECT count(*) FROM {place}").fetchone()
            rows = int(row[0]) if row else None
        shown = name if schema == "main" else f"{schema}.{name}"
        found.append(
            TableInfo(
                name=shown,
                columns=tuple(items),
                row_count=rows,
                source=label,
                origin=(schema, name),
                view_sql=views.get((schema, name)),
            )
        )
    return found


def inspect_sqlite(path: Path, label: str, *, by_engine: bool) -> list[TableInfo]:
    """The tables and views of a SQLite file, each view with its SQL.

    ``by_engine``: with the types that the engine gives them, for a catalog that mixes it with other sources.

    Raises:
        SourceUnreadable: it is broken, encrypted or locked.
    """
    try:
        with sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=_SQLITE_SECONDS) as connection:
            connection.execute("PRAGMA trusted_schema = OFF")
            listed = connection.execute(
                "SELECT name, type, sql FROM sqlite_master "
                "WHERE type IN ('table', 'view') AND substr(name, 1, 7) <> 'sqlite_' ORDER BY name"
            ).fetchall()
            tables = [_sqlite_table(connection, str(name), kind == "view", sql, label) for name, kind, sql in listed]
    except sqlite3.Error as error:
        raise SourceUnreadable(f"{path.name} cannot be opened: {error}.") from error
    usable = [table for table in tables if table.columns]
    return _with_engine_types(path, usable) if by_engine else usable


def _sqlite_table(connection: sqlite3.Connection, name: str, view: bool, sql: str | None, label: str) -> TableInfo:
    described = connection.execute(f"PRAGMA table_xinfo({quote_name(name)})").fetchall()
    columns = tuple(
        ColumnInfo(name=str(row[1]), type=str(row[2]).upper() or "ANY", original_name=str(row[1]))
        for row in described
        if row[6] != 1
    )
    rows = None if view else int(connection.execute(f"SELECT count(*) FROM {quote_name(name)}").fetchone()[0])
    return TableInfo(
        name=name, columns=columns, row_count=rows, source=label, origin=("main", name), view_sql=sql if view else None
    )


def _with_engine_types(path: Path, tables: list[TableInfo]) -> list[TableInfo]:
    import duckdb

    try:
        with duckdb.connect(config=_LOCKED) as connection:
            load_extension(connection, "sqlite_scanner")
            connection.execute(f"ATTACH {quote_text(str(path))} AS source (READ_ONLY, TYPE sqlite)")
            seen = {table.name: _described(connection, ("source", "main", table.name)) for table in tables}
    except duckdb.Error as error:
        raise SourceUnreadable(f"{path.name} cannot be opened: {str(error).splitlines()[0]}") from error
    return [replace(table, columns=seen[table.name]) for table in tables]


def _described(connection: DuckDBPyConnection, place: tuple[str, ...]) -> tuple[ColumnInfo, ...]:
    where = ".".join(quote_name(part) for part in place)
    rows = connection.execute(f"DESCRIBE SELECT * FROM {where}").fetchall()
    return tuple(ColumnInfo(name=str(name), type=str(kind), original_name=str(name)) for name, kind, *_ in rows)
