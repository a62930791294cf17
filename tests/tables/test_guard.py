"""The guard: what passes, what is refused, and what the caller learns about it."""

from __future__ import annotations

import runpy
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import AvermentError, MissingColumn, MissingTable, SqlRefused, SqlSyntax
from averment.tables.guard.statement import guard

HERE = Path(__file__).parent
opened = SimpleNamespace(**runpy.run_path(str(HERE / "opened.py")))

DIALECTS = ("duckdb", "sqlite", "postgres")
SCHEMAS = {dialect: opened.schema(dialect) for dialect in DIALECTS}


def check(sql, dialect="duckdb"):
    return guard(sql, dialect=dialect, schema=SCHEMAS[dialect])


@pytest.mark.parametrize("dialect", DIALECTS)
def test_ordinary_analytics_pass(dialect):
    for sql in opened.ordinary(dialect):
        assert check(sql, dialect).sql


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_passed_passes_again_unchanged(dialect):
    for sql in opened.ordinary(dialect):
        once = check(sql, dialect)
        twice = check(once.sql, dialect)
        assert (twice.sql, twice.columns, twice.tables) == (once.sql, once.columns, once.tables)


@pytest.mark.parametrize(
    ("sql", "suggested"),
    [
        ("SELECT sum(amont) FROM sales", "amount"),
        ("SELECT s.stat FROM sales s", "state"),
        ("SELECT orderDate FROM sales", "order_date"),
        ("SELECT id FROM sales WHERE custmer_id = 1", "customer_id"),
    ],
)
def test_a_misspelt_column_is_answered_with_the_right_one(sql, suggested):
    with pytest.raises(MissingColumn) as caught:
        check(sql)
    assert caught.value.suggestion == f"did you mean `{suggested}`?"


def test_a_misspelt_table_is_answered_with_the_right_one():
    with pytest.raises(MissingTable) as caught:
        check("SELECT * FROM sale")
    assert caught.value.suggestion == "did you mean `sales`?"


def test_a_misspelt_function_is_refused_with_the_right_one():
    with pytest.raises(SqlRefused) as caught:
        check("SELECT medain(amount) FROM sales")
    assert "median" in caught.value.hint


@pytest.mark.parametrize("sql", ["", "   ", "SELECT FROM WHERE", "SELECT (1", "SELECT 'never ends", "SELEC 1 FRM x"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_cannot_be_parsed_is_a_syntax_error(sql, dialect):
    with pytest.raises(SqlSyntax):
        check(sql, dialect)


@pytest.mark.parametrize("sql", ["DELETE FROM sales", "UPDATE sales SET id = 1", "SET x = 1", "COMMIT"])
def test_a_statement_that_is_no_query_is_refused_as_such(sql):
    with pytest.raises(SqlRefused) as caught:
        check(sql)
    assert caught.value.details["reason"] == "statement"


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_distinct_stays_with_the_first_argument_of_a_function(dialect):
    for call in ("corr(DISTINCT amount, id)", "string_agg(DISTINCT state, ',' ORDER BY state)"):
        assert check(f"SELECT {call} FROM sales", dialect).sql == f"SELECT {call} FROM sales"
    if dialect == "duckdb":
        for call in ("arg_max(DISTINCT state, id)", "max_by(DISTINCT state, id)", "listagg(DISTINCT state, ',')"):
            assert check(f"SELECT {call} FROM sales", dialect).sql == f"SELECT {call} FROM sales"


def test_deep_statements_are_refused_for_their_depth_and_ordinary_depth_passes():
    assert check("SELECT " + "(" * 40 + "1" + ")" * 40).sql
    with pytest.raises(SqlRefused) as caught:
        check("SELECT " + "(" * 400 + "1" + ")" * 400)
    assert caught.value.details["reason"] == "nesting"


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_an_escaped_backslash_cannot_open_a_second_statement(dialect):
    # Written back naively, E'\\' becomes e'\' and swallows the comma, freeing what stands in the next string.
    passed = check(r"SELECT E'\\', '; DELETE FROM sales; --'", dialect)
    assert passed.sql == r"SELECT '\', '; DELETE FROM sales; --'"


@pytest.mark.parametrize(
    ("written", "plain"),
    [(r"E'a\nb'", "a\nb"), (r"E'it\'s'", "it''s"), (r"E'\x41\101\u0041'", "AAA"), ("E'a''b'", "a''b")],
)
def test_string_escapes_are_decoded_before_parsing(written, plain):
    assert check(f"SELECT {written} AS t", "postgres").sql == f"SELECT '{plain}' AS t"


def test_comments_do_not_reach_the_engine():
    assert "secret" not in check("SELECT /* secret */ 1 -- secret").sql


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_cte_in_one_subquery_does_not_open_a_table_elsewhere(dialect):
    with pytest.raises(MissingTable):
        check("SELECT (WITH hidden AS (SELECT 1 AS a) SELECT a FROM hidden), (SELECT count(*) FROM hidden)", dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_recursive_cte_cannot_name_itself_to_reach_a_hidden_table(dialect):
    for sql in (
        "WITH RECURSIVE hidden AS (SELECT * FROM hidden) SELECT * FROM hidden",
        "WITH RECURSIVE hidden AS (SELECT * FROM hidden UNION ALL SELECT 1) SELECT * FROM hidden",
    ):
        with pytest.raises(MissingTable):
            check(sql, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("word", ["current_user", "session_user", "user", "current_role", "current_catalog"])
def test_words_that_tell_who_is_asking_are_refused(dialect, word):
    with pytest.raises(AvermentError) as caught:
        check(f"SELECT {word}", dialect)
    assert caught.value.code in {"SQL_REFUSED", "MISSING_COLUMN"}


def test_a_column_named_like_a_session_word_is_written_in_quotes():
    passed = guard("SELECT user FROM people", dialect="postgres", schema={"people": {"user": "text"}})
    assert passed.sql == 'SELECT "user" FROM people'


def test_postgres_minds_the_case_of_quoted_names_only():
    assert check("SELECT STATE FROM Sales", "postgres").tables == {"sales"}
    with pytest.raises(MissingTable):
        check('SELECT state FROM "Sales"', "postgres")
    assert check('SELECT "STATE" FROM "Sales"', "duckdb").columns == {("sales", "state")}


def test_parameters_keep_the_order_they_were_written_in():
    assert check("SELECT id FROM sales OFFSET ? LIMIT ?").sql == "SELECT id FROM sales LIMIT $2 OFFSET $1"
    assert check("SELECT id FROM sales LIMIT ?, ?", "sqlite").sql == "SELECT id FROM sales LIMIT :p2 OFFSET :p1"
    assert check("SELECT payload ? 'page' FROM events WHERE event_id = ?", "postgres").parameters == 1


@pytest.mark.parametrize("sql", ["SELECT $name", "SELECT :name"])
def test_named_parameters_are_refused(sql):
    with pytest.raises((SqlRefused, SqlSyntax)):
        check(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'x'::regclass",
        "SELECT 'x'::sometype",
        "SELECT pg_catalog.lower('x')",
        'SELECT U&"\\0070g_sleep"(1)',
        "SELECT * FROM sales FOR UPDATE",
        "SELECT 1 OPERATOR(pg_catalog.+) 2",
        "EXPLAIN ANALYZE SELECT 1",
        "EXPLAIN (ANALYZE) SELECT 1",
        "SELECT ctid FROM sales",
        "SELECT * FROM information_schema.tables",
        "SELECT lower(version())",
    ],
)
def test_postgres_ways_around_are_refused(sql):
    with pytest.raises((SqlRefused, MissingColumn, SqlSyntax)):
        check(sql, "postgres")


@pytest.mark.parametrize(
    "sql",
    [
        "WITH d AS (DELETE FROM sales RETURNING *) SELECT * FROM d",
        "SELECT * FROM 'sales.csv'",
        "FROM read_csv('x.csv')",
        "SELECT * FROM sales AT (VERSION => 1)",
        "SELECT system.main.lower('x')",
        "SELECT * FROM histogram('sales', 'state')",
        "SELECT * FROM query('SELECT 1')",
        "SELECT getvariable('x')",
        "DESCRIBE customers_private",
        "SUMMARIZE customers_private",
        "PIVOT customers_private ON ssn USING count(*)",
        "SELECT * FROM (DESCRIBE customers_private)",
        "SELECT * FROM (SUMMARIZE customers_private)",
        "SELECT (SELECT count(*) FROM (DESCRIBE customers_private))",
        "SET VARIABLE x = 1",
    ],
)
def test_duckdb_ways_around_are_refused(sql):
    with pytest.raises((SqlRefused, MissingTable, MissingColumn, SqlSyntax)):
        check(sql)


@pytest.mark.parametrize("character", ["\x00", "\u200b", "\u2028", "\u00a0", "\ufeff", "\u202e", "\r"])
def test_hidden_characters_are_refused(character):
    with pytest.raises(SqlRefused) as caught:
        check(f"SELECT 1{character}")
    assert caught.value.details["reason"] == "character"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT " + "(" * 200 + "1" + ")" * 200,
        "SELECT " + "NOT " * 200 + "true",
        "SELECT " + "1+" * 1500 + "1",
        "SELECT " + "CASE WHEN true THEN " * 100 + "1" + " END" * 100,
        "SELECT " + ",".join(["'x'"] * 20_000),
        "SELECT 1 " + "UNION ALL SELECT 1 " * 1000,
    ],
)
def test_excessive_statements_are_refused(sql):
    with pytest.raises(SqlRefused):
        check(sql)


def test_a_query_that_asks_for_chance_or_time_is_not_deterministic():
    assert check("SELECT sum(amount) FROM sales").deterministic
    for sql in ("SELECT random()", "SELECT now()", "SELECT current_date", "SELECT * FROM sales USING SAMPLE 5"):
        assert not check(sql).deterministic
    assert not check("SELECT date('now')", "sqlite").deterministic
    assert check("SELECT date('2024-01-01'), 'then' FROM sales WHERE id = 7", "sqlite").deterministic
    assert check("SELECT 'now' AS word FROM sales").deterministic
    assert check("SELECT * FROM sales TABLESAMPLE reservoir(5 ROWS) REPEATABLE (1)").deterministic


def test_order_is_noticed_at_the_top_only():
    assert check("SELECT id FROM sales ORDER BY id").has_order
    assert not check("SELECT id FROM (SELECT id FROM sales ORDER BY id)").has_order


def test_origins_put_each_table_at_its_place_and_keep_its_name():
    passed = guard(
        "WITH sales AS (SELECT * FROM products) SELECT sales.name, customers.name FROM sales, customers",
        dialect="postgres",
        schema=SCHEMAS["postgres"],
        origins={"sales": ("shop", "sales"), "products": ("shop", "products"), "customers": ("crm", "people")},
    )
    assert '"shop"."products" AS products' in passed.engine_sql
    assert '"crm"."people" AS customers' in passed.engine_sql
    assert '"shop"."sales"' not in passed.engine_sql
    assert "shop" not in passed.sql
    renamed = guard(
        "SELECT s.n FROM sales AS s(n)",
        dialect="postgres",
        schema={"sales": {"id": "int"}},
        origins={"sales": ("a", "b")},
    )
    assert renamed.engine_sql == 'SELECT s.n FROM "a"."b" AS s(n)'


@pytest.mark.parametrize("dialect", ["duckdb", "postgres"])
def test_a_table_the_catalog_names_with_its_schema_is_found(dialect):
    schema = {"crm.people": {"name": "text"}, "sales": {"id": "int"}}
    for sql in (
        "SELECT name FROM crm.people",
        "SELECT people.name FROM crm.people",
        "SELECT crm.people.name FROM crm.people",
        "SELECT p.name FROM crm.people AS p",
        'SELECT name FROM "crm.people"',
    ):
        passed = guard(sql, dialect=dialect, schema=schema)
        assert passed.columns == {("crm.people", "name")}
        assert '"crm.people"' in passed.engine_sql
        assert "crm.people.name" not in passed.engine_sql
    for sql in ("SELECT * FROM other.people", "SELECT * FROM people", "SELECT * FROM crm.sales"):
        with pytest.raises((MissingTable, SqlRefused)):
            guard(sql, dialect=dialect, schema=schema)


@given(
    name=st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=30), dialect=st.sampled_from(DIALECTS)
)
def test_no_unknown_name_ever_passes_as_a_table(name, dialect):
    quoted = '"' + name.replace('"', '""') + '"'
    known = {table if dialect == "postgres" else table.casefold() for table in SCHEMAS[dialect]}
    if (name if dialect == "postgres" else name.casefold()) in known:
        return
    with pytest.raises(AvermentError):
        check(f"SELECT * FROM {quoted}", dialect)


@given(
    sql=st.text(st.sampled_from(list("SELECT FROM sales;'\"()*,-/\\E$ \n\r1?")), max_size=60),
    dialect=st.sampled_from(DIALECTS),
)
def test_no_text_makes_the_guard_fail_in_an_unnamed_way(sql, dialect):
    try:
        passed = check("SELECT " + sql, dialect)
    except AvermentError:
        return
    assert check(passed.sql, dialect).sql == passed.sql


@given(text=st.text(max_size=40), dialect=st.sampled_from(DIALECTS))
def test_a_text_value_stays_a_text_value(text, dialect):
    sql = "SELECT '" + text.replace("'", "''") + "' AS t FROM sales"
    try:
        passed = check(sql, dialect)
    except SqlRefused as refusal:
        assert refusal.details["reason"] == "character"
        return
    assert passed.sql == sql.replace("\r\n", "\n")
