"""A query from outside reads the open tables and nothing else, whoever sends it, and changes nothing.

The corpus of the guard is sent through the workbench to real databases; a few of each kind go through every face. A
folder of canaries lies beside the data: no canary comes back, and no file changes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import runpy
import sqlite3
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from averment import Workbench
from averment.errors import AvermentError

sys.path.insert(0, str(Path(__file__).parent))
from speaking import Speaker

CORPUS = Path(__file__).parents[2] / "hostile" / "data" / "sql_guard"
FIXTURE: dict[str, Any] = runpy.run_path(str(CORPUS / "fixture.py"))
CANARY: str = FIXTURE["CANARY"]
PRIVATE = "customers_private"
"""The table that the corpus puts off limits; here it is no part of the source."""
NO_REQUEST = {"b-du-021", "b-sq-021", "b-sq-035", "b-sq-047"}
"""Two columns of one name, an EXPLAIN, and an open parameter: no table of named columns comes of them."""
SAYS_NO = {"SQL_REFUSED", "SQL_SYNTAX", "MISSING_TABLE", "INVALID_REQUEST"}


def _rows(name: str) -> list[dict[str, Any]]:
    # Not splitlines: the corpus holds separators that it would split at.
    return [json.loads(line) for line in (CORPUS / name).read_text(encoding="utf-8").split("\n") if line.strip()]


GOLD = {row["id"]: row for row in _rows("gold.jsonl")}
CASES = [case | GOLD[case["id"]] for case in _rows("cases.jsonl")]


@dataclass(frozen=True)
class Place:
    """A database, and a folder of canaries beside it."""

    source: str
    canaries: Path
    watched: Path

    def prints(self) -> dict[str, str]:
        """What lies there now, byte for byte."""
        files = sorted(path for path in self.watched.rglob("*") if path.is_file())
        return {str(path): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    def text(self, case: dict[str, Any]) -> str:
        """A case's statement, with the canaries where they are."""
        sql = case["sql"] if "sql" in case else "".join(text * times for text, times in case["sql_parts"])
        return sql.replace("@FIXTURE@", str(self.canaries))


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Place]:
    made: dict[str, Place] = {}
    for dialect in ("duckdb", "sqlite"):
        watched = tmp_path_factory.mktemp(dialect)
        canaries = watched / "canaries"
        canaries.mkdir()
        FIXTURE["files"](canaries)
        path = watched / ("shop.duckdb" if dialect == "duckdb" else "shop.sqlite")
        with duckdb.connect(str(path)) if dialect == "duckdb" else sqlite3.connect(path) as database:
            for statement in FIXTURE["statements"](dialect):
                if PRIVATE not in statement:
                    database.execute(statement)
        made[dialect] = Place(str(path), canaries, watched)
    return made


@pytest.fixture(scope="module")
def postgres_place(tmp_path_factory: pytest.TempPathFactory, postgres_url: str) -> Iterator[Place]:
    import psycopg

    watched = tmp_path_factory.mktemp("postgres")
    canaries = watched / "canaries"
    canaries.mkdir()
    FIXTURE["files"](canaries)
    name = "averment_promise"
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")  # pyright: ignore[reportArgumentType]  # our own name
    url = postgres_url.replace("/postgres?", f"/{name}?")
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in FIXTURE["statements"]("postgres"):
            if PRIVATE not in statement:
                connection.execute(statement)
    yield Place(url, canaries, watched)
    with psycopg.connect(postgres_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")  # pyright: ignore[reportArgumentType]  # our own name


def outcome(workbench: Workbench, place: Place, sql: str) -> tuple[str, str]:
    """How a query ended, and all that came of it."""
    try:
        run = workbench.sql(sql, [place.source], timeout_seconds=2, row_limit=1000, deliverables=["tables"])
    except AvermentError as error:
        return error.code, f"{error.message} {error.hint} {error.details}"
    told = "" if run.table is None else str(run.table.to_pydict())
    assert run.table is None or run.table.num_rows <= 1000
    return run.status, f"{run.answer} {told}"


def judged(workbench: Workbench, place: Place, dialect: str) -> list[tuple[str, str]]:
    """The statements of a dialect whose end is another than the corpus asks for."""
    wrong: list[tuple[str, str]] = []
    for case in CASES:
        if case["dialect"] != dialect or case["id"] in NO_REQUEST:
            continue
        ended, told = outcome(workbench, place, place.text(case))
        wanted = {"completed"} if case["expect"] == "allow" else SAYS_NO
        if case["stage"] == "runtime":
            wanted = wanted | {"failed"}
        # The corpus's private table is not there; what says nothing of it otherwise is no attack then.
        if ended not in wanted and PRIVATE not in place.text(case):
            wrong.append((case["id"], ended))
        if CANARY in told:
            wrong.append((case["id"], "the canary"))
    return wrong


@pytest.mark.parametrize("dialect", ["duckdb", "sqlite"])
def test_a_hostile_query_is_refused_and_a_benign_one_answered(
    workbench: Workbench, places: dict[str, Place], dialect: str
) -> None:
    place = places[dialect]
    before = place.prints()
    assert judged(workbench, place, dialect) == []
    assert place.prints() == before


def rows_in(url: str) -> dict[str, list[Any]]:
    """Every row of every table of a Postgres database."""
    import psycopg

    with psycopg.connect(url) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
        return {name: connection.execute(f"SELECT t::text FROM {name} t ORDER BY 1").fetchall() for (name,) in names}


@pytest.mark.thorough
@pytest.mark.postgres
def test_a_hostile_query_is_refused_and_a_benign_one_answered_by_postgres(
    workbench: Workbench, postgres_place: Place
) -> None:
    before, held = postgres_place.prints(), rows_in(postgres_place.source)
    assert sum(map(len, held.values())) > 50
    assert judged(workbench, postgres_place, "postgres") == []
    assert postgres_place.prints() == before
    assert rows_in(postgres_place.source) == held


SALES = "region,contact,amount\nWest,ann@example.com,10\nEast,bob@example.com,5\nWest,cyd@example.com,7\n"
HOSTILE = (
    "DROP TABLE sales",
    "DELETE FROM sales",
    "INSERT INTO sales VALUES ('X','y',1)",
    "SELECT 1; DROP TABLE sales",
    "COPY sales TO '{out}/stolen.csv'",
    "COPY (SELECT * FROM sales) TO '{out}/stolen.parquet'",
    "EXPORT DATABASE '{out}/dump'",
    "SELECT * FROM read_csv('{secret}')",
    "SELECT content FROM read_text('{secret}')",
    "SELECT region, (SELECT content FROM read_text('{secret}')) AS x FROM sales",
    "SELECT * FROM '{secret}'",
    "SELECT * FROM glob('{out}/*')",
    "SELECT * FROM read_parquet('http://127.0.0.1:{port}/x.parquet')",
    "ATTACH '{out}/new.duckdb'",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access=true",
    "SELECT getenv('HOME') AS h",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM information_schema.tables",
    "CREATE TABLE t AS SELECT * FROM sales",
    "PRAGMA database_list",
)
OTHERWISE = {"SELECT * FROM '{secret}'": "MISSING_TABLE", "EXPORT DATABASE '{out}/dump'": "SQL_SYNTAX"}
"""What is no table here or no statement of the dialect never gets as far as a refusal."""
BENIGN = (
    ("SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY region", [["East", 5], ["West", 17]]),
    ("WITH w AS (SELECT amount FROM sales WHERE region = 'West') SELECT max(amount) AS m FROM w", [[10]]),
    ("SELECT 'DROP TABLE sales; --' AS note, count(*) AS n FROM sales", [["DROP TABLE sales; --", 3]]),
    ("SELECT region FROM sales QUALIFY row_number() OVER (ORDER BY amount DESC) = 1", [["West"]]),
)


@dataclass(frozen=True)
class Files:
    """A table, a secret beside it, and a folder that stays empty."""

    sales: Path
    secret: Path
    out: Path
    port: int
    knocked: list[bytes]

    def fill(self, sql: str) -> str:
        return sql.format(secret=self.secret, out=self.out, port=self.port)

    def untouched(self) -> bool:
        """Nothing was written, changed or asked for."""
        kept = self.sales.read_text() == SALES and self.secret.read_text() == f"word\n{CANARY}\n"
        return kept and list(self.out.iterdir()) == [] and self.knocked == []


@pytest.fixture
def files(tmp_path: Path) -> Iterator[Files]:
    """The files, and a server that notes who asks it for something."""
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer

    knocked: list[bytes] = []

    class Door(BaseHTTPRequestHandler):
        def handle_one_request(self) -> None:
            knocked.append(self.rfile.readline())
            self.close_connection = True

    door = HTTPServer(("127.0.0.1", 0), Door)
    thread = threading.Thread(target=door.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    sales, secret, out = tmp_path / "sales.csv", tmp_path / "secret.csv", tmp_path / "out"
    sales.write_text(SALES)
    secret.write_text(f"word\n{CANARY}\n")
    out.mkdir()
    yield Files(sales, secret, out, door.server_address[1], knocked)
    door.shutdown()
    door.server_close()
    thread.join()


def test_the_command_refuses_hostile_sql_with_exit_code_four(run_averment: Callable[..., Any], files: Files) -> None:
    for sql in HOSTILE[::3]:
        done = run_averment("sql", files.fill(sql), "--source", files.sales, "--json")
        assert CANARY not in done.out + done.told
        assert (done.error, done.code) == ((OTHERWISE[sql], 1) if sql in OTHERWISE else ("SQL_REFUSED", 4)), sql
    assert run_averment("sql", "DROP TABLE sales", "--source", files.sales).code == 4
    assert files.untouched()


def test_the_command_answers_benign_sql(run_averment: Callable[..., Any], files: Files) -> None:
    for sql, rows in BENIGN[:2]:
        done = run_averment("sql", sql, "--source", files.sales, "--json")
        assert done.code == 0, done.out
        for value in (value for row in rows for value in row):
            assert str(value) in done.out


def test_http_refuses_hostile_sql_and_answers_benign(served: Any, files: Files) -> None:
    for sql in HOSTILE[1::2]:
        run = served.run_of(served.ask(("sales.csv", SALES.encode()), sql=files.fill(sql)))
        assert run["status"] == "failed", sql
        assert run["error"]["code"] == OTHERWISE.get(sql, "SQL_REFUSED"), sql
        assert run["error"]["hint"]
        assert CANARY not in json.dumps(run)
    for sql, rows in BENIGN:
        run = served.run_of(served.ask(("sales.csv", SALES.encode()), sql=sql))
        table = served.client.get(f"/v1/runs/{run['id']}/artifacts/result.csv").text
        assert run["status"] == "completed"
        assert [list(map(str, row)) for row in rows] == list(csv.reader(io.StringIO(table)))[1:]
    assert files.untouched()


def test_mcp_refuses_hostile_sql_and_answers_benign(served: Any, files: Files) -> None:
    reference = served.upload("sales.csv", SALES.encode())
    asked = [("query", {"sql": files.fill(sql), "sources": [reference]}) for sql in HOSTILE]
    for sql, answer in zip(HOSTILE, served.calls(*asked), strict=True):
        said = str(answer.content)
        assert answer.is_error, sql
        assert OTHERWISE.get(sql, "SQL_REFUSED") in said, (sql, said)
        assert CANARY not in said
    for sql, rows in BENIGN:
        answer = served.call("query", sql=sql, sources=[reference])
        assert not answer.is_error, answer.content
        assert [[str(value) for value in row] for row in rows] == [
            [str(value) for value in (row.values() if isinstance(row, dict) else row)]
            for row in answer.structured_content["rows"]
        ]
    assert files.untouched()


def test_a_models_hostile_query_is_never_run(
    open_served: Any, model_at: Callable[[str], None], files: Files, tmp_path: Path
) -> None:
    speaker = Speaker()
    model_at(speaker.url)
    try:
        with open_served(tmp_path / "home", model_timeout_seconds=20) as served:
            for sql in HOSTILE[::3]:
                speaker.lie = {"sql": files.fill(sql)}
                before = speaker.asked
                run = served.workbench.analyze("how does the swing glow", [files.sales])
                assert speaker.asked > before
                assert run.status != "completed"
                assert CANARY not in json.dumps(run.as_dict(), default=str)
    finally:
        speaker.close()
    assert files.untouched()


DETOURS = (
    "SELECT contact FROM sales",
    "SELECT * FROM sales",
    "SELECT s.* FROM sales s",
    "SELECT COLUMNS('con.*') FROM sales",
    "SELECT upper(contact) AS c FROM sales",
    "SELECT md5(contact) AS c FROM sales",
    "SELECT region, string_agg(contact, ',') AS c FROM sales GROUP BY region",
    "SELECT max(contact) AS c FROM sales",
    "SELECT count(*) AS n FROM sales WHERE contact LIKE 'ann%'",
    "SELECT region FROM sales ORDER BY contact",
    "SELECT region, count(*) AS n FROM sales GROUP BY region, contact",
    "SELECT region, row_number() OVER (ORDER BY contact) AS n FROM sales",
    "WITH c AS (SELECT contact AS region FROM sales) SELECT region FROM c",
    "SELECT (SELECT min(contact) FROM sales) AS c",
    "SELECT a.region FROM sales a JOIN sales b ON a.contact = b.contact",
    "SELECT region FROM sales UNION SELECT contact FROM sales",
    "SELECT sales FROM sales",
    "SELECT to_json(sales) AS j FROM sales",
    "SELECT CASE WHEN contact > 'b' THEN 1 ELSE 0 END AS bit FROM sales",
)
"""Ways to a column that may not be read."""
PATTERNS = (
    "SELECT contact AS c FROM sales",
    "SELECT concat('<', contact, '>') AS c FROM sales",
    "SELECT string_agg(contact, ' ') AS c FROM sales",
    "SELECT max(contact) AS c FROM sales",
    "SELECT list(contact) AS c FROM sales",
    "SELECT region, {'a': contact} AS c FROM sales",
)
"""Ways to a value that may not be shown."""


def test_a_column_outside_the_policy_reaches_no_output_by_any_detour(
    workbench: Workbench, run_averment: Callable[..., Any], served: Any, files: Files
) -> None:
    allowed = ["region", "amount"]
    for sql in DETOURS:
        with pytest.raises(AvermentError) as raised:
            workbench.sql(sql, [files.sales], policy={"allowed_columns": allowed})
        assert raised.value.code in {"COLUMN_NOT_ALLOWED", "SQL_REFUSED", "MISSING_COLUMN"}, sql
        assert "@example" not in f"{raised.value.message}{raised.value.hint}{raised.value.details}"
    policy = [word for name in allowed for word in ("--allow-column", name)]
    done = run_averment("sql", DETOURS[0], "--source", files.sales, *policy, "--json")
    assert (done.error, done.code) == ("COLUMN_NOT_ALLOWED", 4)
    begun = served.ask(("sales.csv", SALES.encode()), sql=DETOURS[4], policy=json.dumps({"allowed_columns": allowed}))
    assert served.run_of(begun)["error"]["code"] == "COLUMN_NOT_ALLOWED"
    fine = workbench.sql(BENIGN[0][0], [files.sales], policy={"allowed_columns": allowed})
    assert fine.status == "completed"


def test_a_blocked_pattern_reaches_no_output_by_any_detour(
    workbench: Workbench, run_averment: Callable[..., Any], served: Any, files: Files
) -> None:
    for sql in PATTERNS:
        with pytest.raises(AvermentError) as raised:
            workbench.sql(
                sql.replace("{{", "{").replace("}}", "}"), [files.sales], policy={"blocked_patterns": ["email"]}
            )
        assert raised.value.code in {"PATTERN_BLOCKED", "COLUMN_NOT_ALLOWED"}, sql
        assert "@example" not in f"{raised.value.message}{raised.value.hint}{raised.value.details}"
    done = run_averment("analyze", "total amount by contact", "--source", files.sales, "--block-pattern", "email")
    assert done.code == 4
    assert "@example" not in done.out + done.told
    begun = served.ask(
        ("sales.csv", SALES.encode()), intent="total amount by contact", policy='{"blocked_patterns": ["email"]}'
    )
    told = begun.text if begun.status_code != 202 else json.dumps(served.run_of(begun))
    assert "PATTERN_BLOCKED" in told
    assert "@example" not in told
    fine = workbench.analyze("total amount by region", [files.sales], policy={"blocked_patterns": ["email"]})
    assert fine.status == "completed"
