"""Questions over tables that point at each other: whose columns, what is counted, what is ruled out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.reading.conftest import Library

GUIDES = """guide_id,first_name,last_name,city,salary
1,Ada,Berg,Oslo,300
2,Bo,Lie,Moss,250
3,Cai,Dahl,Oslo,410
"""
TOURS = """tour_id,title,region,price,guide_id,max_seats
10,Fjord Walk,West,40,1,12
11,Night Sky,North,90,1,6
12,Old Town,East,15,2,20
13,Glacier,West,120,3,4
"""
VISITORS = """visitor_id,name,country,age
7,Ines,Spain,31
8,Jon,Iceland,52
9,Kit,Canada,27
10,Lou,Spain,44
"""
BOOKINGS = """booking_id,tour_id,visitor_id,seats
100,10,7,2
101,10,8,1
102,11,7,4
103,12,7,2
104,12,9,3
105,11,8,2
"""


@pytest.fixture(scope="module")
def tours(library: Callable[..., Library]) -> Library:
    """Guided tours, who leads them and who booked them."""
    return library(guides=GUIDES, tours=TOURS, visitors=VISITORS, bookings=BOOKINGS)


def _cells(rows: list[list[Any]]) -> list[tuple[str, ...]]:
    return sorted(tuple(sorted(map(str, row))) for row in rows)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("What is the name and country of the visitor with the most bookings?", [["Ines", "Spain", 3]]),
        ("Which visitors have no bookings?", [["Lou"]]),
        ("What are the names and countries of the visitors who do not have any bookings?", [["Lou", "Spain"]]),
        ("List the titles of tours with at least two bookings", [["Fjord Walk", 2], ["Night Sky", 2], ["Old Town", 2]]),
        ("What are the ids of all visitors?", [[7], [8], [9], [10]]),
        ("How many tours are not in the region West?", [[2]]),
        ("What is the title and price of the most expensive tour?", [["Glacier", 120]]),
        ("List the first names of the guides in ascending order of salary", [["Bo", 250], ["Ada", 300], ["Cai", 410]]),
        (
            "Show the price and region of each tour",
            [
                ["Fjord Walk", 40, "West"],
                ["Night Sky", 90, "North"],
                ["Old Town", 15, "East"],
                ["Glacier", 120, "West"],
            ],
        ),
        ("What is the total seats booked by Jon?", [[3]]),
        ("How many visitors are older than 50 or younger than 30?", [[2]]),
    ],
)
def test_things_are_asked_about_by_what_points_at_them(tours: Library, question: str, rows: list[list[Any]]) -> None:
    assert _cells(tours.first(question)) == _cells(rows)


def test_what_was_never_done_with_a_thing_rules_it_out(tours: Library) -> None:
    found = tours.first("List the names of visitors who have never booked the tour Night Sky")

    assert _cells(found) == _cells([["Kit"], ["Lou"]])


def test_a_thing_that_has_both_is_in_both_lists(tours: Library) -> None:
    found = tours.first("Which visitors have booked both Fjord Walk and Night Sky?")

    assert _cells(found) == _cells([["Ines"], ["Jon"]])


def test_groups_are_kept_by_a_figure_of_their_own(tours: Library) -> None:
    found = tours.first("Show the titles of tours whose average seats is above 2")

    assert sorted(row[0] for row in found) == ["Night Sky", "Old Town"]


def test_a_table_that_is_named_is_looked_into(tours: Library) -> None:
    """Only those count for whom there is a row in it."""
    found = tours.first("How many different visitors have bookings?")

    assert found == [[3]]


def test_a_word_that_no_table_knows_stays_visible(tours: Library) -> None:
    best = tours.read("Which visitors have cancelled bookings?")[0]

    assert "cancelled" in best.left
