"""Relations between tables: declared keys, keys told by name and inclusion, and the paths along them."""

import sqlite3
from pathlib import Path

from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.profile.profiler import profile
from averment.tables.profile.relationships import TableRelation, join_path, relate
from averment.tables.sources.opening import open_sources


def related(path: Path, cache: Path, script: str) -> tuple[TableRelation, ...]:
    with sqlite3.connect(path) as made:
        made.executescript(script)
    engine = Engine(open_sources([path], settings=Settings(), cache_dir=cache), Settings())
    try:
        return relate(engine, [profile(engine, table.name) for table in engine.catalog.tables])
    finally:
        engine.close()


def test_a_declared_key_is_known(tmp_path: Path) -> None:
    found = related(
        tmp_path / "a.sqlite",
        tmp_path / "cache",
        "CREATE TABLE dogs (tag TEXT PRIMARY KEY); CREATE TABLE visits (beast TEXT REFERENCES dogs(tag));"
        "INSERT INTO dogs VALUES ('x'),('y'); INSERT INTO visits VALUES ('x');",
    )
    assert found == (TableRelation("visits", "beast", "dogs", "tag", declared=True),)


def test_a_key_is_inferred_by_name_and_inclusion(tmp_path: Path) -> None:
    found = related(
        tmp_path / "b.sqlite",
        tmp_path / "cache",
        "CREATE TABLE customers (id INTEGER, name TEXT); CREATE TABLE sales (customer_id INTEGER, price REAL);"
        "INSERT INTO customers VALUES (1,'a'),(2,'b'); INSERT INTO sales VALUES (1,2.5),(2,3.5),(1,1.5);",
    )
    assert found == (TableRelation("sales", "customer_id", "customers", "id"),)


def test_a_name_alone_is_not_enough(tmp_path: Path) -> None:
    found = related(
        tmp_path / "c.sqlite",
        tmp_path / "cache",
        "CREATE TABLE customers (id INTEGER, name TEXT); CREATE TABLE sales (customer_id INTEGER, price REAL);"
        "INSERT INTO customers VALUES (1,'a'),(2,'b'); INSERT INTO sales VALUES (71,2.5),(82,3.5),(93,1.5);",
    )
    assert found == ()


def test_a_path_leads_over_several_tables() -> None:
    relations = [TableRelation("b", "a_id", "a", "id"), TableRelation("b", "c_id", "c", "id")]
    path = join_path(relations, ["a", "c"])
    assert path == [TableRelation("a", "id", "b", "a_id"), TableRelation("b", "c_id", "c", "id")]
    assert join_path(relations, ["a", "z"]) is None
