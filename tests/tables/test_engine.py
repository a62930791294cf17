"""The engine: real answers, and limits that hold when the engine inside does not cooperate."""

from __future__ import annotations

import os
import runpy
import select
import signal
import subprocess
import sys
import threading
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

from averment.errors import (
    InvalidArguments,
    MemoryExceeded,
    QueryTimeout,
    RowLimitOutOfRange,
    RunStopped,
    TimeoutOutOfRange,
    ToolError,
    TypeMismatch,
)
from averment.settings import Settings
from averment.tables.engines.engine import Engine

HERE = Path(__file__).parent
opened = SimpleNamespace(**runpy.run_path(str(HERE / "opened.py")))

CROSS_JOIN = "SELECT count(*) FROM " + ", ".join(f"sales s{number}" for number in range(9))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("engine")


@pytest.fixture(scope="module")
def duck(folder):
    with Engine(opened.duckdb_catalog(folder), Settings(home=folder, query_memory_mb=512)) as engine:
        yield engine


@pytest.fixture(scope="module")
def lite(folder):
    with Engine(opened.sqlite_catalog(folder), Settings(home=folder, query_memory_mb=512)) as engine:
        yield engine


@pytest.fixture
def postgres(new_postgres, tmp_path):
    with Engine(opened.postgres_catalog(new_postgres()), Settings(home=tmp_path)) as engine:
        yield engine


@pytest.fixture(params=["duck", "lite", pytest.param("postgres", marks=pytest.mark.postgres)])
def engine(request):
    return request.getfixturevalue(request.param)


def test_a_query_is_answered_with_arrow(engine):
    result = engine.run("SELECT state, count(*) AS n FROM sales GROUP BY state ORDER BY state")
    assert result.table.to_pydict() == {"state": ["Arizona", "Ohio", "Texas", "Utah"], "n": [10, 10, 10, 10]}
    assert (result.row_count, result.truncated) == (4, False)
    assert result.columns_read == {("sales", "state")}


def test_ordinary_analytics_run(engine):
    for sql in opened.ordinary(engine.catalog.dialect):
        count = engine.check(sql).parameters
        values = [1, "Texas"] if "$1" in sql else ["Texas", 1]
        assert engine.run(sql, values[:count], timeout=60).row_count >= 0, sql


def test_sums_of_whole_numbers_are_whole_numbers(engine):
    result = engine.run("SELECT sum(quantity) AS q, sum(amount) AS a FROM sales")
    assert result.table.schema.types == [pa.int64(), pa.float64()]
    assert result.table.column("q")[0].as_py() == 120


@pytest.mark.seed("A-018")
def test_more_rows_than_allowed_are_cut_and_said(engine):
    result = engine.run("SELECT id FROM sales ORDER BY id", row_limit=7)
    assert result.table.column("id").to_pylist() == [1, 2, 3, 4, 5, 6, 7]
    assert result.truncated
    assert not engine.run("SELECT id FROM sales", row_limit=40).truncated


def test_an_endless_result_stops_at_the_row_limit(duck):
    result = duck.run("SELECT i, i * 2 AS j FROM range(1000000000000) t(i)", row_limit=1000)
    assert (result.row_count, result.truncated) == (1000, True)


def test_an_empty_result_keeps_its_columns(engine):
    result = engine.run("SELECT id, state FROM sales WHERE 1 = 0")
    assert (result.table.column_names, result.row_count) == (["id", "state"], 0)


def test_columns_of_one_name_are_told_apart(engine):
    assert engine.run("SELECT id, id, 1 AS id FROM sales").table.column_names == ["id", "id_2", "id_3"]


def test_values_are_bound_and_never_written_into_the_text(engine):
    hostile = "x' OR 1=1; DROP TABLE sales; --"
    result = engine.run("SELECT count(*) AS n, CAST(? AS TEXT) AS t FROM sales WHERE state = ?", [hostile, "Texas"])
    assert result.table.to_pylist() == [{"n": 10, "t": hostile}]
    assert hostile not in result.sql


@pytest.mark.parametrize(
    "value",
    [None, True, 7, 2.5, "text", date(2021, 1, 2), datetime(2021, 1, 2, 3, 4, 5), Decimal("1.25")],
    ids=str,
)
def test_every_kind_of_value_can_be_bound(duck, value):
    assert duck.run("SELECT $1 AS v", [value]).table.column("v")[0].as_py() == value


def test_the_number_of_values_must_fit(duck):
    with pytest.raises(InvalidArguments):
        duck.run("SELECT ?", [])
    with pytest.raises(InvalidArguments):
        duck.run("SELECT ?", [object()])


def test_the_same_question_has_the_same_hash_and_another_one_has_not(duck, lite):
    first = duck.run("SELECT sum(amount) FROM sales")
    assert first.query_hash == duck.run("select  SUM(amount) from sales -- again").query_hash
    others = [
        duck.run("SELECT sum(amount) FROM sales", row_limit=5),
        duck.run("SELECT sum(quantity) FROM sales"),
        duck.run("SELECT sum(amount) FROM sales WHERE id > ?", [1]),
        duck.run("SELECT sum(amount) FROM sales WHERE id > ?", [2]),
        lite.run("SELECT sum(amount) FROM sales"),
    ]
    assert len({first.query_hash, *(other.query_hash for other in others)}) == 6


def test_limits_out_of_range_are_refused(duck):
    for rows in (0, -1, 200_001):
        with pytest.raises(RowLimitOutOfRange):
            duck.run("SELECT 1", row_limit=rows)
    for seconds in (0, -1, 181):
        with pytest.raises(TimeoutOutOfRange):
            duck.run("SELECT 1", timeout=seconds)


def test_a_query_out_of_time_is_ended_and_the_next_one_runs(engine):
    with pytest.raises(QueryTimeout):
        engine.run(CROSS_JOIN, timeout=1)
    assert engine.run("SELECT 1 AS one").table.column("one")[0].as_py() == 1


def test_a_function_that_ignores_interrupts_is_ended_too(duck, folder):
    catalog = duck.catalog
    with Engine(catalog, Settings(home=folder, query_memory_mb=8192)) as engine:
        with pytest.raises((QueryTimeout, MemoryExceeded)):
            engine.run(
                "SELECT length(repeat('a', 2000000000) || repeat('b', 2000000000)), sum(i) FROM range(9000000000) t(i)",
                timeout=1,
            )
        assert engine.run("SELECT 1").row_count == 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT length(repeat('a', 2000000000))",
        "SELECT length(string_agg(repeat('x', 1000), '')) FROM range(100000000)",
        "SELECT len(list(i)) FROM range(1000000000) t(i)",
    ],
)
def test_a_query_over_its_memory_is_ended_and_the_next_one_runs(duck, sql):
    with pytest.raises((MemoryExceeded, QueryTimeout)) as caught:
        duck.run(sql, timeout=60)
    assert caught.value.code == "MEMORY_EXCEEDED"
    assert duck.run("SELECT 1 AS one").row_count == 1


def test_sqlite_over_its_memory_is_ended_and_the_next_one_runs(lite):
    with pytest.raises(MemoryExceeded):
        lite.run(
            "WITH RECURSIVE c(x) AS (SELECT 'aa' UNION ALL SELECT x||x FROM c) SELECT max(length(x)) FROM c", timeout=60
        )
    assert lite.run("SELECT 1 AS one").row_count == 1


def test_another_thread_can_cancel(duck):
    failures = []

    def ask():
        try:
            duck.run(CROSS_JOIN, timeout=60)
        except RunStopped as error:
            failures.append(error)

    thread = threading.Thread(target=ask)
    thread.start()
    while thread.is_alive():
        duck.cancel()
        thread.join(0.05)
    assert len(failures) == 1
    assert duck.run("SELECT 1 AS one").row_count == 1


def test_a_cancel_while_the_process_starts_is_not_lost(duck, monkeypatch):
    duck.close()
    started = duck._started

    def cancelled_meanwhile():
        duck.cancel()
        return started()

    monkeypatch.setattr(duck, "_started", cancelled_meanwhile)
    with pytest.raises(RunStopped):
        duck.run("SELECT 1")
    monkeypatch.undo()
    assert duck.run("SELECT 1 AS one").row_count == 1


def test_an_engine_that_is_halted_begins_no_query(duck, folder):
    with Engine(duck.catalog, Settings(home=folder), halted=lambda: True) as engine, pytest.raises(RunStopped):
        engine.run("SELECT 1")


def test_cancelling_nothing_does_nothing(duck):
    duck.cancel()
    assert duck.run("SELECT 1 AS one").row_count == 1


def test_a_killed_process_gives_a_clean_error_and_the_next_query_runs(duck):
    duck.run("SELECT 1")
    victim = duck._process.pid
    threading.Timer(0.3, os.kill, (victim, signal.SIGKILL)).start()
    with pytest.raises(ToolError) as caught:
        duck.run(CROSS_JOIN, timeout=60)
    assert caught.value.retryable
    assert duck.run("SELECT 1 AS one").row_count == 1
    assert duck._process.pid != victim


def test_a_process_that_died_between_queries_is_replaced(duck):
    duck.run("SELECT 1")
    os.kill(duck._process.pid, signal.SIGKILL)
    assert duck._process._process.exit_code() == -signal.SIGKILL
    assert duck.run("SELECT 1 AS one").row_count == 1


def test_the_query_process_inherits_nothing(duck, monkeypatch):
    monkeypatch.setenv("AVERMENT_CANARY", "secret")
    duck.close()
    duck.run("SELECT 1")
    place = Path(f"/proc/{duck._process.pid}")
    assert b"AVERMENT_CANARY" not in (place / "environ").read_bytes()
    links = [str(link.readlink()) for link in (place / "fd").iterdir()]
    assert all(
        link.startswith(("socket:", "/dev/null", "pipe:", "anon_inode:", str(duck._process.folder)))
        or "fixture" in link
        for link in links
    )
    assert sum(link.startswith("socket:") for link in links) == 1


def test_closing_leaves_no_process_and_no_file(duck, folder):
    engine = Engine(
        duck.catalog,
        Settings(home=folder),
    )
    engine.run("SELECT 1")
    pid, place = engine._process.pid, engine._process.folder
    assert list(place.glob("*.arrow")) == []
    engine.close()
    assert not place.exists()
    assert not _runs(pid)


def _runs(pid: int) -> bool:
    """Whether a process still does anything: one that has ended may wait a moment for its parent to hear of it."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_killed_parent_leaves_no_process_and_no_folder(duck, tmp_path):
    # The parent stands for any program that uses an engine and dies without a word in the middle of a query.
    script = tmp_path / "parent.py"
    script.write_text(
        "import runpy, sys, threading\n"
        "from averment.settings import Settings\n"
        "from averment.tables.engines.engine import Engine\n"
        "opened = runpy.run_path(sys.argv[1])\n"
        "catalog = opened['catalog']('duckdb', 'duckdb', sys.argv[2], opened['schema']('duckdb'), 'main')\n"
        "engine = Engine(catalog, Settings())\n"
        "engine.run('SELECT 1')\n"
        "print(engine._process.pid, engine._process.folder, flush=True)\n"
        "engine.run(sys.argv[3], timeout=60)\n"
    )
    command = [sys.executable, str(script), str(HERE / "opened.py"), duck.catalog.sources[0].attach_path, CROSS_JOIN]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as parent:
        pid, place = parent.stdout.readline().split()
        watched = os.pidfd_open(int(pid))
        parent.kill()
    ended = select.poll()
    ended.register(watched, select.POLLIN)
    assert ended.poll(30_000)
    os.close(watched)
    assert not Path(place).exists()


@pytest.mark.seed("A-049")
def test_errors_of_the_engine_are_named(duck):
    with pytest.raises(TypeMismatch) as caught:
        duck.run("SELECT state + 1 FROM sales")
    assert "TRY_CAST" in caught.value.suggestion
    with pytest.raises(TypeMismatch):
        duck.run("SELECT CAST(state AS INTEGER) FROM sales")
    with pytest.raises(ToolError) as grouped:
        duck.run("SELECT state, amount FROM sales GROUP BY state")
    assert grouped.value.category == "sql_syntax"


@pytest.mark.postgres
def test_errors_of_postgres_are_named(postgres):
    with pytest.raises(TypeMismatch):
        postgres.run("SELECT state + 1 FROM sales")
    with pytest.raises(TypeMismatch):
        postgres.run("SELECT CAST(state AS integer) FROM sales")
    with pytest.raises(ToolError) as grouped:
        postgres.run("SELECT state, amount FROM sales GROUP BY state")
    assert grouped.value.category == "sql_syntax"


@pytest.mark.postgres
def test_postgres_types_arrive_as_arrow_types(postgres):
    table = postgres.run(
        "SELECT 1::smallint AS i, 1.5::float4 AS f, 12.50::numeric(8, 2) AS n, true AS b, DATE '2021-01-02' AS d, "
        "timestamp '2021-01-02 03:04:05' AS t, timestamptz '2021-01-02 03:04:05+02' AS z, 'x'::text AS s, "
        "'{\"a\": 1}'::jsonb AS j, ARRAY[1, 2] AS l, interval '1 day' AS v, NULL::int AS o, "
        "'8a1bd2f0-0000-4000-8000-000000000000'::uuid AS u"
    ).table
    assert [str(kind) for kind in table.schema.types] == [
        "int64", "double", "decimal128(8, 2)", "bool", "date32[day]", "timestamp[us]", "timestamp[us, tz=UTC]",
        "string",
        "string", "list<item: int64>", "string", "int64", "string",
    ]  # fmt: skip
    row = table.to_pylist()[0]
    assert row["z"] == datetime(2021, 1, 2, 1, 4, 5, tzinfo=UTC)
    assert row["t"] - datetime(2021, 1, 1) == timedelta(days=1, hours=3, minutes=4, seconds=5)


def test_sqlite_columns_of_mixed_kinds_become_text(lite):
    table = lite.run("SELECT 1 AS a, 2.5 AS b, 'x' AS c UNION ALL SELECT 'y', 3, NULL").table
    assert table.to_pydict() == {"a": ["1", "y"], "b": [2.5, 3.0], "c": ["x", None]}
