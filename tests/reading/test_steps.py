"""Requests that do something to the rows before they ask: outliers taken out, rows without a value dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from averment.reading.reader import read
from averment.reading.slots.preamble import without_preamble

if TYPE_CHECKING:
    from conftest import Library


def answered(library: Library, request_: str) -> list[list[Any]]:
    """What the best reading gives, which must leave no word over."""
    question, schema = without_preamble(request_, library.schema)
    best = read(question, schema)[0]
    assert best.left == (), (question, best.left, best.read_back)
    return library.rows(best)


MINUTES = [12, 31, 8, 45, 22, 15, 27, 60]


@pytest.mark.parametrize(
    "request_",
    [
        "Remove outliers in fare using the z-score method with a threshold of 1.5, then give me the mean fare.",
        "After removing outliers by z-score (threshold 1.5), what is the average fare?",
        "Detect and drop any outliers in the fare column with the z-score method (threshold 1.5). What is mean fare?",
        "Perform outlier detection on fare using z-scores with a threshold of 1.5. Remove the outliers and recalculate "
        "the mean of fare.",
        "What is the mean fare without outliers in fare, by z-score with a threshold of 1.5?",
    ],
)
def test_outliers_are_taken_out_before_a_figure(rides: Library, request_: str) -> None:
    fares = [3.5, 7.0, 2.25, 9.75, 5.0, 6.5]  # twelve lies more than one and a half standard deviations away
    assert answered(rides, request_) == [[pytest.approx(sum(fares) / len(fares))]]


def test_without_a_method_outliers_lie_beyond_the_quartiles(rides: Library) -> None:
    question, schema = without_preamble("Average minutes by city without outliers in fare", rides.schema)
    best = read(question, schema)[0]
    assert best.read_back == "average minutes, by city, where fare is none of [outliers of fare, in rides], in rides"


@pytest.mark.parametrize(
    "request_",
    [
        "After dropping rows where fare is missing, what is the average of minutes?",
        "Drop the rows with a missing fare, then the average of minutes.",
        "Remove all rows with missing values in the fare column. What is the mean of minutes?",
        "Perform data preprocessing by dropping the rows where the fare is missing, and calculate the mean of minutes.",
    ],
)
def test_rows_without_a_value_are_dropped_before_a_figure(rides: Library, request_: str) -> None:
    kept = [minutes for minutes in MINUTES if minutes != 15]
    assert answered(rides, request_) == [[pytest.approx(sum(kept) / len(kept))]]


@pytest.mark.parametrize(
    "question",
    [
        "Which rides are outliers in fare?",
        "How many outliers are there in fare by the IQR method?",
        "Remove outliers in happiness, then give me the mean fare.",
        "Identify the number of outliers in fare, remove them and calculate the mean fare.",
        "How many rides have a missing fare?",
    ],
)
def test_what_is_asked_of_outliers_or_gaps_is_no_step(rides: Library, question: str) -> None:
    text, schema = without_preamble(question, rides.schema)
    assert schema.steps == ()
    assert text == question


@pytest.mark.parametrize(
    ("request_", "row"),
    [
        (
            "Group the minutes into short (0-15), medium (16-40) and long (over 40). What is the average fare for each "
            "group?",
            [2.875, 18.5 / 3, 10.875],
        ),
        (
            "Create a new column called \"length\" that sorts rides by minutes into 'short' (under 20) and 'long' (20 "
            "and above). Then, calculate the total fare for each category.",
            [5.75, 40.25],
        ),
        (
            "Split minutes into two levels: low (0 to 25 minutes), high (26+). How many rides are there in each level?",
            [4, 4],
        ),
    ],
)
def test_bands_of_a_number_have_a_figure_each(rides: Library, request_: str, row: list[float]) -> None:
    assert answered(rides, request_) == [[pytest.approx(each) for each in row]]


@pytest.mark.parametrize(
    "question",
    [
        "Group the minutes into short (0-15) and long (later). What is the average fare for each group?",
        "Compare Oslo (city) and Bergen (city) by fare.",
        "Group the height into small (0-10) and tall (over 10). What is the average fare for each group?",
    ],
)
def test_bands_that_cannot_be_read_stay_in_the_question(rides: Library, question: str) -> None:
    assert without_preamble(question, rides.schema)[1].steps == ()
