"""Catalogs over the small analytic database of the guard's corpus, in each of the three engines."""

from __future__ import annotations

import runpy
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from averment.tables.catalog import Attach, Catalog, ColumnInfo, Dialect, OpenedSource, TableInfo
from averment.tables.sources.fingerprint import fingerprint_tables

CORPUS = Path(__file__).resolve().parent.parent / "hostile" / "data" / "sql_guard"
FIXTURE: dict[str, Any] = runpy.run_path(str(CORPUS / "fixture.py"))
VIEW = "CREATE VIEW v_sales AS SELECT state, amount FROM sales"

_COLUMNS = {
    "sales": "id:int order_date:date state:text region:text product_id:int quantity:int amount:float channel:text "
    "customer_id:int",
    "products": "product_id:int name:text category:text price:float cost:float",
    "customers": "customer_id:int name:text email:text signup_date:date segment:text country:text",
    "events": "event_id:int user_id:int event_type:text ts:stamp payload:doc",
    "v_sales": "state:text amount:float",
}
_TYPES: dict[Dialect, dict[str, str]] = {
    "duckdb": {
        "int": "INTEGER",
        "date": "DATE",
        "text": "VARCHAR",
        "float": "DOUBLE",
        "stamp": "TIMESTAMP",
        "doc": "JSON",
    },
    "sqlite": {
        "int": "INTEGER",
        "date": "TEXT",
        "text": "TEXT",
        "float": "DOUBLE PRECISION",
        "stamp": "TEXT",
        "doc": "TEXT",
    },
    "postgres": {
        "int": "integer",
        "date": "date",
        "text": "text",
        "float": "double precision",
        "stamp": "timestamp without time zone",
        "doc": "jsonb",
    },
}


def ordinary(dialect: Dialect) -> list[str]:
    """Ordinary analytics over the fixture's tables, one statement a line: all of it must pass the guard and run."""
    folder = Path(__file__).resolve().parent / "data"
    return [
        statement
        for name in ("everywhere", dialect)
        for statement in (folder / f"ordinary_{name}.sql").read_text(encoding="utf-8").splitlines()
    ]


def schema(dialect: Dialect) -> dict[str, dict[str, str]]:
    """Table → column → type of the tables that may be queried."""
    types = _TYPES[dialect]
    return {
        table: {name: types[kind] for name, kind in (part.split(":") for part in columns.split())}
        for table, columns in _COLUMNS.items()
    }


def catalog(
    dialect: Dialect, attach: Attach, path: str, tables: Mapping[str, Mapping[str, str]], origin: str
) -> Catalog:
    """A catalog of one source whose tables lie in one schema."""
    infos = tuple(
        TableInfo(
            name=name,
            columns=tuple(ColumnInfo(name=c, type=kind, original_name=c) for c, kind in columns.items()),
            row_count=None,
            source="fixture",
            origin=(origin, name) if attach != "parquet" else (),
            view_sql=VIEW if name == "v_sales" else None,
        )
        for name, columns in tables.items()
    )
    source = OpenedSource(
        label="fixture",
        format=attach,
        location=path,
        attach=attach,
        attach_path=path,
        content_sha256="0" * 64,
        size_bytes=None,
        tables=infos,
        notes=(),
        fingerprint=fingerprint_tables([list(columns.items()) for columns in tables.values()]),
    )
    return Catalog(sources=(source,), dialect=dialect)


def duckdb_catalog(folder: Path) -> Catalog:
    """The fixture in a DuckDB file."""
    import duckdb

    path = folder / "fixture.duckdb"
    with duckdb.connect(str(path)) as connection:
        for statement in [*FIXTURE["statements"]("duckdb"), VIEW]:
            connection.execute(statement)
    return catalog("duckdb", "duckdb", str(path), schema("duckdb"), "main")


def sqlite_catalog(folder: Path) -> Catalog:
    """The fixture in a SQLite file."""
    path = folder / "fixture.db"
    connection = sqlite3.connect(path)
    for statement in FIXTURE["statements"]("sqlite"):
        connection.execute(statement)
    connection.commit()
    connection.close()
    return catalog("sqlite", "sqlite", str(path), schema("sqlite"), "main")


def postgres_catalog(url: str) -> Catalog:
    """The fixture in a Postgres database."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        for statement in FIXTURE["statements"]("postgres"):
            connection.execute(statement)
    return catalog("postgres", "postgres", url, schema("postgres"), "public")
