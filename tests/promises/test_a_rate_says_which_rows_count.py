"""A rate in a plan says which rows count, or the plan is refused: a forgotten condition never reads as 100 %."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.errors import AvermentError
from averment.settings import Settings
from played_model import model_saying, observations, submitting

SQUIRRELS = """fur,running,climbs,marked,weight
Black,true,1,Y,300
Black,false,0,N,310
Black,true,1,Y,320
Gray,false,0,Y,330
Gray,,1,N,340
"""
BLACK = {"value": {"table": "squirrels", "column": "fur"}, "to": ["Black"]}


@pytest.fixture
def squirrels(tmp_path: Path) -> Path:
    path = tmp_path / "squirrels.csv"
    path.write_text(SQUIRRELS)
    return path


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=tmp_path / "home")) as opened:
        yield opened


def rate(**more: Any) -> dict[str, Any]:
    return {"table": "squirrels", "measures": [{"function": "rate", **more}], "expects": "figure"}


def of(column: str) -> dict[str, Any]:
    return {"of": {"table": "squirrels", "column": column}}


@pytest.mark.parametrize(("column", "percent"), [("running", 50.0), ("climbs", 60.0), ("marked", 60.0)])
def test_a_rate_of_a_yes_no_column_is_its_share_of_yes_among_the_known(
    workbench: Workbench, squirrels: Path, column: str, percent: float
) -> None:
    run = workbench.run_plan(rate(**of(column)), [squirrels])
    assert run.table is not None
    assert [tuple(row.values()) for row in run.table.to_pylist()] == [(percent,)]
    assert column in (run.read_back or "")
    assert workbench.verify(run.id).ok


@pytest.mark.parametrize(
    "body",
    [
        rate(),
        rate(**of("weight")),
        rate(**of("fur")),
        rate(**of("running"), where=[BLACK]),
        {**rate(), "where": [BLACK], "by": [{"table": "squirrels", "column": "fur"}]},
        {
            "table": "squirrels",
            "by": [{"table": "squirrels", "column": "fur"}],
            "measures": [{"function": "rows"}],
            "having": [{"measure": {"function": "rate"}, "operator": ">", "to": [50]}],
        },
    ],
)
def test_a_rate_that_does_not_say_which_rows_count_is_refused(
    workbench: Workbench, squirrels: Path, body: dict[str, Any]
) -> None:
    with pytest.raises(AvermentError) as refused:
        workbench.run_plan(body, [squirrels])
    assert refused.value.code == "INVALID_ARGUMENTS"
    assert refused.value.hint


def test_a_rate_with_its_condition_is_what_it_was(workbench: Workbench, squirrels: Path) -> None:
    run = workbench.run_plan(rate(where=[BLACK]), [squirrels])
    assert run.table is not None
    assert [tuple(row.values()) for row in run.table.to_pylist()] == [(60.0,)]


def test_the_command_refuses_a_written_rate_and_reads_one_of_a_yes_no_column(tmp_path: Path, squirrels: Path) -> None:
    def averment(line: str) -> subprocess.CompletedProcess[str]:
        plan = tmp_path / "plan.txt"
        plan.write_text(line)
        command = [sys.executable, "-m", "averment", "plan", str(plan), "--source", str(squirrels), "--json"]
        home = {"AVERMENT_HOME": str(tmp_path / "command_home"), "PATH": ""}
        return subprocess.run(command, capture_output=True, text=True, check=False, env=home)

    refused = averment('from squirrels where fur = "Black" take rate()')
    assert refused.returncode == 2
    assert "INVALID_ARGUMENTS" in refused.stdout + refused.stderr
    read = averment('from squirrels where fur = "Black" take rate(running)')
    assert read.returncode == 0
    assert "66.7 %" in json.loads(read.stdout)["answer"]


def test_a_model_that_forgets_the_condition_is_told_and_corrects_it(
    workbench: Workbench, squirrels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forgotten = {"plan": {**rate(**of("weight")), "where": [BLACK]}}
    right = {"plan": {**rate(**of("running")), "where": [BLACK]}}
    with model_saying(submitting(forgotten, right), monkeypatch) as model:
        run = workbench.analyze("what part of the black ones is on the run", [squirrels])
    assert "INVALID_ARGUMENTS" in str(observations(model.prompts[1])[0])
    assert run.table is not None
    assert [round(next(iter(row.values())), 4) for row in run.table.to_pylist()] == [66.6667]
