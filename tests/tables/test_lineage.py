"""Column lineage: every way a column can be read is found, and what cannot be followed counts in full."""

from __future__ import annotations

import pytest

from averment.errors import MissingColumn
from averment.tables.guard.statement import guard

SCHEMA = {
    "t": {"a": "INTEGER", "b": "INTEGER", "secret": "VARCHAR"},
    "u": {"a": "INTEGER", "c": "INTEGER"},
    "v": {"x": "INTEGER", "y": "VARCHAR"},
    "deep": {"k": "INTEGER"},
    "lost": {"p": "INTEGER", "q": "INTEGER"},
    "s": {"person": "STRUCT(name VARCHAR, ssn VARCHAR)", "n": "INTEGER", "l": "INTEGER[]"},
}
VIEWS = {
    "v": "CREATE VIEW v AS SELECT a + b AS x, secret AS y FROM t WHERE b > 0",
    "deep": "SELECT x AS k FROM v",
    "lost": "SELECT p, q FROM table_that_is_not_open",
}
ALL_T = "t.a t.b t.secret"


def reads(sql, dialect="duckdb"):
    found = guard(sql, dialect=dialect, schema=SCHEMA, views=VIEWS).columns
    return " ".join(sorted(f"{table}.{column}" for table, column in found))


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t", "t.a"),
        ("SELECT t.a FROM t", "t.a"),
        ("SELECT x.a FROM t AS x", "t.a"),
        ("SELECT a FROM t WHERE secret = 'x'", "t.a t.secret"),
        ("SELECT a FROM t ORDER BY secret", "t.a t.secret"),
        ("SELECT count(*) FROM t GROUP BY secret", "t.secret"),
        ("SELECT a FROM t GROUP BY a HAVING max(secret) > 'x'", "t.a t.secret"),
        ("SELECT sum(a) OVER (PARTITION BY secret ORDER BY b) FROM t", ALL_T),
        ("SELECT a FROM t QUALIFY row_number() OVER (ORDER BY secret) = 1", "t.a t.secret"),
        ("SELECT sum(a) OVER w FROM t WINDOW w AS (ORDER BY secret)", "t.a t.secret"),
        ("SELECT sum(a) FILTER (WHERE secret = 'x') FROM t", "t.a t.secret"),
        ("SELECT CASE WHEN secret = 'x' THEN 1 END FROM t", "t.secret"),
        ("SELECT DISTINCT ON (secret) a FROM t", "t.a t.secret"),
        ("SELECT a FROM t LIMIT (SELECT length(max(secret)) FROM t)", "t.a t.secret"),
        ("SELECT string_agg(a::VARCHAR, ',' ORDER BY secret) FROM t", "t.a t.secret"),
    ],
)
def test_each_clause_is_read(sql, expected):
    assert reads(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT count(*) FROM t", ""),
        ("SELECT 1 FROM t", ""),
        ("SELECT count(*) FROM (SELECT * FROM t)", ""),
        ("SELECT 1 WHERE EXISTS (SELECT * FROM t)", ""),
        ("DESCRIBE t", ""),
    ],
)
def test_counting_rows_reads_no_column(sql, expected):
    assert reads(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT * FROM t", ALL_T),
        ("SELECT t.* FROM t, u", ALL_T),
        ("SELECT * EXCLUDE (secret) FROM t", "t.a t.b"),
        ("SELECT t.* EXCLUDE (secret) FROM t", "t.a t.b"),
        ("SELECT * EXCLUDE (b) REPLACE (length(secret) AS a) FROM t", "t.secret"),
        ("SELECT * RENAME (secret AS harmless) FROM t", ALL_T),
        ("SELECT COLUMNS(*) FROM t", ALL_T),
        ("SELECT COLUMNS(* EXCLUDE (secret)) FROM t", "t.a t.b"),
        ("SELECT max(COLUMNS('sec.*')) FROM t", ALL_T),
        ("SELECT COLUMNS(c -> c LIKE 's%') FROM t", ALL_T),
        ("SELECT * LIKE 'sec%' FROM t", ALL_T),
        ("SUMMARIZE t", ALL_T),
        ("FROM t", ALL_T),
        ("TABLE t", ALL_T),
        ("SELECT t FROM t", ALL_T),
        ("SELECT to_json(x) FROM t AS x", ALL_T),
        ("SELECT count(x.*) FROM t AS x", ALL_T),
        ("SELECT * FROM t SEMI JOIN u USING (a)", "t.a t.b t.secret u.a"),
    ],
)
def test_stars_and_whole_rows_are_spread(sql, expected):
    assert reads(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT x FROM (SELECT secret AS x FROM t)", "t.secret"),
        ("SELECT a FROM (SELECT * FROM t)", "t.a"),
        ("WITH c AS (SELECT * FROM t) SELECT a FROM c", "t.a"),
        ("WITH c AS (SELECT * FROM t), d AS (SELECT * FROM c) SELECT b FROM d", "t.b"),
        ("WITH c(x, y, z) AS (SELECT * FROM t) SELECT z FROM c", "t.secret"),
        ("SELECT q.z FROM (SELECT * FROM t) AS q(x, y, z)", "t.secret"),
        ("SELECT x FROM (SELECT a AS x FROM t UNION ALL SELECT c FROM u)", "t.a u.c"),
        ("SELECT x FROM (SELECT a AS x, secret FROM t UNION SELECT a, 'z' FROM u)", "t.a t.secret u.a"),
        ("SELECT a FROM (SELECT DISTINCT a, secret FROM t)", "t.a t.secret"),
        ("SELECT a FROM (SELECT a, secret FROM t GROUP BY ALL)", "t.a t.secret"),
        ("SELECT a FROM (SELECT a, secret FROM t ORDER BY 2 LIMIT 1)", "t.a t.secret"),
        ("SELECT a FROM (SELECT a, length(secret) AS n FROM t)", "t.a t.secret"),
        ("WITH c AS (SELECT secret FROM t) SELECT a FROM u", "u.a"),
        ("SELECT (SELECT max(secret) FROM t) FROM u", "t.secret"),
        ("SELECT c FROM u WHERE EXISTS (SELECT 1 FROM t WHERE t.a = u.a AND secret = 'x')", "t.a t.secret u.a u.c"),
        ("SELECT c FROM u WHERE a IN (SELECT b FROM t)", "t.b u.a u.c"),
        ("WITH RECURSIVE r(n) AS (SELECT a FROM t UNION ALL SELECT n + b FROM r, t) SELECT 1 FROM r", "t.a t.b"),
        ("SELECT l.m FROM u, LATERAL (SELECT max(secret) AS m FROM t WHERE t.a = u.c) AS l", "t.a t.secret u.c"),
        ("WITH t AS (SELECT 1 AS secret) SELECT secret FROM t", ""),
        ("WITH t AS (SELECT a AS secret FROM t) SELECT secret FROM t", "t.a"),
    ],
)
def test_subqueries_are_followed(sql, expected):
    assert reads(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT b FROM t JOIN u ON t.a = u.a", "t.a t.b u.a"),
        ("SELECT b FROM t JOIN u USING (a)", "t.a t.b u.a"),
        ("SELECT b FROM t NATURAL JOIN u", "t.a t.b u.a"),
        ("SELECT a FROM t JOIN u USING (a)", "t.a u.a"),
        ("SELECT b FROM (t JOIN u USING (a))", "t.a t.b u.a"),
        ("SELECT z FROM t, unnest([secret]) AS w(z)", "t.secret"),
        ("SELECT b FROM t POSITIONAL JOIN u", "t.b"),
    ],
)
def test_joins_read_what_they_compare(sql, expected):
    assert reads(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT secret AS a FROM t ORDER BY a", "t.secret"),
        ("SELECT secret AS z FROM t WHERE z = 'x'", "t.secret"),
        ("SELECT secret AS z, length(z) AS n FROM t", "t.secret"),
        ("SELECT a AS z FROM t GROUP BY z", "t.a"),
        ("SELECT list_transform([a], x -> x + b) FROM t", "t.a t.b"),
        ("SELECT list_filter([a], lambda secret: secret > 1) FROM t", "t.a"),
        ("SELECT [secret FOR secret IN [a]] FROM t", "t.a"),
        ("SELECT {'k': secret}.k FROM t", "t.secret"),
        ("SELECT secret.upper() FROM t", "t.secret"),
    ],
)
def test_aliases_and_local_names_are_told_from_columns(sql, expected):
    assert reads(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT person.ssn FROM s", "s.person"),
        ("SELECT s.person.ssn FROM s", "s.person"),
        ("SELECT person['ssn'] FROM s", "s.person"),
        ("SELECT person.* FROM s", "s.person"),
        ("SELECT l[1] FROM s", "s.l"),
    ],
)
def test_struct_access_reads_the_struct(sql, expected):
    assert reads(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT x FROM v", "t.a t.b"),
        ("SELECT y FROM v", "t.b t.secret"),
        ("SELECT count(*) FROM v", "t.b"),
        ("SELECT k FROM deep", "t.a t.b"),
        ("SELECT p FROM lost", "lost.p lost.q"),
    ],
)
def test_views_are_followed_to_their_tables(sql, expected):
    # The view computes a + b whatever is asked of it; its filter reads b.
    assert set(expected.split()) <= set(reads(sql).split())
    assert ("t.secret" in reads(sql)) == ("t.secret" in expected)


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("PIVOT t ON a USING sum(b)", ALL_T),
        ("PIVOT t ON a USING sum(b) GROUP BY b", "t.a t.b"),
        ("PIVOT t ON a USING max(secret) GROUP BY b", ALL_T),
        ("UNPIVOT t ON a, b INTO NAME n VALUE x", ALL_T),
        ("SELECT * FROM t PIVOT (sum(b) FOR a IN (1, 2))", ALL_T),
        ("SELECT n FROM (SELECT a, b FROM t) UNPIVOT (n FOR k IN (a, b))", "t.a t.b"),
    ],
)
def test_pivots_read_what_they_turn(sql, expected):
    assert reads(sql) == expected


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT row_to_json(x) FROM t AS x", ALL_T),
        ("SELECT (x).secret FROM t AS x", ALL_T),
        ("SELECT x::text FROM t AS x", ALL_T),
        ("SELECT b FROM t WHERE t = t", ALL_T),
        ("SELECT e.value FROM t, jsonb_each_text(to_jsonb(t)) AS e", ALL_T),
    ],
)
def test_postgres_whole_rows_are_spread(sql, expected):
    assert reads(sql, "postgres") == expected


def test_a_sqlite_row_id_counts_as_the_whole_row():
    assert reads("SELECT rowid FROM t", "sqlite") == ALL_T


def test_each_result_column_knows_where_it_comes_from():
    passed = guard("SELECT a + b AS sum, secret, 1 AS one FROM t", dialect="duckdb", schema=SCHEMA)
    assert passed.outputs == (
        ("sum", {("t", "a"), ("t", "b")}),
        ("secret", {("t", "secret")}),
        ("one", frozenset()),
    )
    assert passed.complete


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT z FROM t",
        "SELECT t.z FROM t",
        "SELECT secret FROM u",
        "SELECT secret FROM (SELECT a FROM t)",
        "WITH c(x) AS (SELECT a FROM t) SELECT a FROM c",
        "SELECT (SELECT z FROM u) FROM t",
        "SELECT b FROM t ORDER BY nowhere",
    ],
)
def test_a_column_out_of_scope_is_missing(sql):
    with pytest.raises(MissingColumn):
        reads(sql)
