"""The hostile and benign SQL of the guard's corpus: decided on paper, then run against the locked engines."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from averment.errors import AvermentError, MemoryExceeded, QueryTimeout, SourceError, ToolError
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.guard.statement import guard

HERE = Path(__file__).parent
DATA = HERE / "data" / "sql_guard"
opened = SimpleNamespace(**runpy.run_path(str(HERE.parent / "tables" / "opened.py")))

DIALECTS = ("duckdb", "sqlite", pytest.param("postgres", marks=pytest.mark.postgres))
CANARY = opened.FIXTURE["CANARY"]


def _rows(name):
    # Not splitlines: the corpus holds separators that it would split at.
    return [json.loads(line) for line in (DATA / name).read_text(encoding="utf-8").split("\n") if line.strip()]


def _text(case, folder):
    sql = case["sql"] if "sql" in case else "".join(text * times for text, times in case["sql_parts"])
    return sql.replace("@FIXTURE@", str(folder))


GOLD = {row["id"]: row for row in _rows("gold.jsonl")}
CASES = _rows("cases.jsonl")


def _passes(sql, dialect):
    try:
        guard(sql, dialect=dialect, schema=opened.schema(dialect))
    except AvermentError as error:
        assert error.code in {"SQL_REFUSED", "SQL_SYNTAX", "MISSING_TABLE", "MISSING_COLUMN"}
        return False
    return True


@pytest.mark.seed("A-096")
def test_every_hostile_statement_is_refused():
    let_through = [
        case["id"]
        for case in CASES
        if GOLD[case["id"]]["expect"] == "block"
        and GOLD[case["id"]]["stage"] == "static"
        and _passes(_text(case, "/tmp/fixture"), case["dialect"])
    ]
    assert let_through == []


def test_every_benign_statement_passes():
    refused = [
        case["id"]
        for case in CASES
        if GOLD[case["id"]]["expect"] == "allow" and not _passes(_text(case, "/tmp/fixture"), case["dialect"])
    ]
    assert refused == []


def _prints(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture
def canaries(tmp_path):
    folder = tmp_path / "canaries"
    folder.mkdir()
    opened.FIXTURE["files"](folder)
    return folder


@pytest.fixture
def catalog_of(request, tmp_path):
    def make(dialect):
        if dialect == "postgres":
            return opened.postgres_catalog(request.getfixturevalue("new_postgres")())
        data = tmp_path / "data"
        data.mkdir()
        return opened.duckdb_catalog(data) if dialect == "duckdb" else opened.sqlite_catalog(data)

    return make


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_the_locked_engine_alone_gives_no_canary_and_changes_nothing(dialect, catalog_of, canaries, tmp_path):
    """The second wall: the same hostile statements, sent to the engine as if there were no guard."""
    before = _prints(canaries)
    catalog = catalog_of(dialect)
    data = _prints(tmp_path / "data")
    with Engine(catalog, Settings(home=tmp_path, query_memory_mb=512)) as engine:
        harmless = engine.check("SELECT 1")
        for case in (case for case in CASES if case["dialect"] == dialect and GOLD[case["id"]]["class"] != "dos"):
            sql = _text(case, canaries)
            engine.check = lambda _, sql=sql: dataclasses.replace(harmless, sql=sql, engine_sql=sql)
            try:
                result = engine.run(sql, timeout=2, row_limit=1000)
            except (ToolError, SourceError, AvermentError) as error:
                assert not isinstance(error, MemoryExceeded | QueryTimeout) or "sleep" in sql, case["id"]
                continue
            assert CANARY not in str(result.table.to_pydict()), case["id"]
    assert _prints(canaries) == before
    assert _prints(tmp_path / "data") == data
