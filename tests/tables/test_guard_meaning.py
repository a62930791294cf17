"""Writing a query back from its tree must not change what it answers: the same rows from both texts, in each engine."""

from __future__ import annotations

import runpy
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

from averment.tables.guard.statement import guard

opened = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("opened.py"))))


def _pairs(dialect):
    """Each ordinary statement without parameters that gives the same answer every time, before and after the guard."""
    for sql in opened.ordinary(dialect):
        passed = guard(sql, dialect=dialect, schema=opened.schema(dialect))
        if passed.deterministic and not passed.parameters and passed.kind == "query":
            yield sql, passed.sql


def _answers(execute, dialect):
    return [(sql, execute(sql), execute(written)) for sql, written in _pairs(dialect)]


def _columns(table):
    return [column.to_string(window=1_000) for column in table.columns]


def test_duckdb_answers_alike(tmp_path):
    path = opened.duckdb_catalog(tmp_path).sources[0].attach_path
    with duckdb.connect(path, read_only=True) as connection:
        connection.execute("SET threads = 1")
        answers = _answers(lambda sql: _columns(connection.execute(sql).to_arrow_table()), "duckdb")
    assert [sql for sql, before, after in answers if before != after] == []
    assert len(answers) > 80


def test_sqlite_answers_alike(tmp_path):
    connection = sqlite3.connect(opened.sqlite_catalog(tmp_path).sources[0].attach_path)
    answers = _answers(lambda sql: str(connection.execute(sql).fetchall()), "sqlite")
    connection.close()
    assert [sql for sql, before, after in answers if before != after] == []
    assert len(answers) > 50


@pytest.mark.postgres
def test_postgres_answers_alike(new_postgres):
    import psycopg

    url = new_postgres()
    opened.postgres_catalog(url)
    with psycopg.connect(url, autocommit=True) as connection:
        answers = _answers(lambda sql: str(connection.execute(sql).fetchall()), "postgres")
    assert [sql for sql, before, after in answers if before != after] == []
    assert len(answers) > 60
