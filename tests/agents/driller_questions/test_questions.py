"""Eighty questions to finished investigations: nearly all are answered, and nothing that is said is wrong."""

from __future__ import annotations

import pytest
from ask import Answered, ask_all

from averment.settings import Settings
from averment.workbench import Workbench

pytestmark = pytest.mark.timeout(600)


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[Answered]:
    home = tmp_path_factory.mktemp("home")
    with Workbench(settings=Settings(home=home, model_provider="none")) as workbench:
        return ask_all(workbench, tmp_path_factory.mktemp("businesses"))


def test_no_answer_is_wrong(answers: list[Answered]) -> None:
    assert not [(each.asked["asked"], each.answer) for each in answers if each.verdict == "wrong"]


def test_nine_of_ten_questions_are_answered(answers: list[Answered]) -> None:
    assert len(answers) >= 80
    assert sum(each.verdict == "right" for each in answers) >= 0.9 * len(answers)


def test_no_answer_shows_hashes_or_asks_what_to_count(answers: list[Answered]) -> None:
    assert not [each.answer for each in answers if "What shall I count" in each.answer or "sha256" in each.answer]
