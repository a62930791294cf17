"""Sources that stay where they are: Parquet, DuckDB, SQLite and Postgres, with their schemas and views."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from averment.errors import SourceEmpty, SourceNotFound, SourceUnreadable, UnsupportedSource
from averment.settings import Settings
from averment.tables.catalog import Catalog
from averment.tables.engines.engine import Engine
from averment.tables.sources.locations import full_url, remember_url
from averment.tables.sources.opening import open_sources


def _open(folder, *specs):
    return open_sources([str(spec) for spec in specs], settings=Settings(), cache_dir=folder / "cache")


def _parquet(path, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path)
    return path


def _sqlite(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, amount REAL, note TEXT)")
        connection.execute("INSERT INTO orders VALUES (1, 2.5, 'x'), (2, 3.5, 'y')")
        connection.execute("CREATE VIEW big AS SELECT id FROM orders WHERE amount > 3")
    connection.close()
    return path


def test_a_parquet_file_is_used_in_place(tmp_path):
    catalog = _open(tmp_path, _parquet(tmp_path / "Sales 2024.parquet", a=[1, 2], b=["x", "y"]))
    source = catalog.sources[0]
    assert (source.attach, catalog.dialect) == ("parquet", "duckdb")
    assert catalog.schema() == {"sales_2024": {"a": "BIGINT", "b": "VARCHAR"}}
    assert catalog.tables[0].row_count == 2


def test_a_folder_of_parquet_files_is_one_table_whose_hash_follows_its_files(tmp_path):
    folder = tmp_path / "events"
    _parquet(folder / "p=1" / "a.parquet", v=[1])
    _parquet(folder / "p=2" / "b.parquet", v=[2, 3])
    first = _open(tmp_path, folder).sources[0]
    assert first.tables[0].row_count == 3
    _parquet(folder / "p=2" / "b.parquet", v=[2, 4])
    assert _open(tmp_path, folder).sources[0].content_sha256 != first.content_sha256


def test_parquet_files_with_other_columns_are_refused(tmp_path):
    folder = tmp_path / "events"
    _parquet(folder / "a.parquet", v=[1])
    _parquet(folder / "b.parquet", w=["x"])
    with pytest.raises(SourceUnreadable):
        _open(tmp_path, folder)


def test_a_folder_without_parquet_is_no_source(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnsupportedSource):
        _open(tmp_path, tmp_path / "empty")


def test_a_duckdb_file_shows_tables_and_views(tmp_path):
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("CREATE TABLE orders AS SELECT 1 AS id, 2.50::DECIMAL(9,2) AS amount")
        connection.execute("CREATE VIEW ids AS SELECT id FROM orders")
        connection.execute("CREATE SCHEMA old; CREATE TABLE old.orders AS SELECT 'x' AS t")
    catalog = _open(tmp_path, path)
    assert catalog.table("orders").columns[1].type == "DECIMAL(9,2)"
    assert "SELECT" in (catalog.table("ids").view_sql or "").upper()
    assert catalog.table("old.orders").origin == ("old", "orders")


def test_a_sqlite_file_alone_speaks_sqlite(tmp_path):
    catalog = _open(tmp_path, _sqlite(tmp_path / "shop.db"))
    assert catalog.dialect == "sqlite"
    assert catalog.schema()["orders"] == {"id": "INTEGER", "amount": "REAL", "note": "TEXT"}
    assert "CREATE VIEW" in (catalog.table("big").view_sql or "")


def test_sqlite_beside_a_file_is_read_by_the_one_engine(tmp_path):
    (tmp_path / "orders.csv").write_text("id,v\n1,2\n2,5\n")
    catalog = _open(tmp_path, _sqlite(tmp_path / "shop.sqlite"), tmp_path / "orders.csv")
    assert catalog.dialect == "duckdb"
    assert set(catalog.schema()) == {"orders", "big", "orders_2"}
    with Engine(catalog, Settings()) as engine:
        sql = "SELECT sum(o.amount * n.v) AS t FROM orders o JOIN orders_2 n ON n.id = o.id"
        assert engine.run(sql, row_limit=10).table.to_pylist() == [{"t": 22.5}]


def test_a_file_opened_here_answers_queries(tmp_path):
    (tmp_path / "sales.csv").write_text("region,amount\nNorth,0.10\nSouth,0.20\nNorth,0.30\n")
    with Engine(_open(tmp_path, tmp_path / "sales.csv"), Settings()) as engine:
        sql = "SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY region"
        rows = engine.run(sql, row_limit=10).table.to_pylist()
    assert [(row["region"], str(row["total"])) for row in rows] == [("North", "0.40"), ("South", "0.20")]


@pytest.mark.parametrize("name", ["broken.sqlite", "broken.duckdb", "broken.parquet"])
def test_a_broken_database_file_is_refused(tmp_path, name):
    head = {"broken.sqlite": b"SQLite format 3\x00", "broken.duckdb": b"\x00" * 8 + b"DUCK", "broken.parquet": b"PAR1"}
    (tmp_path / name).write_bytes(head[name] + os.urandom(4_000))
    with pytest.raises(SourceUnreadable):
        _open(tmp_path, tmp_path / name)


def test_a_database_without_tables_is_empty(tmp_path):
    sqlite3.connect(tmp_path / "none.sqlite").execute("PRAGMA user_version = 1").connection.close()
    with pytest.raises(SourceEmpty):
        _open(tmp_path, tmp_path / "none.sqlite")


@pytest.mark.parametrize("spec", ["mysql://u@h/d", "s3://bucket/x.parquet", "http://h/x.csv"])
def test_other_urls_are_not_supported(tmp_path, spec):
    with pytest.raises(UnsupportedSource):
        _open(tmp_path, spec)


def test_a_password_stays_out_of_everything_that_is_written(tmp_path):
    safe = remember_url("postgresql+psycopg://ann:s3cret@db.example:5433/shop?password=s3cret&sslmode=require")
    assert "s3cret" not in safe
    assert safe == "postgresql://ann@db.example:5433/shop?sslmode=require"
    assert "s3cret" in full_url(safe)


def test_a_server_that_is_not_there_is_told_without_the_password(tmp_path):
    with pytest.raises(SourceNotFound) as caught:
        _open(tmp_path, "postgresql://ann:s3cret@127.0.0.1:1/shop")
    assert "s3cret" not in str(caught.value.as_dict())


@pytest.mark.postgres
def test_a_postgres_schema_is_read_with_its_views(tmp_path, new_postgres):
    import psycopg

    url = new_postgres()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE orders (id int, amount numeric(12,2), at timestamptz)")
        connection.execute("CREATE VIEW big AS SELECT id FROM orders WHERE amount > 3")
        connection.execute("CREATE SCHEMA old")
        connection.execute("CREATE TABLE old.orders (t text)")
    catalog = _open(tmp_path, url)
    assert catalog.dialect == "postgres"
    assert catalog.schema()["orders"] == {"id": "integer", "amount": "numeric(12,2)", "at": "timestamp with time zone"}
    assert "orders" in (catalog.table("big").view_sql or "")
    assert catalog.table("old.orders").origin == ("old", "orders")
    assert Catalog.from_json(catalog.to_json()) == catalog


@pytest.mark.postgres
def test_postgres_beside_a_file_is_refused_with_a_hint(tmp_path, new_postgres):
    (tmp_path / "a.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UnsupportedSource):
        _open(tmp_path, new_postgres(), tmp_path / "a.csv")


def test_a_source_named_by_a_request_is_found(tmp_path):
    class Named:
        type = "csv"
        file_path: str | None = str(tmp_path / "export.out")
        connection_string: str | None = None

    Path(str(Named.file_path)).write_text("a,b\n1,2\n")
    catalog = open_sources([Named()], settings=Settings(), cache_dir=tmp_path / "cache")
    assert catalog.schema() == {"export": {"a": "BIGINT", "b": "BIGINT"}}
