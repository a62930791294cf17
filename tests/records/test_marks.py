"""How certain a reading is, from what its run recorded, also where an earlier version recorded it."""

from __future__ import annotations

import pytest

from averment.records.marks import marks_of


def test_a_like_question_is_certain_only_if_somebody_confirmed_the_one_before() -> None:
    read = {"read_as": "total amount, in sales", "grade": "recipe", "recipe": {"recipe_id": "r", "confirmed": False}}
    assert marks_of(read, ()).interpretation.code == "probable"
    read["recipe"] = {"recipe_id": "r", "confirmed": True}
    assert marks_of(read, ()).interpretation.code == "confirmed"


@pytest.mark.parametrize(
    ("grade", "odds", "code"),
    [
        ("two readings agree", 0.97, "sure"),
        ("two readings agree", 0.7, "probable"),
        ("two readings agree", None, "sure"),
        ("one reading, every word used", 0.99, "sure"),
        ("one reading, every word used", 0.8, "probable"),
        ("you chose it", None, "chosen"),
        ("you gave the plan", None, "given"),
        ("you wrote the query", None, "given"),
        ("you taught the word", None, "confirmed"),
        ("as a like question before", None, "probable"),
        ("read by a model alone", None, "model"),
    ],
)
def test_a_run_of_an_earlier_version_gets_the_same_marks(grade: str, odds: float | None, code: str) -> None:
    assert marks_of({"read_as": "x", "grade": grade, "odds": odds}, ()).interpretation.code == code
