"""Ratios of totals, averages as verbs, what is missing in ordinary words, and several things as one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

FERRIES = """day,ferry,passengers,fuel_litres,fuel_cost,odometer_start,odometer_end
2024-06-01,Gull,10,5,10,100,120
2024-06-02,Gull,30,10,30,120,150
2024-06-03,Tern,20,20,30,40,90
2024-06-04,Tern,40,5,5,90,100
2024-06-05,Ibis,60,10,12,10,20
"""
JUDO = """fighter,club,bout1,bout2,bout3,wins,draws,email
Ann,Dojo,5,7,9,3,1,ann@x.org
Ben,Dojo,4,,8,2,2,
Cid,Kodo,,,6,5,0,cid@x.org
Dee,Kodo,8,9,1,1,4,
"""


@pytest.fixture(scope="module")
def ferries(library: Callable[..., Library]) -> Library:
    """Days of ferries, with what they carried, burnt and paid."""
    return library(ferries=FERRIES)


@pytest.fixture(scope="module")
def judo(library: Callable[..., Library]) -> Library:
    """Fighters with three bouts, some of which they missed."""
    return library(judo=JUDO)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("what did we pay per litre overall", [[87 / 50]]),
        ("fuel cost per mile by ferry", [["Ibis", 1.2], ["Gull", 0.8], ["Tern", 35 / 60]]),
        ("which ferry has the highest fuel cost per litre", [["Gull", 40 / 15]]),
        ("total fuel cost divided by total fuel litres", [[87 / 50]]),
        ("average fuel cost per litre", [[(2 + 3 + 1.5 + 1 + 1.2) / 5]]),
    ],
)
def test_per_is_the_ratio_of_totals_unless_an_average_is_asked_for(
    ferries: Library, question: str, rows: list[list[Any]]
) -> None:
    assert ferries.first(question) == [[*row[:-1], pytest.approx(row[-1])] for row in rows]


@pytest.mark.parametrize(
    ("question", "ferries_named"),
    [
        ("which ferries average more than 25 passengers", {"Tern", "Ibis"}),
        ("ferries averaging under 25 passengers", {"Gull"}),
    ],
)
def test_to_average_is_a_condition_on_each_group(ferries: Library, question: str, ferries_named: set[str]) -> None:
    assert {row[0] for row in ferries.first(question)} == ferries_named


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many fighters missed at least one of the three bouts", [[2]]),
        ("how many fighters took all three bouts", [[2]]),
        ("how many fighters missed bout 2", [[2]]),
        ("how many fighters have all three bouts filled in", [[2]]),
        ("average bout 2 by club, leaving out anyone absent", [["Kodo", 9.0], ["Dojo", 7.0]]),
        ("how many fighters don't have an email", [[2]]),
        ("who has the most wins and draws combined", [["Cid", 5], ["Dee", 5]]),
        ("wins and draws combined by club", [["Kodo", 10], ["Dojo", 8]]),
    ],
)
def test_absence_and_togetherness_in_ordinary_words(judo: Library, question: str, rows: list[list[Any]]) -> None:
    assert judo.first(question) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("total passengers of Gull and Tern put together", [[100]]),
        ("total passengers across all three ferries", [[160]]),
    ],
)
def test_values_taken_together_are_one_figure(ferries: Library, question: str, rows: list[list[Any]]) -> None:
    assert ferries.first(question) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("in which month did total stamps first exceed 20", [["2024-02-01", 25]]),
        ("which month was the last with an average of stamps under 10", [["2024-03-01", 8.0]]),
        ("what was the first month with over 25 stamps in total", [["2024-04-01", 30]]),
    ],
)
def test_the_first_period_that_passes_a_bar_is_found_by_its_own_figure(
    library: Callable[..., Library], question: str, rows: list[list[Any]]
) -> None:
    days = ("2024-01-03,9", "2024-01-19,11", "2024-02-02,12", "2024-02-20,13", "2024-03-01,7", "2024-03-05,8")
    post = library(post="\n".join(["day,stamps", *days, "2024-03-09,9", "2024-04-11,30", ""]))
    assert post.first(question) == rows


def test_per_sale_is_for_each_row_and_no_division(library: Callable[..., Library]) -> None:
    sales = library(sales="item,price,quantity\npen,2,10\ncup,6,1\nhat,10,3\n")
    readings = [each.read_back for each in sales.read("average price per sale") if not each.left]
    assert readings and not any("divided by" in said for said in readings)


def test_a_day_is_nobody(ferries: Library) -> None:
    found = ferries.read("who carried the most passengers")
    assert found and not [each for each in found if not each.left and each.read_back.startswith("day with")]


def test_all_of_another_number_of_ferries_is_left_over(ferries: Library) -> None:
    found = ferries.read("total passengers across all four ferries")
    assert found and all(each.left for each in found)
