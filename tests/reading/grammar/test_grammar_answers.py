"""What the compact grammar reads first gives the rows that a person expects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from averment.plans.compile import compile_plan
from averment.reading.grammar import Candidate, read
from averment.reading.schema.result_values import plain_rows

if TYPE_CHECKING:
    from tests.reading.conftest import Library


def first(library: Library, question: str) -> Candidate:
    """The best reading, which leaves no word over."""
    best = read(question, library.schema)[0]
    assert best.left == (), (best.left, best.read_back)
    return best


def rows(library: Library, question: str) -> list[list[Any]]:
    """What the best reading gives."""
    made = compile_plan(first(library, question).plan).compose(library.catalog.dialect)
    return plain_rows(library.engine.run(made.sql, made.params).table)


RIDES: dict[str, list[list[Any]]] = {
    "how many rides were there in Oslo": [[4]],
    "how many rides have no fare": [[1]],
    "how many different riders are there": [[6]],
    "how much did Ben pay in total?": [[13.5]],
    "median minutes without a helmet": [[38.0]],
    "what share of rides were with a helmet": [[50.0]],
    "which plan has the most rides": [["day", 3], ["month", 3]],
    "total fare per month in 2023": [["2023-01-01", 10.5], ["2023-02-01", 2.25], ["2023-03-01", 9.75]],
    "compare the average fare of Oslo and Bergen": [["Bergen", 6.0], ["Oslo", 5.5]],
    "avrage minutes of Bergen": [[pytest.approx(22.6667, abs=1e-3)]],
    "riders with more than one ride": [["Ada", 2], ["Ben", 2]],
    "top 2 plans by total fare": [["day", 23.25], ["year", 12.0]],
    "when was the last ride in Bergen?": [["2024-02-14"]],
    "average number of rides per city": [[pytest.approx(2.6667, abs=1e-3)]],
    "share of each plan in percent": [["day", 3, 37.5], ["month", 3, 37.5], ["year", 2, 25.0]],
    "how did total fare grow from 2023 to 2024?": [[22.5, 23.5, pytest.approx(4.444, abs=1e-3)]],
}


@pytest.mark.parametrize(("question", "expected"), RIDES.items())
def test_questions_over_one_table_give_what_is_asked(rides: Library, question: str, expected: list[list[Any]]) -> None:
    assert rows(rides, question) == expected


PLANTS: dict[str, list[list[Any]]] = {
    "which plant is the tallest": [["Foxglove", 120]],
    "oldest plant": [["Thyme", 2019]],
    "lightest plant of the mint family": [["Thyme", 15]],
    "how many edible plants are there": [[3]],
    "average height by family": [["plantain", 120.0], ["daisy", 52.5], ["mint", 25.0]],
}


@pytest.mark.parametrize(("question", "expected"), PLANTS.items())
def test_adjectives_and_flags_are_read_by_what_they_measure(
    plants: Library, question: str, expected: list[list[Any]]
) -> None:
    assert rows(plants, question) == expected


BOOKS: dict[str, list[list[Any]]] = {
    "how many books per author": [["Moe", 2], ["Lin", 1]],
    "average price of books by country": [["Peru", 9.0], ["Chile", 6.25]],
    "authors without books": [["Kai"]],
    "which author has the most copies": [["Moe", 140]],
}


@pytest.mark.parametrize(("question", "expected"), BOOKS.items())
def test_questions_over_two_tables_go_by_their_key(books: Library, question: str, expected: list[list[Any]]) -> None:
    assert rows(books, question) == expected


def test_rows_above_the_average_are_listed_with_what_they_are_measured_by(rides: Library) -> None:
    assert [row[-1] for row in rows(rides, "rides with a fare above average")] == [7.0, 9.75, 12.0]


def test_a_question_for_any_row_is_answered_by_whether_there_is_one(rides: Library) -> None:
    plan = first(rides, "Is there a ride in Moss?").plan
    assert plan.asks == "any"


def test_a_word_that_nothing_explains_is_left_over(rides: Library) -> None:
    best = read("how many rides in Oslo were sabotaged", rides.schema)[0]
    assert "sabotaged" in best.left


def test_a_total_and_a_mean_stand_side_by_side_where_nobody_says(rides: Library) -> None:
    readings = {each.plan.measures[0].function for each in read("fare by city", rides.schema) if each.plan.measures}
    assert {"sum", "mean"} <= readings


def test_a_number_that_no_column_stands_beside_has_several_readings(rides: Library) -> None:
    bars = {
        test.value.column
        for each in read("rides over 10", rides.schema)
        for test in each.plan.where
        if test.value is not None
    }
    assert len(bars) > 1


def test_readings_come_best_first_and_are_few(rides: Library) -> None:
    found = read("average fare by city and plan", rides.schema)
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert 1 < len(found) <= 12
    assert len({each.read_back for each in found}) == len(found)


def test_the_same_question_gives_the_same_readings(rides: Library) -> None:
    question = "which city has the highest total fare since 2023"
    assert read(question, rides.schema) == read(question, rides.schema)


def test_a_question_without_words_of_the_tables_does_not_fail(rides: Library) -> None:
    for question in ("", "?", "hello there", "why is the sky blue", "5", "or or or"):
        assert isinstance(read(question, rides.schema), list)
