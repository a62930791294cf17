"""Every reading that is offered can be chosen, whatever its headings hold, and says what it computes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from averment import Workbench
from averment.settings import Settings
from played_model import model_saying, submitting

STAFF = "person,position,years\nAnn,Minister,3\nBob,Minister,1\nCid,Judge,7\nDan,Judge,2\nEve,Clerk,5\n"
TURNOVER = 'SELECT COUNT(*) * 1.0 / COUNT(DISTINCT "position") AS turnover FROM staff'
TOO_LONG = 'SELECT "position", COUNT(*) FILTER (WHERE "years" > 2.5) * 100.0 / COUNT(*) AS p FROM staff GROUP BY 1'
QUESTION = "which post has the greatest turnover"
ASKS = {
    "tool": "ask",
    "question_back": "What counts as turnover?",
    "choices": [{"sql": TURNOVER}, {"sql": TOO_LONG}],
}


@pytest.fixture
def staff(tmp_path: Path) -> Path:
    path = tmp_path / "staff.csv"
    path.write_text(STAFF)
    return path


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=tmp_path / "home")) as opened:
        yield opened


@pytest.mark.parametrize("number", [1, 2])
def test_a_reading_of_a_model_with_numbers_in_its_headings_is_chosen_and_verified(
    workbench: Workbench, staff: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    with model_saying(submitting(ASKS), monkeypatch):
        asked = workbench.analyze(QUESTION, [staff])
        assert asked.status == "clarification_needed"
        offer = asked.offers[number - 1]
        chosen = workbench.choose(asked, number)
    assert chosen.status == "completed"
    assert chosen.table is not None
    assert [tuple(row.values()) for row in chosen.table.to_pylist()] == [tuple(row) for row in offer.rows]
    assert workbench.verify(chosen.id).ok


def test_a_chosen_reading_is_told_by_what_it_computes(
    workbench: Workbench, staff: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_saying(submitting(ASKS), monkeypatch):
        asked = workbench.analyze(QUESTION, [staff])
        chosen = workbench.choose(asked, 1)
    assert chosen.read_back == asked.offers[0].read_back
    assert "number of different position" in (chosen.read_back or "")
    assert chosen.marks.interpretation.code == "chosen"
    assert (chosen.read_back or "") in (chosen.report or "").replace("\\", "")


def test_a_choice_is_remembered_without_a_model(
    workbench: Workbench, staff: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with model_saying(submitting(ASKS), monkeypatch):
        chosen = workbench.choose(workbench.analyze(QUESTION, [staff]), 1)
        again = workbench.analyze(QUESTION, [staff])
    assert again.marks.interpretation.code == "chosen"
    assert again.answer == chosen.answer
    assert again.read_back == chosen.read_back
