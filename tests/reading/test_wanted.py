"""Requests whose last sentence says what the answer must tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from averment.reading.reader import read
from averment.reading.slots.preamble import without_preamble

if TYPE_CHECKING:
    from conftest import Library


@pytest.mark.parametrize(
    ("request_", "rows"),
    [
        (
            "Which city has the highest total fare? Return the city, the number of rides and the average minutes.",
            [["Oslo", 22.0, 4, 23.0]],
        ),
        (
            "What are the top 2 riders by number of rides? Show the rider and total minutes.",
            [["Ada", 2, 20], ["Ben", 2, 58]],
        ),
        ("What is the total fare by plan? Give me the plan, total fare and ride count.", None),
        (
            "Which plan has the lowest average fare? Report the plan as well as its average fare.",
            [["month", pytest.approx(3.5833, abs=1e-3)]],
        ),
    ],
)
def test_what_the_last_sentence_names_stands_beside_the_answer(
    rides: Library, request_: str, rows: list[list[object]] | None
) -> None:
    question, schema = without_preamble(request_, rides.schema)
    assert schema.wanted
    assert question.endswith("?") and question in request_
    best = read(question, schema)[0]
    assert best.left == (), (best.left, best.read_back)
    assert rows is None or rides.rows(best) == rows
    assert rows is not None or [m.function for m in best.plan.measures] == ["sum", "rows"]


def test_a_key_is_told_beside_the_name_it_belongs_to(books: Library) -> None:
    question, schema = without_preamble("Which author has the most books? Return the author id and name.", books.schema)
    best = read(question, schema)[0]
    assert best.left == ()
    assert books.rows(best)[0][:2] == ["Moe", 1]


@pytest.mark.parametrize(
    "request_",
    [
        "How many rides are there? Show a bar chart by city.",
        "Which city has the most rides? Return the mayor of it.",
        "What is the average fare by city? List them in descending order.",
    ],
)
def test_a_last_sentence_that_does_more_stays_in_the_question(rides: Library, request_: str) -> None:
    question, schema = without_preamble(request_, rides.schema)
    assert question == request_
    assert schema.wanted == ()
