"""Conditions by the time of day: on moments, on columns of times, and on texts that are written like times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

FERRIES = """sailing_id,sail_date,sails_at,harbour,cars
1,2024-05-01,06:15,Ness,40
2,2024-05-01,08:30,Ness,60
3,2024-05-01,09:00,Voe,80
4,2024-05-02,12:00,Voe,100
5,2024-05-02,18:00,Ness,20
6,2024-05-02,19:00,Voe,30
7,2024-05-03,19:45,Ness,50
8,2024-05-03,22:30,Voe,10
"""
CALLS = """call_id,received_at,desk,minutes
1,2024-05-01 05:40:00,Blue,4
2,2024-05-01 08:20:00,Blue,6
3,2024-05-02 08:45:00,Red,8
4,2024-05-02 12:10:00,Red,2
5,2024-05-03 18:30:00,Red,3
6,2024-05-03 18:31:00,Blue,9
7,2024-05-04 22:50:00,Blue,5
8,2024-05-05 03:05:00,Red,7
"""
THEATRE = """operation_id,begins,ends,surgeon
1,08:00:00,10:00:00,Ash
2,09:30:00,11:00:00,Birk
3,13:00:00,17:30:00,Ash
"""
RACE = """runner,club,finish_time
Ann,Hare,03:12:40
Bob,Hare,07:01:10
Cid,Tortoise,04:40:00
"""


@pytest.fixture(scope="module")
def ferries(library: Callable[..., Library]) -> Library:
    """Sailings with a day and a time of day."""
    return library(sailings=FERRIES)


@pytest.fixture(scope="module")
def calls(library: Callable[..., Library]) -> Library:
    """Calls with the moment they came in."""
    return library(calls=CALLS)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many sailings before 9 in the morning", [[2]]),
        ("how many sailings after 7pm", [[2]]),
        ("how many sailings between 8 and 10 am", [[2]]),
        ("number of sailings at or after 18:00", [[4]]),
        ("how many sailings from noon on", [[5]]),
        ("how many evening sailings", [[3]]),
        ("how many sailings before eight o'clock", [[1]]),
        ("total cars at night", [[10]]),
        ("how many sailings at 7 pm", [[1]]),
        ("how many sailings at 9 in the morning or later", [[6]]),
        ("how many sailings by 8:30 am", [[2]]),
        ("how many sailings before 7am or after 10pm", [[2]]),
        ("how many sailings between 11 and 1 pm", [[1]]),
        ("how many evening sailings (after 7 pm)", [[2]]),
    ],
)
def test_a_time_of_day_is_a_condition_on_a_column_of_times(
    ferries: Library, question: str, rows: list[list[Any]]
) -> None:
    best = ferries.read(question)[0]
    assert (ferries.rows(best), best.left) == (rows, ())


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many calls came in before 9 in the morning", [[4]]),
        ("how many calls after 18:30", [[2]]),
        ("how many calls at or after 6:30 pm", [[3]]),
        ("number of calls before 8:30 in the morning", [[3]]),
        ("how many calls after 10 pm and before 6 in the morning", [[3]]),
        ("how many calls between 8:30 am and noon", [[1]]),
        ("how many calls until noon", [[4]]),
        ("total minutes of calls in the morning", [[18]]),
    ],
)
def test_a_time_of_day_is_a_condition_on_moments(calls: Library, question: str, rows: list[list[Any]]) -> None:
    best = calls.read(question)[0]
    assert (calls.rows(best), best.left) == (rows, ())


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how many calls after 18:30", "where time of day of received_at is over 18:30"),
        ("how many calls before 9am", "where hour of day of received_at is under 9"),
        (
            "how many calls from 8:15 am to 18:30",
            "where time of day of received_at is between 08:15 and 18:30",
        ),
    ],
)
def test_the_read_back_tells_the_time_as_a_clock_shows_it(calls: Library, question: str, said: str) -> None:
    assert said in calls.read(question)[0].read_back


@pytest.mark.parametrize(
    "question",
    [
        "how many sailings after 7",
        "how many sailings after 7 o'clock",
        "how many sailings last night",
        "how many sailings after midnight",
        "how many sailings before 9am vs after 5pm",
        "evening sailings after 8pm",
    ],
)
def test_a_time_that_may_be_another_is_asked_about(ferries: Library, question: str) -> None:
    assert ferries.judged(question).kind != "answer"


def test_of_two_times_in_a_row_the_one_that_is_named_counts(library: Callable[..., Library]) -> None:
    theatre = library(operations=THEATRE)
    assert theatre.first("how many operations end after 11 am") == [[1]]
    assert theatre.first("how many operations begin before 9:30") == [[1]]
    assert theatre.judged("how many operations before 10:30").kind != "answer"


def test_how_long_a_race_took_is_no_time_of_day(library: Callable[..., Library]) -> None:
    race = library(race=RACE)
    assert race.judged("how many runners in the morning").kind != "answer"
