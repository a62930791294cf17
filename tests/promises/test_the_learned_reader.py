"""The model inside the process reads beside the grammar: its answers are plans, are proven, and never change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings

RIDES = (
    "city,driver,fare_eur,minutes\nOslo,Ann,4,10\nOslo,Ben,6,12\nBergen,Ann,8,30\n"
    "Bergen,Eva,9,22\nBergen,Ben,12,35\nMoss,Eva,3,9\n"
)


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=tmp_path / "home", embedded_model="auto")) as opened:
        yield opened


@pytest.fixture
def rides(tmp_path: Path) -> Path:
    path = tmp_path / "rides.csv"
    path.write_text(RIDES)
    return path


def test_both_readers_are_asked_and_the_answer_is_proven_and_the_same_twice(workbench: Workbench, rides: Path) -> None:
    first = workbench.analyze("fare per minute in Bergen", rides)
    again = workbench.analyze("fare per minute in Bergen", rides)
    way = workbench.runs.explain(first.id)
    assert way["ensemble"]["answers"] >= 2
    assert any(each["queries"] for each in way["ensemble"]["results"])
    assert all(each["queries"] or each["grammar"] or each["compact"] for each in way["ensemble"]["results"])
    assert (first.answer, first.odds, first.rivals) == (again.answer, again.odds, again.rivals)
    if first.status == "completed":
        assert workbench.verify(first.id).ok


def test_what_the_data_cannot_tell_is_not_answered(workbench: Workbench, rides: Path) -> None:
    for question in ("which driver had the most accidents", "what did fuel cost in Oslo", "average age of our drivers"):
        run = workbench.analyze(question, rides)
        assert run.status == "clarification_needed", run.answer


def test_what_else_a_probable_answer_could_mean_can_be_chosen(tmp_path: Path, rides: Path) -> None:
    with Workbench(settings=Settings(home=tmp_path / "other", embedded_model="none")) as workbench:
        run = workbench.analyze("top driver", rides)
        assert run.marks.interpretation.code == "probable"
        assert run.rivals
        chosen = workbench.choose(run.id, 1)
        assert chosen.read_back == run.rivals[0].read_back
        assert chosen.marks.interpretation.code == "chosen"
        assert workbench.verify(chosen.id).ok
