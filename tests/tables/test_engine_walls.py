"""The walls behind the guard: what the locked engines refuse by themselves, and sources that are not what they were."""

from __future__ import annotations

import dataclasses
import os
import runpy
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from averment.errors import SourceChanged, SourceUnreadable, SourceVanished, SqlRefused, ToolError
from averment.settings import Settings
from averment.tables.engines.engine import Engine

opened = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("opened.py"))))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("walls")


@pytest.fixture(scope="module")
def duck(folder):
    with Engine(opened.duckdb_catalog(folder), Settings(home=folder)) as engine:
        yield engine


@pytest.fixture(scope="module")
def lite(folder):
    with Engine(opened.sqlite_catalog(folder), Settings(home=folder)) as engine:
        yield engine


@pytest.fixture
def postgres(new_postgres, tmp_path):
    with Engine(opened.postgres_catalog(new_postgres()), Settings(home=tmp_path)) as engine:
        yield engine


@pytest.mark.postgres
def test_a_postgres_session_gives_up_the_rights_it_does_not_need(postgres, monkeypatch):
    postgres.run("SELECT 1")
    for sql in ("SELECT lo_create(0)", "DELETE FROM sales", "SELECT pg_read_file('/etc/hostname')"):
        monkeypatch.setattr(postgres, "check", lambda _, sql=sql: _let_through(postgres, sql))
        with pytest.raises((SqlRefused, ToolError)):
            postgres.run(sql)
    monkeypatch.undo()
    assert postgres.run("SELECT count(*) AS n FROM sales").table.column("n")[0].as_py() == 40


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM customers_private",
        "SELECT load_extension('x')",
        "PRAGMA query_only = OFF",
        "ATTACH ':memory:' AS m",
        "DELETE FROM sales",
        "CREATE TEMP TABLE t(a)",
        "SELECT name FROM sqlite_master",
    ],
)
def test_sqlite_refuses_by_itself_what_the_guard_would_refuse(lite, monkeypatch, sql):
    monkeypatch.setattr(lite, "check", lambda _: _let_through(lite, sql))
    with pytest.raises(SqlRefused):
        lite.run(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT content FROM read_text('/etc/hostname')",
        "COPY sales TO '/tmp/averment-must-not-exist.csv'",
        "ATTACH '/tmp/averment-must-not-exist.db'",
        "SET enable_external_access = true",
        "SET threads = 8",
        "INSTALL httpfs",
        "LOAD httpfs",
        "INSERT INTO source_0.main.sales SELECT * FROM source_0.main.sales",
        "SELECT * FROM opened",
    ],
)
def test_duckdb_refuses_by_itself_what_the_guard_would_refuse(duck, monkeypatch, sql):
    monkeypatch.setattr(duck, "check", lambda _: _let_through(duck, sql))
    with pytest.raises((SqlRefused, ToolError, SourceUnreadable)):
        duck.run(sql)
    assert not Path("/tmp/averment-must-not-exist.csv").exists()


def _let_through(engine, sql):
    """What the guard would have said about a harmless query, with the hostile text in its place."""
    harmless = Engine.check(engine, "SELECT 1")
    return dataclasses.replace(harmless, sql=sql, engine_sql=sql)


def test_a_source_that_vanished_is_named(tmp_path):
    catalog = opened.sqlite_catalog(tmp_path)
    with Engine(catalog, Settings(home=tmp_path)) as engine:
        engine.run("SELECT 1 FROM sales")
        (tmp_path / "fixture.db").unlink()
        with pytest.raises(SourceVanished):
            engine.run("SELECT 1 FROM sales")


def test_a_source_that_changed_is_named(tmp_path):
    catalog = opened.sqlite_catalog(tmp_path)
    with Engine(catalog, Settings(home=tmp_path)) as engine:
        engine.run("SELECT 1 FROM sales")
        connection = sqlite3.connect(tmp_path / "fixture.db")
        connection.execute("DELETE FROM sales WHERE id = 1")
        connection.commit()
        connection.close()
        os.utime(tmp_path / "fixture.db", ns=(0, 0))
        with pytest.raises(SourceChanged):
            engine.run("SELECT 1 FROM sales")


def test_a_source_that_cannot_be_opened_is_named(tmp_path):
    broken = tmp_path / "broken.duckdb"
    broken.write_bytes(b"this is no database")
    catalog = opened.catalog("duckdb", "duckdb", str(broken), opened.schema("duckdb"), "main")
    with Engine(catalog, Settings(home=tmp_path)) as engine, pytest.raises(SourceUnreadable):
        engine.run("SELECT 1")


def test_parquet_files_are_read_in_place_and_no_others(tmp_path, monkeypatch):
    data = tmp_path / "data"
    data.mkdir()
    for number in range(3):
        pq.write_table(pa.table({"n": [number], "Full Name": [f"row {number}"]}), data / f"part{number}.parquet")
    pq.write_table(pa.table({"n": [99]}), tmp_path / "other.parquet")
    catalog = opened.catalog(
        "duckdb", "parquet", str(data / "*.parquet"), {"parts": {"n": "BIGINT", "Full Name": "VARCHAR"}}, ""
    )
    with Engine(catalog, Settings(home=tmp_path)) as engine:
        assert engine.run("SELECT sum(n) AS s FROM parts").table.column("s")[0].as_py() == 3
        hostile = f"SELECT * FROM read_parquet('{tmp_path / 'other.parquet'}')"
        monkeypatch.setattr(engine, "check", lambda _: _let_through(engine, hostile))
        with pytest.raises((SqlRefused, ToolError)):
            engine.run(hostile)


def test_a_sqlite_file_can_be_read_through_duckdb_beside_others(tmp_path):
    duck = opened.duckdb_catalog(tmp_path)
    lite = opened.sqlite_catalog(tmp_path)
    tables = tuple(
        dataclasses.replace(table, name=f"lite_{table.name}")
        for table in lite.sources[0].tables
        if table.name == "sales"
    )
    source = dataclasses.replace(lite.sources[0], label="lite", tables=tables)
    mixed = dataclasses.replace(duck, sources=(*duck.sources, source))
    with Engine(mixed, Settings(home=tmp_path)) as engine:
        result = engine.run("SELECT count(*) AS n FROM sales JOIN lite_sales USING (id)")
        assert result.table.column("n")[0].as_py() == 40
