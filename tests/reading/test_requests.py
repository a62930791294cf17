"""Requests as people write them: with a chart and its order, and with a column made up first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from averment.plans.compile import compile_plan
from averment.plans.plan import Plan
from averment.reading.judge.judging import without_presentation
from averment.reading.reader import read
from averment.reading.slots.preamble import without_preamble

if TYPE_CHECKING:
    from conftest import Library


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Visualize by bar chart the average fare by city, x axis in ascending order", ["Bergen", "Moss", "Oslo"]),
        ("Show the number of rides for each city with a bar chart, rank by the y axis in desc", ["Oslo", "Bergen"]),
        ("How many rides for each city? Show a pie chart, and sort in desc by the number of rides", ["Oslo", "Bergen"]),
        ("Give me the total minutes by city in a bar graph, order names from z to a", None),
    ],
)
def test_a_chart_and_its_order_leave_no_word_over(rides: Library, question: str, rows: list[str] | None) -> None:
    found = rides.first(question)
    assert rows is None or [row[0] for row in found][: len(rows)] == rows


def test_the_odds_are_of_the_question_without_its_chart(rides: Library) -> None:
    asked = "Show me a bar chart of the average fare by city, with the y axis in descending order"
    drawn = rides.read(asked)[0]
    question, plain = without_presentation(asked, drawn)
    assert question == "the average fare by city"
    assert [span.text for span in plain.spans] == ["the average", "fare", "by", "city"]
    assert plain.score < drawn.score


@pytest.mark.parametrize(
    ("request_", "formula"),
    [
        ('Create a new column called "pace" by dividing minutes by fare. What is the mean of this new column?', "/"),
        ("Generate a new feature named 'spread' by subtracting the fare from the minutes. Mean of spread?", "-"),
        ('Add a column "both" that is the sum of "minutes" and "fare". Calculate the mean of the new column.', "+"),
    ],
)
def test_a_column_that_a_request_makes_up_is_read_as_its_formula(rides: Library, request_: str, formula: str) -> None:
    question, schema = without_preamble(request_, rides.schema)
    assert schema.taught[0].value is not None and schema.taught[0].value.operation == formula
    best = read(question, schema)[0]
    assert best.left == ()
    assert [measure.function for measure in best.plan.measures] == ["mean"]
    assert rides.schema.taught == ()


def test_what_cannot_be_read_as_a_formula_stays_in_the_question(rides: Library) -> None:
    asked = "Create a new column called mood from the smell of the bike. What is the mean mood?"
    assert without_preamble(asked, rides.schema) == (asked, rides.schema)


def test_a_column_in_brackets_says_which_is_meant(rides: Library) -> None:
    question, _ = without_preamble("What is the average riding time (minutes) by city?", rides.schema)
    assert question == "What is the average minutes by city?"


def test_a_verb_between_a_number_and_its_people_says_no_more(rides: Library) -> None:
    assert rides.first("mean fare paid by the customers") == rides.first("mean fare")


def test_many_places_may_be_asked_for_at_once() -> None:
    ranked = Plan.model_validate(
        {
            "table": "rides",
            "show": [{"table": "rides", "column": "rider"}],
            "rank": {"limit": 1951, "by": {"table": "rides", "column": "fare"}},
        }
    )
    assert compile_plan(ranked).keys
