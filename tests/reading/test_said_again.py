"""What a difference, a length of time, a ratio or a place is said as, read as a question, is the same reading."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

RALLY = """stage_id,driver,team,start_km,end_km,fuel_litres,fuel_cost,points,bonus,heat1,heat2,left_at,arrived_at
1,Aki,Blue,100,160,6,12,10,2,3,5,2024-05-01 08:00,2024-05-01 09:30
2,Bea,Blue,160,190,5,15,7,1,4,,2024-05-01 10:00,2024-05-01 10:40
3,Aki,Blue,190,260,10,15,9,4,,6,2024-05-02 08:00,2024-05-02 10:00
4,Cy,Red,20,50,4,5,6,0,8,2,2024-05-02 09:00,
5,Cy,Red,50,95,5,9,8,3,7,9,2024-05-03 08:00,2024-05-03 09:00
6,Dot,Green,5,25,2,3,3,5,1,1,2024-06-03 08:00,2024-06-03 08:45
"""


@pytest.fixture(scope="module")
def rally(library: Callable[..., Library]) -> Library:
    """Stages of a rally."""
    return library(rally=RALLY)


@pytest.mark.parametrize(
    "question",
    [
        "total distance by driver",
        "which driver had the longest single stage",
        "who improved the most from heat1 to heat2",
        "how many stages improved from heat1 to heat2",
        "fuel cost per kilometre by team",
        "which team has the highest fuel cost per litre",
        "who has the most points and bonus combined",
        "how many stages missed at least one of the two heats",
        "in which month did total points first exceed 4",
        "where does Red rank in total points",
        "rank the teams by total points",
    ],
)
def test_a_read_back_is_read_as_itself(rally: Library, question: str) -> None:
    first = rally.read(question)[0]
    assert first.left == (), first.read_back
    again = rally.read(first.read_back)[0]
    assert again.left == ()
    assert rally.rows(again) == rally.rows(first), again.read_back


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("where does Red rank in total points", ["Red", 14, 2]),
        ("how does Green rank by total points", ["Green", 3, 3]),
        ("what place did Blue come in points in total", ["Blue", 26, 1]),
    ],
)
def test_the_place_of_one_is_taken_among_all(rally: Library, question: str, row: list[Any]) -> None:
    assert rally.first(question) == [row]


def test_a_place_by_something_that_nobody_names_is_no_answer(rally: Library) -> None:
    found = rally.read("what place did Red come")
    assert found and all(each.left for each in found)
