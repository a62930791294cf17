"""Lengths of time that nobody calls so: waits, stays, within a week of ordering, and what has no end yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

VETS = """case_id,animal,arrived,seen by vet,left surgery,urgency
1,cat,2024-03-01 08:00,2024-03-01 08:30,2024-03-01 10:00,low
2,dog,2024-03-01 09:00,2024-03-01 09:10,2024-03-01 14:30,high
3,dog,2024-03-01 10:00,2024-03-01 11:40,2024-03-01 12:00,low
4,cat,2024-03-01 11:00,2024-03-01 11:20,,high
"""
ORDERS = """order_no,shop,ordered,shipped,delivered,value
1,East,2024-01-01,2024-01-03,2024-01-09,50
2,East,2024-01-02,2024-01-10,2024-01-12,70
3,West,2024-01-05,2024-01-06,,20
4,West,2024-01-07,2024-01-09,2024-01-20,90
"""
CREW = """name,deck,start_date,leaving_date,pay
Ada,A,2020-01-01,2020-01-11,10
Bo,A,2020-01-01,,20
Cy,B,2020-02-01,2020-03-02,30
Di,B,2020-05-01,,40
"""


@pytest.fixture(scope="module")
def vets(library: Callable[..., Library]) -> Library:
    """Cases of a surgery with three moments each."""
    return library(vets=VETS)


@pytest.fixture(scope="module")
def orders(library: Callable[..., Library]) -> Library:
    """Orders that were shipped and delivered, one of them not yet."""
    return library(orders=ORDERS)


@pytest.fixture(scope="module")
def crew(library: Callable[..., Library]) -> Library:
    """People who came, some of whom have left."""
    return library(crew=CREW)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("average wait in minutes from arrival until seen by a vet", [[40.0]]),
        ("average wait by urgency", [["low", 65.0], ["high", 15.0]]),
        ("how many cases waited more than an hour to be seen", [[1]]),
        ("how many cases were in the surgery for more than 2 hours", [[1]]),
        ("what is the longest stay", [[330.0]]),
    ],
)
def test_waits_and_stays_are_the_time_between_their_moments(
    vets: Library, question: str, rows: list[list[Any]]
) -> None:
    assert [row[-len(rows[0]) :] for row in vets.first(question)] == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many orders were shipped within 3 days of ordering", [[3]]),
        ("how many orders were delivered within a week of shipping", [[2]]),
        ("how long does it take on average from order to delivery", [[31 / 3]]),
        ("how many orders are undelivered", [[1]]),
        ("total value of orders that have not been delivered yet", [[20]]),
    ],
)
def test_the_moments_that_are_named_say_which_time_is_meant(
    orders: Library, question: str, rows: list[list[Any]]
) -> None:
    assert orders.first(question) == [[pytest.approx(each) for each in row] for row in rows]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many people haven't left", [[2]]),
        ("average pay of people who are still here", [[30.0]]),
        ("how many people have left", [[2]]),
        ("how long did people who left stay on average", [[20.0]]),
        ("who stayed the longest", [["Cy", 30]]),
    ],
)
def test_who_has_left_has_a_day_of_leaving(crew: Library, question: str, rows: list[list[Any]]) -> None:
    assert crew.first(question) == rows


def test_still_is_a_condition_or_it_is_left_over(library: Callable[..., Library]) -> None:
    plants = library(plants="name,height\nfern,20\nmoss,2\n")
    found = plants.read("average height of plants that are still here")
    assert found and all(each.left for each in found)
