"""Classes of questions over repairs: what was meant and what came, named moments, denied flags, two periods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

REPAIRS = """repair_id,garage,booked_on,due_date,completed_date,estimated_cost,actual_cost,insured,bay,wheels,area_m2
1,Elm,2024-01-03,2024-01-10,2024-01-08,100,120,yes,1,4,10
2,Elm,2024-01-20,2024-02-01,2024-02-05,200,180,no,2,4,20
3,Elm,2024-02-02,2024-02-10,,300,300,no,3,2,10
4,Oak,2024-02-20,2024-03-01,2024-03-11,150,250,yes,3,2,25
5,Oak,2024-04-02,2024-04-09,2024-04-09,80,90,no,1,4,20
6,Oak,2024-07-15,2024-07-20,2024-07-28,500,450,yes,4,2,40
"""


@pytest.fixture(scope="module")
def repairs(library: Callable[..., Library]) -> Library:
    """Repairs of a garage, with what was promised and what it came to."""
    return library(repairs=REPAIRS)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many repairs were completed late", [[3]]),
        ("how many repairs were finished on time", [[2]]),
        ("number of late repairs by garage", [["Oak", 2], ["Elm", 1]]),
        ("which garage has the most late repairs", [["Oak", 2]]),
        ("how many days late are repairs on average", [[4.0]]),
    ],
)
def test_late_is_after_the_day_that_was_meant(repairs: Library, question: str, rows: list[list[Any]]) -> None:
    assert [row[: len(rows[0])] for row in repairs.first(question)] == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many repairs were over budget", [[3]]),
        ("which garage overspent the most", [["Oak", 60.0]]),
        ("total overspend by garage", [["Oak", 60.0], ["Elm", 0.0]]),
        ("how many repairs cost more than planned", [[3]]),
        ("how many repairs were under budget", [[2]]),
        ("how much did Oak overspend in total", [[60.0]]),
    ],
)
def test_overspent_is_more_than_was_meant(repairs: Library, question: str, rows: list[list[Any]]) -> None:
    assert repairs.first(question) == rows


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("average days between booking and due date", [[49 / 6]]),
        ("how long do people wait on average between booking and completion", [[61 / 5]]),
        ("average number of days from booked to completed by garage", [["Oak", 40 / 3], ["Elm", 10.5]]),
    ],
)
def test_two_moments_that_are_named_are_a_length_of_time(
    repairs: Library, question: str, rows: list[list[Any]]
) -> None:
    found = repairs.first(question)
    assert [[*row[:-1], pytest.approx(row[-1])] for row in rows] == found


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many uninsured repairs are there", [[3]]),
        ("average actual cost of uninsured repairs", [[190.0]]),
        ("how many repairs were done in the third bay or higher", [[3]]),
        ("how many repairs in the second bay", [[1]]),
        ("how many 2 wheel repairs were uninsured", [[1]]),
        ("average actual cost per square metre", [[(12 + 9 + 30 + 10 + 4.5 + 11.25) / 6]]),
    ],
)
def test_denied_flags_ordinals_kinds_and_units_have_their_place(
    repairs: Library, question: str, rows: list[list[Any]]
) -> None:
    assert repairs.first(question) == [[pytest.approx(rows[0][0])]]


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("percent change in actual cost from January 2024 to April 2024", 300.0, 90.0),
        ("change in actual cost between Q1 2024 and Q3 2024", 850.0, 450.0),
        ("by how many percent did actual cost change from 2024-01 to 2024-07", 300.0, 450.0),
        ("how did the actual cost change from Q1 2024 to Q2 2024", 850.0, 90.0),
    ],
)
def test_a_change_is_between_the_periods_that_are_said(
    repairs: Library, question: str, first: float, last: float
) -> None:
    assert repairs.first(question)[0][:2] == [first, last]


def test_a_change_between_two_days_is_not_one_between_their_years(repairs: Library) -> None:
    read = repairs.read("how much did the actual cost grow from 2024-01-05 to 2024-03-20")
    assert read and all(c.left for c in read if c.plan.window is not None)


TICKETS = """ticket,opened,closed,team,scheduled_departure,actual_departure,warranty,paid_on,amount
1,2024-01-03,2024-01-05,Red,2024-01-03 08:00,2024-01-03 08:10,Y,2024-01-09,10
2,2024-01-20,,Red,2024-01-20 09:00,2024-01-20 09:00,N,,20
3,2024-02-02,2024-02-20,Blue,2024-02-02 10:00,2024-02-02 10:50,N,2024-03-01,30
4,2024-02-20,,Blue,2024-02-20 11:00,2024-02-20 11:00,Y,2024-03-02,40
5,2024-02-21,,Blue,2024-02-21 11:00,2024-02-21 11:15,N,,50
"""


@pytest.fixture(scope="module")
def tickets(library: Callable[..., Library]) -> Library:
    """Tickets of two teams, some of them not closed, not paid, or late."""
    return library(tickets=TICKETS)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many tickets are still open", [[3]]),
        ("how many unresolved tickets does Blue have", [[2]]),
        ("how many tickets were not under warranty", [[3]]),
        ("how many Blue tickets over 20 in amount were not under warranty", [[2]]),
        ("how many tickets haven't been paid yet", [[2]]),
        ("average delay in minutes", [[15.0]]),
        ("total raised by team", [["Blue", 120], ["Red", 30]]),
        ("total amount of teams other than Red", [[120]]),
    ],
)
def test_what_has_no_end_and_what_is_denied_is_read_so(tickets: Library, question: str, rows: list[list[Any]]) -> None:
    assert tickets.first(question) == rows


def test_a_percentage_of_a_number_is_a_part_of_what_can_hold_it(library: Callable[..., Library]) -> None:
    meals = library(meals="kind,tip,bill,fare\nnoon,1,10,8\nnoon,3,20,16\neve,2,10,9\n")
    found = {tuple(c.plan.columns()) for c in meals.read("average tip percentage by kind") if not c.left}
    whole = {column for columns in found for _, column in columns} & {"bill", "fare"}
    assert whole == {"bill", "fare"}
    only = library(meals="kind,tip,bill\nnoon,1,10\nnoon,3,20\neve,2,10\n")
    assert only.first("average tip percentage") == [[pytest.approx((0.1 + 0.15 + 0.2) / 3)]]


def test_the_type_of_a_thing_is_the_column_that_tells_its_rows_apart(library: Callable[..., Library]) -> None:
    storms = library(storms="entity,year,deaths\n" + "\n".join(f"{'ABC'[n % 3]},{1990 + n},{n}" for n in range(12)))
    found = storms.first("deaths by type of storm")
    assert sorted(found) == [["A", 18], ["B", 22], ["C", 26]]
