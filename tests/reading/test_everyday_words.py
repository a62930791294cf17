"""Everyday ways to ask that name no column: money, kilos, people, those who came and those who did not come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

MEMBERS = "member_no,full_name,town\n" + "\n".join(
    f"{number},{name},{town}"
    for number, name, town in (
        (501, "Ada Holm", "Voss"),
        (502, "Ben Lie", "Voss"),
        (503, "Cia Moe", "Bryne"),
        (504, "Dan Nes", "Bryne"),
        (505, "Eva Oye", "Voss"),
        (506, "Fay Pil", "Bryne"),
    )
)
HIRES = """hire_no,hired_by,tool,out_on,back_on,charge_gbp,load_kg,deposit
1,501,saw,2023-05-02,2023-05-04,20,3.5,yes
2,502,drill,2023-05-09,2023-05-10,10,1.0,no
3,503,saw,2023-06-01,2023-06-09,40,4.5,yes
4,501,drill,2023-06-11,2023-06-12,10,,no
5,504,tower,2023-07-20,2023-08-01,80,60.0,yes
6,502,saw,2024-05-03,2024-05-06,25,3.5,no
7,505,drill,2024-05-14,2024-05-15,10,1.5,yes
8,501,tower,2024-05-20,2024-05-30,70,60.0,yes
9,505,saw,2024-06-02,,20,3.0,no
10,503,drill,2024-06-18,2024-06-19,10,1.0,no
"""
SLIPS = """slip,buyer,stall,day,amount,member
1,Ola,North,2024-01-03,10.0,yes
2,Pia,North,2024-01-09,30.0,no
3,Ola,South,2024-02-04,20.0,yes
4,Rut,South,2024-02-11,40.0,no
5,Pia,North,2024-02-20,10.0,no
6,Siv,South,2024-03-02,50.0,yes
7,Ola,South,2024-03-15,40.0,yes
"""


@pytest.fixture(scope="module")
def hires(library: Callable[..., Library]) -> Library:
    """Tools that members hired, by the members' numbers."""
    return library(members=MEMBERS, hires=HIRES)


@pytest.fixture(scope="module")
def tools(library: Callable[..., Library]) -> Library:
    """The hires alone."""
    return library(hires=HIRES)


@pytest.fixture(scope="module")
def slips(library: Callable[..., Library]) -> Library:
    """What was bought at two stalls."""
    return library(slips=SLIPS)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("total charge per town", [["Bryne", 130], ["Voss", 165]]),
        ("which members never hired a tool?", [["Fay Pil"]]),
        ("how many members made more than 2 hires?", [[1]]),
        ("number of hires per town", [["Bryne", 3], ["Voss", 7]]),
    ],
)
def test_keys_under_another_name_join(hires: Library, question: str, rows: list[list[Any]]) -> None:
    assert sorted(hires.first(question)) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("what percentage of the money came from members?", [[60.0]]),
        ("what share of the revenue is from North?", [[25.0]]),
        ("how much more did South bring in than North?", [[50.0, 150.0, 100.0]]),
        ("what did each stall earn in February?", [["North", 10.0], ["South", 60.0]]),
    ],
)
def test_money_is_the_one_column_that_holds_it(slips: Library, question: str, rows: list[list[Any]]) -> None:
    assert sorted(slips.first(question)) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many kilos of load did the tower have?", [[120.0]]),
        ("how many kilos were hired in 2023?", [[69.0]]),
        ("how many hires took more than 5 days?", [[3]]),
        ("how many hires came back within a week?", [[6]]),
        ("how many hires are not back yet?", [[1]]),
        ("how many hires were never weighed?", [[1]]),
    ],
)
def test_units_and_lengths_of_time_are_measures(tools: Library, question: str, rows: list[list[Any]]) -> None:
    found = tools.first(question)
    assert [row[:1] for row in found] == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many buyers came in January but not in March?", [[1]]),
        ("which buyers bought in January and again in February?", [["Ola"], ["Pia"]]),
        ("how many buyers were new in March 2024?", [[1]]),
        ("how many different people bought at North?", [[2]]),
        ("how many buyers made more than one purchase?", [[2]]),
        ("who came in February but not in March?", [["Pia"], ["Rut"]]),
        ("total amount excluding February", [[130.0]]),
        ("average spend per buyer", [[50.0]]),
    ],
)
def test_sets_of_people_are_kept_apart_by_when_they_came(slips: Library, question: str, rows: list[list[Any]]) -> None:
    assert sorted(slips.first(question)) == rows


@pytest.mark.parametrize(
    "question", ["how many new buyers in March 2024", "how many buyers came for the first time in March 2024"]
)
def test_new_is_never_passed_over(slips: Library, question: str) -> None:
    assert not [c for c in slips.read(question) if not c.left and slips.rows(c) == [[2]]]


def test_a_condition_on_groups_without_groups_is_no_plan(slips: Library) -> None:
    found = slips.read("how many buyers made more than one purchase?")
    tested = [candidate.plan for candidate in found if candidate.plan.having]
    assert tested and all(plan.by for plan in tested)


def test_who_was_last_is_a_person(library: Callable[..., Library]) -> None:
    agents = library(agents="name,role,hired_on\nAda,cook,2020-02-03\nBen,mate,2022-05-06\nCia,cook,2019-07-08\n")
    assert [row[0] for row in agents.first("who was hired last?")] == ["Ben"]
