"""A part of a date, or a step from one to the next, is computed from the data; what is written in is still refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from averment import Workbench
from averment.settings import Settings
from played_model import model_saying, observations, submitting

ICE = "Day,Extent\n" + "".join(
    f"{year}-{month:02d}-15,{12 - (year - 2000) / 4 + month / 8}\n"
    for year in range(2000, 2006)
    for month in range(1, 13)
)
DAY = {"table": "ice", "column": "Day"}
PLAN = {
    "table": "ice",
    "by": [{"kind": "part", "part": "year", **DAY}],
    "measures": [{"function": "mean", "of": {"table": "ice", "column": "Extent"}}],
    "expects": "series",
}
PER_YEAR = {
    "plan": {"plan": PLAN},
    "year()": {"sql": 'SELECT year("Day"), AVG("Extent") FROM ice GROUP BY 1'},
    "EXTRACT": {"sql": 'SELECT EXTRACT(YEAR FROM "Day"), AVG("Extent") FROM ice GROUP BY 1'},
    "date_trunc": {"sql": 'SELECT date_trunc(\'year\', "Day"), AVG("Extent") FROM ice GROUP BY 1'},
    "date_part": {"sql": 'SELECT date_part(\'year\', "Day"), AVG("Extent") FROM ice GROUP BY 1'},
}


@pytest.fixture
def ice(tmp_path: Path) -> Path:
    path = tmp_path / "ice.csv"
    path.write_text(ICE)
    return path


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=tmp_path / "home")) as opened:
        yield opened


def averages(run: Any) -> list[float]:
    assert run.table is not None
    return [round(float(list(row.values())[1]), 6) for row in run.table.to_pylist()]


@pytest.mark.parametrize("way", PER_YEAR)
def test_an_average_per_year_reaches_the_user_whichever_way_a_model_writes_it(
    workbench: Workbench, ice: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    with model_saying(submitting(PER_YEAR[way]), monkeypatch) as model:
        run = workbench.analyze("average extent per year", [ice])
    assert run.status == "completed"
    assert sorted(averages(run)) == [11.5625, 11.8125, 12.0625, 12.3125, 12.5625, 12.8125]
    assert observations(model.prompts[-1]) == []
    assert workbench.verify(run.id).ok


def test_a_count_per_year_since_a_year_is_answered_by_a_models_extract(
    workbench: Workbench, ice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sql = 'SELECT EXTRACT(YEAR FROM "Day"), COUNT(*) FROM ice WHERE EXTRACT(YEAR FROM "Day") >= 2003 GROUP BY 1'
    with model_saying(submitting({"sql": sql}), monkeypatch):
        run = workbench.analyze("rows per year since 2003", [ice])
    assert run.status == "completed"
    assert run.table is not None
    assert [tuple(row.values()) for row in run.table.to_pylist()] == [(2003, 12), (2004, 12), (2005, 12)]


def test_a_number_made_up_in_a_models_plan_is_refused_when_it_is_tried_so_that_it_can_be_corrected(
    workbench: Workbench, ice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = {
        "kind": "arithmetic",
        "operation": "+",
        "operands": [{"table": "ice", "column": "Extent"}, {"kind": "number", "number": 999}],
    }
    forged = {**PLAN, "measures": [{"function": "mean", "of": more}]}
    with model_saying(submitting({"plan": forged}, {"plan": PLAN}), monkeypatch) as model:
        run = workbench.analyze("average extent per year", [ice])
    assert "PLAN_INVALID" in str(observations(model.prompts[1])[0])
    assert run.status == "completed"
    assert run.marks.interpretation.code == "sure"
    assert max(averages(run)) < 13


def test_a_model_that_keeps_to_a_made_up_number_leaves_the_answer_to_the_readers_with_the_true_reason(
    workbench: Workbench, ice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_saying(submitting({"sql": 'SELECT year("Day"), 42 AS "Extent" FROM ice'}), monkeypatch):
        run = workbench.analyze("average extent per year", [ice])
    assert run.status == "completed"
    assert max(averages(run)) < 13
    fell, *_ = [event.data for event in workbench.runs.events(run.id) if event.type == "model_fell_back"]
    assert "42" in fell["reason"]
    assert workbench.verify(run.id).ok
