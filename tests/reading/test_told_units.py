"""Numbers told in another unit than their column's, numbers with a unit or a scale, and what is asked about instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

HIKES = """hike_id,guide,season,length_km,ascent_m,walk_min,pack_kg,price_eur
1,Ida,summer,16.09344,500,240,8,40
2,Ida,winter,8.04672,1500,180,12,60
3,Jon,summer,32.18688,900,420,10,55
4,Jon,winter,24.14016,1100,360,14,70
"""
TOWNS = """town,county,population_thousands,budget_m_eur,visitors,debt
Arn,East,120,30,2500000,55
Bel,East,240,80,1500000,12
Cor,West,360,55,4000000,31
Dun,West,60,20,500000,87
"""
FILMS = "film,studio,duration\nRed,Oak,95\nBlue,Elm,120\nGrey,Oak,150\n"


@pytest.fixture(scope="module")
def hikes(library: Callable[..., Library]) -> Library:
    """Hikes, whose columns say their units."""
    return library(hikes=HIKES)


@pytest.fixture(scope="module")
def towns(library: Callable[..., Library]) -> Library:
    """Towns, with columns in thousands and in millions, and one that does not say in what it is."""
    return library(towns=TOWNS)


def _rounded(rows: list[list[Any]]) -> list[list[Any]]:
    return [[round(cell, 6) if isinstance(cell, float) else cell for cell in row] for row in rows]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("total length in miles", [[50.0]]),
        ("average walk in hours by guide", [["Jon", 6.5], ["Ida", 3.5]]),
        ("total ascent in km", [[4.0]]),
        ("average pack in grams by season", [["winter", 13000.0], ["summer", 9000.0]]),
        ("total ascent in metres", [[4000]]),
        ("what is the average walk in minutes", [[300.0]]),
        ("maximum ascent in km", [[1.5]]),
        ("median length in miles, winter", [[10.0]]),
        ("which guide has the highest total length in miles", [["Jon", 35.0]]),
        ("average pack weight in pounds", [[24.250849]]),
    ],
)
def test_a_figure_is_told_in_the_unit_that_is_asked_for(hikes: Library, question: str, rows: list[list[Any]]) -> None:
    best = hikes.read(question)[0]
    assert (_rounded(hikes.rows(best)), best.left) == (rows, ())


def test_the_read_back_says_what_a_figure_was_divided_by(hikes: Library) -> None:
    assert hikes.read("average walk in hours")[0].read_back == "average walk_min divided by 60, in hikes"
    assert hikes.read("total length in miles")[0].read_back == "total length_km divided by 1.609344, in hikes"


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many hikes have an ascent of more than 1 km", [[2]]),
        ("how many hikes with a length over 12 miles", [[2]]),
        ("how many hikes with a pack heavier than 11000 grams", [[2]]),
        ("how many hikes with a walk over 5 hours", [[2]]),
        ("how many hikes with a pack over 0.011 tonnes", [[2]]),
        ("how many hikes with a walk under 200 min", [[1]]),
    ],
)
def test_a_number_with_a_unit_is_held_against_the_columns_own(
    hikes: Library, question: str, rows: list[list[Any]]
) -> None:
    best = hikes.read(question)[0]
    assert (hikes.rows(best), best.left) == (rows, ())


@pytest.mark.parametrize(
    "question", ["total price in dollars", "average price in pounds", "how many hikes in miles", "total pack in tons"]
)
def test_a_unit_that_no_number_leads_to_is_asked_about(hikes: Library, question: str) -> None:
    assert hikes.judged(question).kind != "answer"


@pytest.mark.parametrize("question", ["average duration in hours", "films longer than 2 hours"])
def test_a_column_that_does_not_say_its_unit_is_not_taken_for_another(
    library: Callable[..., Library], question: str
) -> None:
    films = library(films=FILMS)
    assert films.judged(question).kind != "answer"
    assert films.first("how many films are longer than 100 minutes") == [[2]]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many towns have a population over 100 thousand", [[3]]),
        ("how many towns with a population over 200000", [[2]]),
        ("how many towns with a budget above 50 million", [[2]]),
        ("how many towns had more than 2 million visitors", [[2]]),
        ("total visitors in millions", [[8.5]]),
        ("total visitors in thousands by county", [["West", 4500.0], ["East", 4000.0]]),
        ("total population in thousands", [[780]]),
        ("total population in millions", [[0.78]]),
    ],
)
def test_thousands_and_millions_are_those_that_a_column_is_told_in(
    towns: Library, question: str, rows: list[list[Any]]
) -> None:
    best = towns.read(question)[0]
    assert (_rounded(towns.rows(best)), best.left) == (rows, ())


@pytest.mark.parametrize(
    "question", ["how many towns have a debt over 30 million", "towns with debt over 30k", "total debt in millions"]
)
def test_thousands_that_a_column_may_be_told_in_are_asked_about(towns: Library, question: str) -> None:
    assert towns.judged(question).kind != "answer"
