"""Questions for a yes or a no, and readings that tell the same of one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from averment.reading.judge.judging import execute, grouped

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from averment.plans.compile import CompiledPlan
    from conftest import Library

BOATS = """sailing_no,pier,left_on,riders,fuel_l
1,East,2024-01-03,120,40
2,East,2024-01-09,410,55
3,West,2024-02-01,95,38
4,West,2024-02-14,430,61
5,North,2024-02-20,60,30
"""
SPENDING = """house,year,spend
Ash,2020,10
Ash,2021,10
Ash,2022,10
Elm,2021,20
"""


@pytest.fixture(scope="module")
def boats(library: Callable[..., Library]) -> Library:
    """Sailings from three piers."""
    return library(boats=BOATS)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("has any sailing had more than 400 riders?", 2),
        ("did any sailing from North have more than 100 riders?", 0),
        ("were there sailings with fewer than 70 riders?", 1),
        ("is there a sailing from West with more than 400 riders?", 1),
        ("tell me whether there was a sailing from East", 2),
    ],
)
def test_whether_there_is_one_is_answered_by_yes_or_no(boats: Library, question: str, rows: int) -> None:
    best = boats.read(question)[0]
    assert (best.plan.asks, best.left, len(boats.rows(best))) == ("any", (), rows)


def test_a_list_that_is_asked_for_politely_stays_a_list(boats: Library) -> None:
    best = boats.read("can you list the sailings with more than 400 riders?")[0]
    assert (best.plan.asks, len(boats.rows(best))) == (None, 2)


def _groups(library: Library, question: str) -> list[list[str]]:
    def run(compiled: CompiledPlan) -> pa.Table:
        made = compiled.compose(library.catalog.dialect)
        return library.engine.run(made.sql, made.params).table

    clean = [candidate for candidate in library.read(question) if not candidate.left]
    return [[each.candidate.read_back for each in group] for group in grouped(execute(clean, run)[0])]


def test_a_column_that_a_condition_pins_makes_no_second_reading(boats: Library) -> None:
    groups = _groups(boats, "when did West have the most riders?")
    told = [group for group in groups if any("pier" in said.split(" with ")[0] for said in group)]
    assert all(any("pier" not in said.split(" with ")[0] for said in group) for group in told)


def test_yes_and_the_rows_it_rests_on_are_one_answer(boats: Library) -> None:
    groups = _groups(boats, "were there any sailings with more than 400 riders?")
    assert groups[0][0].startswith("whether there are any")
    assert any(said.startswith("different sailing_no") for said in groups[0])


def test_what_was_done_more_than_once_adds_up(library: Callable[..., Library]) -> None:
    spending = library(spending=SPENDING)
    assert spending.first("which house spended the most?")[0][0] == "Ash"


CARS = """car,rear_seat_room,luggage_room,seats
""" + "\n".join(f"c{n},{20 + n},{9 + n},{4 + n % 5}" for n in range(40))


@pytest.mark.parametrize(
    "question", ["how many cars have room for more than 5 people?", "how many cars can seat 7 or more people?"]
)
def test_so_many_people_are_not_so_much_room(library: Callable[..., Library], question: str) -> None:
    cars = library(cars=CARS)
    rooms = [c for c in cars.read(question) if not c.left and "room is" in c.read_back]
    assert rooms == []


POWER = "day,source,made_kwh\n" + "\n".join(
    f"{year}-01-01,{source},{made + year - 2015}"
    for year in range(2015, 2023)
    for source, made in (("wind", 30), ("sun", 10), ("coal", 60))
)


def test_what_has_one_row_in_each_period_is_shared_by_how_much_it_is(library: Callable[..., Library]) -> None:
    power = library(power=POWER)
    assert power.first("what share of the power came from wind in 2015?") == [[30.0]]


def test_from_the_first_to_the_last_is_neither_of_them(boats: Library) -> None:
    found = boats.read("how much fuel was there between the first and the last sailing from East?")
    assert not [c for c in found if not c.left and c.plan.rank is not None]
