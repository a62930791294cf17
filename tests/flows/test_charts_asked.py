"""A chart is drawn as it was asked for, in words or by its kind, and what the judge has seen is not looked at again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from averment import Workbench
from averment.errors import InvalidRequest
from averment.faces.cli.app import app

SALES = "region,amount\nWest,10\nEast,20\nNorth,5\nWest,7\n"


@pytest.fixture
def sales(tmp_path: Path) -> Path:
    path = tmp_path / "sales.csv"
    path.write_text(SALES)
    return path


def kind_of(run: Any) -> str:
    (chart,) = [each for each in run.artifacts if each.content_ref.endswith("/chart.png")]
    return str(chart.metadata["chart_type"])


@pytest.mark.parametrize(
    ("question", "options", "kind"),
    [
        ("total amount by region", {}, "bar"),
        ("total amount by region as an area chart", {}, "area"),
        ("total amount by region", {"chart": "line"}, "line"),
        ("total amount by region as a bar chart", {"chart": "line"}, "line"),
    ],
)
def test_a_chart_is_drawn_as_it_was_asked_for(
    workbench: Workbench, sales: Path, question: str, options: dict[str, str], kind: str
) -> None:
    run = workbench.analyze(question, [sales], **options)
    assert kind_of(run) == kind
    assert workbench.verify(run.id).ok
    again = workbench.analyze("make that a donut chart", [sales], after=run)
    assert kind_of(again) == "pie"
    assert again.table == run.table


def test_a_plan_is_drawn_as_wanted_too_and_an_unknown_kind_is_refused(workbench: Workbench, sales: Path) -> None:
    plan = "from sales by region take sum(amount)"
    assert kind_of(workbench.run_plan(plan, [sales], chart="pie")) == "pie"
    with pytest.raises(InvalidRequest):
        workbench.analyze("total amount by region", [sales], chart="hologram")


def test_the_command_line_and_the_tools_take_the_kind(tmp_path: Path, workbench: Workbench, sales: Path) -> None:
    words = ["--home", str(tmp_path / "cli"), "analyze", "total amount by region", "--source", str(sales)]
    done = CliRunner().invoke(app, [*words, "--chart", "pie", "--json"], standalone_mode=False)
    told = json.loads(done.stdout)
    assert told["read_back"] == "total amount, by region, as a pie chart, in sales"
    asked = {"question": "total amount by region", "sources": [str(sales)], "chart": "pie"}
    assert workbench.assistant.call("analyze", asked, key="c1").result["read_back"] == told["read_back"]


def test_what_the_judge_has_seen_is_not_looked_at_again(
    workbench: Workbench, sales: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from averment.runtime.run_queries import RunQueries

    seen: list[str] = []
    probe = RunQueries.probe

    def counted(self: RunQueries, sql: str, *asked: Any, **more: Any) -> Any:
        seen.append(sql)
        return probe(self, sql, *asked, **more)

    monkeypatch.setattr(RunQueries, "probe", counted)
    workbench.analyze("total amount by region", [sales])
    assert seen
    assert len(seen) == len(set(seen))
