"""Differences that no column holds: ranges, improvements, what a meter ran, what is earned on a piece."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

LAKES = """day,lake,max_temp,min_temp
2024-05-01,Thun,18,11
2024-05-02,Thun,25,9
2024-05-03,Thun,20,14
2024-05-01,Zug,22,10
2024-05-02,Zug,19,13
"""
CHOIR = """singer,voice,score_before,score_after,round1,round2
Abe,bass,50,61,5,9
Bea,alto,70,66,8,7
Cora,alto,40,58,6,6
Dov,bass,55,55,9,4
"""
BOATS = """trip_id,skipper,odometer_start,odometer_end,list_price,cost_price,units_sold
1,Una,100,130,10,6,5
2,Vic,130,190,20,15,2
3,Una,190,200,8,2,10
"""


@pytest.fixture(scope="module")
def lakes(library: Callable[..., Library]) -> Library:
    """Days of lakes, with the highest and the lowest temperature of each."""
    return library(lakes=LAKES)


@pytest.fixture(scope="module")
def choir(library: Callable[..., Library]) -> Library:
    """Singers with scores before and after a course, and in two rounds."""
    return library(choir=CHOIR)


@pytest.fixture(scope="module")
def boats(library: Callable[..., Library]) -> Library:
    """Trips with what the meter showed at both ends, and goods with price and cost."""
    return library(boats=BOATS)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("average temperature range by lake", [["Zug", 9.0], ["Thun", 29 / 3]][::-1]),
        ("average gap between the high and the low by lake", [["Thun", 29 / 3], ["Zug", 9.0]]),
        ("how many rows have a swing of more than 10 degrees between max and min", [[2]]),
        ("how much higher is the max temp than the min temp on average", [[47 / 5]]),
    ],
)
def test_a_range_lies_between_a_high_and_a_low(lakes: Library, question: str, rows: list[list[Any]]) -> None:
    assert lakes.first(question) == [[*row[:-1], pytest.approx(row[-1])] for row in rows]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("who improved the most", [["Cora", 18]]),
        ("average improvement by voice", [["alto", 7.0], ["bass", 5.5]]),
        ("how many singers improved their score", [[2]]),
        ("who improved the most from round 1 to round 2, and by how many points", [["Abe", 4]]),
        ("who dropped the most between round1 and round2", [["Dov", 5]]),
        ("how many singers improved from round 1 to round 2", [[1]]),
    ],
)
def test_an_improvement_is_what_came_after_less_what_was_before(
    choir: Library, question: str, rows: list[list[Any]]
) -> None:
    assert choir.first(question) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how far did each skipper go in total", [["Vic", 60], ["Una", 40]]),
        ("how many miles did Una do", [[40]]),
        ("total distance by skipper", [["Vic", 60], ["Una", 40]]),
        ("which skipper made the longest single trip", [["Vic", 60]]),
        ("total profit", [[90]]),
        ("average margin", [[5.0]]),
    ],
)
def test_what_ran_and_what_is_earned_are_taken_from_each_other(
    boats: Library, question: str, rows: list[list[Any]]
) -> None:
    found = boats.first(question)
    assert [[row[0], row[-1]] if len(row) > 1 else row for row in found] == rows


def test_two_figures_beside_each_other_do_not_stand_for_their_difference(lakes: Library) -> None:
    readings = lakes.read("average temperature range by lake")
    assert readings and all(each.left for each in readings if len(each.plan.measures) > 1)
