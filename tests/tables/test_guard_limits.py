"""The guard's bounds, each met and passed by one; what kind a statement is, and how many values it wants."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest

from averment.errors import SqlRefused, SqlSyntax
from averment.tables.guard.statement import GuardedQuery, guard

opened = SimpleNamespace(**runpy.run_path(str(Path(__file__).parent / "opened.py")))


def check(sql: str, dialect: str = "duckdb") -> GuardedQuery:
    return guard(sql, dialect=dialect, schema=opened.schema(dialect))


def listed(words: int) -> str:
    """A flat statement of so many words, whose number must be even."""
    return f"SELECT id FROM sales WHERE id IN ({','.join('1' * ((words - 8) // 2))})"


@pytest.mark.parametrize(
    ("allowed", "too_much", "reason"),
    [
        (listed(12_000), listed(12_002), "size"),
        (f"SELECT 1 {' ' * 49_991}", f"SELECT 1 {' ' * 49_992}", "size"),
        (f"SELECT {'- ' * 24}1", f"SELECT {'- ' * 25}1", "nesting"),
        (f"SELECT {' + '.join('1' * 299)}", f"SELECT {' + '.join('1' * 300)}", "nesting"),
    ],
    ids=["words", "characters", "signs in a row", "depth"],
)
def test_a_bound_is_where_it_is_said(allowed: str, too_much: str, reason: str) -> None:
    assert check(allowed).kind == "query"
    with pytest.raises(SqlRefused) as caught:
        check(too_much)
    assert caught.value.details["reason"] == reason


@pytest.mark.parametrize(
    ("sql", "dialect", "kind"),
    [
        ("SELECT id FROM sales", "duckdb", "query"),
        ("TABLE sales", "postgres", "query"),
        ("EXPLAIN SELECT id FROM sales", "postgres", "explain"),
        ("EXPLAIN QUERY PLAN SELECT id FROM sales", "sqlite", "explain"),
        ("SUMMARIZE sales", "duckdb", "summarize"),
        ("DESCRIBE sales", "duckdb", "describe"),
    ],
)
def test_a_statement_has_its_kind(sql: str, dialect: str, kind: str) -> None:
    assert check(sql, dialect).kind == kind


@pytest.mark.parametrize(("sql", "dialect"), [("EXPLAIN", "duckdb"), ("EXPLAIN QUERY PLAN", "sqlite")])
def test_an_explanation_of_nothing_is_a_mistake_of_writing(sql: str, dialect: str) -> None:
    with pytest.raises(SqlSyntax):
        check(sql, dialect)


@pytest.mark.parametrize(
    ("sql", "dialect", "written", "wanted"),
    [
        ("SELECT id FROM sales", "duckdb", "SELECT id FROM sales", 0),
        ("SELECT id FROM sales WHERE id > ?", "sqlite", "SELECT id FROM sales WHERE id > :p1", 1),
        (
            "SELECT id FROM sales WHERE id = ?::INTEGER AND id < ?::INTEGER",
            "postgres",
            "SELECT id FROM sales WHERE id = CAST($1 AS INT) AND id < CAST($2 AS INT)",
            2,
        ),
        ("SELECT CAST(id AS DECIMAL(9, 2)) FROM sales", "sqlite", "SELECT CAST(id AS NUMERIC(9, 2)) FROM sales", 0),
    ],
)
def test_values_are_numbered_as_they_were_written(sql: str, dialect: str, written: str, wanted: int) -> None:
    query = check(sql, dialect)
    assert (query.sql, query.parameters) == (written, wanted)
