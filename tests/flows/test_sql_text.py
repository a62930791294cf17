"""A query that a person wrote: guarded, run as it is, told row by row, and proved like an answer."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest
from click.testing import CliRunner

from averment import Workbench
from averment.errors import (
    AvermentError,
    ColumnNotAllowed,
    InvalidArguments,
    InvalidRequest,
    MissingColumn,
    MissingTable,
    SqlRefused,
    SqlSyntax,
)
from averment.faces.cli.app import app

BY_REGION = "SELECT region, sum(amount) AS total FROM sales GROUP BY region ORDER BY total DESC"


def test_a_query_is_run_told_and_proved(workbench: Workbench, sales: Path) -> None:
    run = workbench.sql(BY_REGION, [sales])
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.to_pydict() == {
        "region": ["West", "East", "North"],
        "total": [Decimal("18.60"), Decimal("8.40"), Decimal("8.00")],
    }
    for told in ("3 rows", "West, total 18.60", "East, total 8.40", "North, total 8.00"):
        assert told in (run.answer or "")
    assert {Path(artifact.content_ref).name for artifact in run.artifacts} == {"result.csv", "report.md", "summary.txt"}
    assert [task["tool_name"] for task in (run.tasks or {})["subtasks"]] == ["sql.run"]
    verdict = workbench.verify(run.id)
    assert verdict.ok, verdict.faults
    again, differences = workbench.runs.replay(run.id)
    assert (again.answer, differences) == (run.answer, ())


@pytest.mark.parametrize(
    ("query", "whose", "rows"),
    [
        ("SELECT TOP 1 region FROM [sales] ORDER BY amount DESC, region", "SQL Server", [{"region": "West"}]),
        ("SELECT date_format(DATE '2024-05-06', '%Y-%m') AS m FROM `sales` LIMIT 1", "MySQL", [{"m": "2024-05"}]),
        ("SELECT to_char(DATE '2024-05-06', 'YYYY') AS y FROM sales LIMIT 1", "PostgreSQL", [{"y": "2024"}]),
        (
            "SELECT datediff(day, DATE '2024-05-06', DATE '2024-05-09') AS n FROM sales LIMIT 1",
            "SQL Server",
            [{"n": 3}],
        ),
    ],
)
def test_a_query_in_the_sql_of_another_database_is_put_into_the_sources_own_and_that_is_said(
    query: str, whose: str, rows: list[dict[str, object]], workbench: Workbench, sales: Path
) -> None:
    run = workbench.sql(query, [sales])
    assert run.table is not None
    assert run.table.to_pylist() == rows
    assert f"put from the SQL of {whose} into that of DuckDB" in str(run.read_back)
    verdict = workbench.verify(run.id)
    assert verdict.ok, verdict.faults


@pytest.mark.parametrize("query", ['SELECT "amuont" FROM sales', 'SELECT region FROM sales WHERE region = "Wets"'])
def test_a_name_that_is_missing_is_no_text_of_another_database(query: str, workbench: Workbench, sales: Path) -> None:
    with pytest.raises(MissingColumn):
        workbench.sql(query, [sales])


def test_a_changed_result_is_found_out(workbench: Workbench, sales: Path) -> None:
    run = workbench.sql(BY_REGION, [sales])
    sales.write_text(sales.read_text().replace("10.50", "99.50"))
    assert not workbench.verify(run.id).ok


def test_of_a_long_result_the_count_the_first_and_the_last_row_are_told(workbench: Workbench, sales: Path) -> None:
    query = "SELECT a.amount AS one, b.amount AS other FROM sales a CROSS JOIN sales b ORDER BY one, other"
    run = workbench.sql(query, [sales])
    assert run.answer == (
        "The result has 36 rows. The first is: one 1.15, other 1.15. The last is: one 10.50, other 10.50."
    )
    assert workbench.verify(run.id).ok


def test_one_row_and_no_row_are_answers(workbench: Workbench, sales: Path) -> None:
    one = workbench.sql("SELECT count(*) AS orders, max(order_date) AS latest FROM sales", [sales])
    assert one.answer == "The result is: orders 6, latest 2024-03-09."
    none = workbench.sql("SELECT region FROM sales WHERE amount > 1000", [sales])
    assert (none.status, none.answer) == ("completed", "The result has 0 rows.")
    assert workbench.verify(one.id).ok
    assert workbench.verify(none.id).ok


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("DROP TABLE sales", SqlRefused),
        ("SELECT 1; DROP TABLE sales", SqlRefused),
        ("SELECT * FROM read_csv('/etc/passwd')", SqlRefused),
        ("COPY sales TO 'out.csv'", SqlRefused),
        ("SELECT getenv('HOME') AS h", SqlRefused),
        ("SELEC region FROM sales", SqlSyntax),
        ("SELECT region FROM sales WHERE (", SqlSyntax),
        ("SELECT colour FROM sales", MissingColumn),
        ("SELECT region FROM salaries", MissingTable),
        ("SELECT region, region FROM sales", InvalidArguments),
        ("SELECT region FROM sales WHERE amount > ?", InvalidArguments),
        ("SELECT now() AS t", InvalidArguments),
    ],
)
def test_a_query_that_may_not_run_says_why(
    workbench: Workbench, sales: Path, query: str, error: type[AvermentError]
) -> None:
    with pytest.raises(error) as raised:
        workbench.sql(query, [sales])
    assert raised.value.message
    (kept,) = workbench.runs.list()
    assert (kept.status, (kept.error or {})["code"]) == ("failed", error.code)
    assert workbench.ledger.verify_file(workbench.settings.ledger_path).ok


def test_an_empty_or_endless_query_is_no_request(workbench: Workbench, sales: Path) -> None:
    for query in ("  ", "SELECT 1 --" + "x" * 20_000):
        with pytest.raises(InvalidRequest):
            workbench.sql(query, [sales])
    assert workbench.runs.list() == []


def test_the_policy_holds_for_queries_too(workbench: Workbench, sales: Path) -> None:
    with pytest.raises(ColumnNotAllowed):
        workbench.sql(BY_REGION, [sales], policy={"allowed_columns": ["amount"]})
    run = workbench.sql("SELECT sum(amount) AS total FROM sales", [sales], policy={"allowed_columns": ["amount"]})
    assert run.answer == "The result is: total 35.00."


def test_what_a_person_wrote_is_not_rewritten(workbench: Workbench, sales: Path) -> None:
    run = workbench.sql("SELECT CAST(region AS INTEGER) AS n FROM sales", [sales])
    assert run.status == "failed"
    assert run.answer == "The query failed: a column or value has another type than it takes."
    assert len(workbench.runs.calls(run.id)) == 1


def test_a_query_over_two_files_joins_them(workbench: Workbench, sales: Path, tmp_path: Path) -> None:
    regions = tmp_path / "regions.csv"
    regions.write_text("region,head\nWest,Ada\nEast,Ben\n")
    query = "SELECT head, sum(amount) AS total FROM sales JOIN regions USING (region) GROUP BY head ORDER BY head"
    run = workbench.sql(query, [sales, regions])
    assert "head Ada, total 18.60" in (run.answer or "")
    assert workbench.verify(run.id).ok


def test_the_command_line_runs_queries_and_exits_by_what_came_of_them(tmp_path: Path, sales: Path) -> None:
    def call(query: str, *options: str) -> tuple[int, str]:
        arguments = ["--home", str(tmp_path / "home"), "sql", query, "--source", str(sales), *options]
        done = CliRunner().invoke(app, arguments, standalone_mode=False)
        if done.exception is not None:
            raise done.exception
        return done.return_value, done.stdout

    code, told = call("SELECT count(*) AS orders FROM sales", "--json", "--quiet")
    assert code == 0
    assert json.loads(told)["answer"] == "The result is: orders 6."
    code, told = call("SELECT region FROM sales ORDER BY region", "--quiet")
    assert (code, "region" in told, "averment verify" in told) == (0, True, True)
    with pytest.raises(SqlRefused):
        call("DELETE FROM sales", "--quiet")
