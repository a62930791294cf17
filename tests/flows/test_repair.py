"""A query that fails is mended by what kind of failure it was, and what was done otherwise is said."""

from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.agents.analyst.agent import Analyst
from averment.agents.analyst.model import ModelReasoner
from averment.errors import ModelUnavailable
from averment.factory import AgentFactory
from averment.settings import Settings

QUESTION = "which galaxy shines brightest"


class Writer:
    """A model that writes one query and does nothing else."""

    def __init__(self, sql: str, chart: dict[str, str] | None = None) -> None:
        self.sql, self.chart = sql, chart

    def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
        if purpose != "plan":
            raise ModelUnavailable("This model does nothing else.")
        return output_type.model_validate({"sql": self.sql, "in_words": "what was asked", "chart": self.chart})


def written(
    workbench: Workbench, sql: str, monkeypatch: pytest.MonkeyPatch, chart: dict[str, str] | None = None
) -> None:
    analyst = Analyst(ModelReasoner(Writer(sql, chart)))
    monkeypatch.setattr(AgentFactory, "analyst", lambda self, recorded=None: analyst)


def attempts(workbench: Workbench, run_id: str) -> list[tuple[str, str]]:
    calls = [event for event in workbench.runs.events(run_id) if event.type in {"call_started", "call_observed"}]
    started, seen = calls[::2], calls[1::2]
    assert [event.type for event in calls] == ["call_started", "call_observed"] * len(seen)
    assert [event.data["attempt"] for event in started] == [event.data["attempt"] for event in seen]
    return [(event.data["task_id"], event.data["status"]) for event in seen]


@pytest.fixture
def prices(tmp_path: Path) -> Path:
    path = tmp_path / "prices.csv"
    path.write_text("day,item,price\n2024-01-05,Lamp,10\n2024-01-06,Desk,about 7\n2024-02-07,Chair,2.5\nsoon,Sofa,x\n")
    return path


@pytest.mark.seed("A-033")
def test_numbers_in_a_text_column_are_read_and_the_rest_is_said_to_be_left_out(
    workbench: Workbench, prices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(workbench, "SELECT sum(price) AS total FROM prices", monkeypatch)
    run = workbench.analyze(QUESTION, [prices])
    assert run.status == "completed"
    assert attempts(workbench, run.id) == [("query", "error"), ("query", "success")]
    assert run.table is not None
    assert run.table.to_pylist() == [{"total price": 12.5}]
    assert "price is text" in (run.answer or "")
    assert "Caveats" in (run.report or "")
    assert workbench.verify(run.id).ok


def test_dates_in_a_text_column_are_read(workbench: Workbench, prices: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sql = "SELECT date_trunc('month', day) AS month, count(*) AS n FROM prices GROUP BY 1 ORDER BY 2 DESC, 1"
    written(workbench, sql, monkeypatch)
    run = workbench.analyze(QUESTION, [prices])
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.column("number of rows").to_pylist() == [2, 1, 1]
    assert "day is text" in (run.answer or "")
    assert workbench.verify(run.id).ok


def test_a_comparison_of_text_with_a_number_is_mended(
    workbench: Workbench, prices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(workbench, "SELECT item FROM prices WHERE price > 5 ORDER BY item", monkeypatch)
    run = workbench.analyze(QUESTION, [prices])
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.to_pylist() == [{"item": "Lamp"}]


@pytest.fixture
def odd_names(tmp_path: Path) -> Path:
    path = tmp_path / "odd.csv"
    path.write_text('order,group,unit price,"say ""hi"""\n1,a,2.5,x\n2,b,3.5,y\n3,a,4.0,z\n')
    return path


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT group, sum(unit price) AS s FROM odd GROUP BY group ORDER BY group",
        'SELECT "group", sum(unit price) AS s FROM odd GROUP BY "group" ORDER BY group',
        'SELECT group, sum("unit price") AS s FROM odd GROUP BY group ORDER BY 1',
    ],
)
def test_names_that_need_quotes_get_them(
    workbench: Workbench, odd_names: Path, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    written(workbench, sql, monkeypatch)
    run = workbench.analyze(QUESTION, [odd_names])
    assert run.status == "completed"
    assert run.table is not None
    assert run.table.column("total unit price").to_pylist() == [pytest.approx(6.5), pytest.approx(3.5)]
    assert workbench.verify(run.id).ok


def test_odd_names_need_no_repair_when_the_rules_write_the_query(workbench: Workbench, odd_names: Path) -> None:
    run = workbench.analyze("total unit price by group", [odd_names])
    assert run.status == "completed"
    assert {status for _, status in attempts(workbench, run.id)} == {"success"}
    assert run.table is not None
    assert run.table.column("group").to_pylist() == ["a", "b"]
    assert workbench.verify(run.id).ok


def test_a_median_that_needs_too_much_memory_is_estimated_from_a_stated_sample(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    rows = 16_000_000
    values = numpy.random.default_rng(3).random(rows)
    path = tmp_path / "measures.parquet"
    parquet.write_table(arrow.table({"value": values}), path)
    del values
    with Workbench(settings=Settings(home=tmp_path / "home", query_memory_mb=192)) as workbench:
        run = workbench.analyze("median value", [path], timeout_seconds=180)
        assert run.status == "completed"
        assert attempts(workbench, run.id)[0] == ("query", "resource_limit")
        assert run.table is not None
        assert run.table.column(0).to_pylist() == [pytest.approx(0.5, abs=0.01)]
        assert "sample of 10 % of the rows" in (run.answer or "")
        assert "sample of 10 % of the rows" in (run.report or "")
        assert workbench.verify(run.id).ok


def test_a_total_is_never_taken_from_a_sample(tmp_path: Path) -> None:
    from averment.tables.engines.rewrite_query import sample_rows

    schema = {"t": {"x": "DOUBLE"}}
    assert sample_rows("SELECT avg(x) FROM t", "duckdb", schema, 10) is not None
    for sql in ("SELECT sum(x) FROM t", "SELECT avg(x), count(*) FROM t", "SELECT max(x) FROM t", "SELECT x FROM t"):
        assert sample_rows(sql, "duckdb", schema, 10) is None


def test_what_worked_is_kept_when_a_later_step_fails(
    workbench: Workbench, prices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chart = {"type": "bar", "x_col": "n", "y_col": "item"}
    written(workbench, "SELECT item, count(*) AS n FROM prices GROUP BY item ORDER BY item", monkeypatch, chart)
    run = workbench.analyze(QUESTION, [prices])
    assert run.status == "partial_success"
    assert run.table is not None
    assert run.table.num_rows == 4
    assert "The step chart failed" in (run.report or "")
    assert workbench.verify(run.id).ok


def test_a_query_that_never_runs_is_given_up_and_what_is_asked_back_quotes_no_data(
    workbench: Workbench, prices: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(workbench, "SELECT max(CAST(item AS INTEGER)) AS most FROM prices", monkeypatch)
    run = workbench.analyze(QUESTION, [prices])
    assert run.status == "clarification_needed"
    assert attempts(workbench, run.id) == []
    assert "Lamp" not in (run.answer or "") + (run.report or "")
