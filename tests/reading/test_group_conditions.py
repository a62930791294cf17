"""Conditions on what a group holds: how many rows of a kind, which average or share, and what none of its rows has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

TICKETS = "ticket_no,flat,trade,urgent,cost,hours\n" + "\n".join(
    f"{number},{row}"
    for number, row in enumerate(
        [
            "A1,Plumbing,Y,100,2",
            "A1,Heating,Y,300,1",
            "A1,Heating,N,200,3",
            "A1,Joinery,Y,50,1",
            "A2,Plumbing,N,80,2",
            "A2,Plumbing,N,90,4",
            "A2,Heating,Y,400,2",
            "B1,Joinery,N,60,1",
            "B1,Plumbing,N,70,2",
            "B2,Electrical,N,500,5",
            "B2,Plumbing,Y,40,1",
            "B2,Electrical,Y,600,4",
        ],
        1000,
    )
)
SQUADS = "player,team,position,goals,red_cards,fit\n" + "\n".join(
    [
        "Aro,Rovers,Defender,1,2,yes",
        "Bell,Rovers,Defender,0,1,no",
        "Cruz,Rovers,Forward,9,0,no",
        "Diaz,United,Defender,2,0,yes",
        "Egan,United,Forward,12,0,yes",
        "Fox,United,Keeper,0,0,yes",
        "Gray,City,Forward,7,2,yes",
        "Hill,City,Forward,5,2,no",
        "Ives,City,Keeper,0,1,yes",
        "Jung,City,Defender,1,0,yes",
    ]
)
SEASONS = "team,season,points,wins\n" + "\n".join(
    f"{team},{season},{points},{points // 4}"
    for team, base in (("Rovers", 30), ("United", 50), ("City", 38), ("Town", 20))
    for season, points in ((2021, base), (2022, base + 5), (2023, base - 5))
)
CLINICS = "hospital,specialty,beds,waiting_weeks\n" + "\n".join(
    f"{hospital},{specialty},{beds},{weeks}"
    for hospital, beds, weeks in (("Lakeside", 10, 30), ("Queens", 20, 8), ("Hillview", 15, 12))
    for specialty in ("Neurology", "Cardiology", "Oncology")
    if (hospital, specialty) not in {("Lakeside", "Neurology"), ("Hillview", "Oncology")}
)
STAFF = "employee_id,full_name,manager_id,department,salary\n" + "\n".join(
    f"{number},{name},{boss},{department},{salary}"
    for number, name, boss, department, salary in (
        (1, "Ada Lux", "", "Board", 200000),
        (2, "Ben Orr", 1, "Sales", 90000),
        (3, "Cia Poe", 1, "Legal", 95000),
        (4, "Dan Rue", 2, "Sales", 60000),
        (5, "Eva Sim", 2, "Sales", 70000),
        (6, "Fay Tew", 2, "Sales", 50000),
        (7, "Gus Urn", 3, "Legal", 85000),
    )
)
CLUBS = {
    "clubs": "club_id,club_name\n1,Chess\n2,Judo\n3,Choir\n",
    "members": (
        "member_id,pupil,club_id,fee_paid\n1,Ann,1,yes\n2,Bob,1,no\n3,Cid,2,no\n4,Dee,2,no\n5,Eli,2,no\n6,Fay,3,yes\n"
    ),
}


@pytest.fixture(scope="module")
def tables(library: Callable[..., Library]) -> Callable[[str], Library]:
    """The tables of this file, each opened once."""
    made = {
        "tickets": library(repair_tickets=TICKETS),
        "squads": library(squads=SQUADS),
        "seasons": library(seasons=SEASONS),
        "clinics": library(clinics=CLINICS),
        "staff": library(staff=STAFF),
        "clubs": library(**CLUBS),
    }
    return made.__getitem__


def _named(tables: Callable[[str], Library], table: str, question: str) -> set[Any]:
    return {row[0] for row in tables(table).first(question)}


@pytest.mark.parametrize(
    ("table", "question", "groups"),
    [
        ("tickets", "flats with more than 2 repair tickets", {"A1", "A2", "B2"}),
        ("tickets", "flats with at least 3 urgent tickets", {"A1"}),
        ("tickets", "which flats had 2 or more heating tickets", {"A1"}),
        ("tickets", "flats with 3 tickets or more", {"A1", "A2", "B2"}),
        ("tickets", "which flats show up more than 3 times", {"A1"}),
        ("tickets", "flats that needed at least 3 trades", {"A1"}),
        ("squads", "teams with more than 1 defender", {"Rovers"}),
        ("squads", "which teams have at least two forwards", {"City"}),
        ("staff", "which managers have more than 2 direct reports", {2}),
        ("staff", "departments with at least two people", {"Sales", "Legal"}),
        ("clubs", "clubs with 2 or more members", {"Chess", "Judo"}),
    ],
)
def test_a_bar_counts_the_rows_of_a_kind_in_each_group(
    tables: Callable[[str], Library], table: str, question: str, groups: set[Any]
) -> None:
    assert _named(tables, table, question) == groups


@pytest.mark.parametrize(
    ("table", "question", "groups"),
    [
        ("tickets", "flats with fewer than 2 urgent tickets", {"A2", "B1"}),
        ("tickets", "which flats had less than 1 heating ticket", {"B1", "B2"}),
        ("squads", "teams with fewer than 2 defenders", {"United", "City"}),
        ("staff", "managers with fewer than 3 direct reports", {1, 3}),
    ],
)
def test_a_group_with_none_of_a_kind_has_few_and_rows_of_no_group_are_none(
    tables: Callable[[str], Library], table: str, question: str, groups: set[Any]
) -> None:
    assert _named(tables, table, question) == groups


@pytest.mark.parametrize(
    ("table", "question", "groups"),
    [
        ("staff", "which departments pay more than 80,000 on average", {"Board", "Legal"}),
        ("staff", "departments where the mean salary falls below 80000", {"Sales"}),
        ("tickets", "flats whose repairs cost more than 500 in total", {"A1", "A2", "B2"}),
        ("tickets", "trades with an average cost over 250", {"Heating", "Electrical"}),
        ("clinics", "hospitals that wait less than 10 weeks on average", {"Queens"}),
        ("squads", "teams where the average number of goals is above 4", {"United"}),
        ("squads", "teams where more than half of the players are fit", {"United", "City"}),
        ("squads", "teams where less than 50% are fit", {"Rovers"}),
        ("tickets", "trades where at least 60 percent of the tickets are urgent", {"Heating"}),
        ("clubs", "clubs where over 40% paid the fee", {"Chess", "Choir"}),
    ],
)
def test_a_bar_on_an_average_or_a_share_is_one_on_each_group(
    tables: Callable[[str], Library], table: str, question: str, groups: set[Any]
) -> None:
    assert _named(tables, table, question) == groups


@pytest.mark.parametrize(
    ("table", "question", "groups"),
    [
        ("squads", "teams that had 3 or more red cards", {"Rovers", "City"}),
        ("squads", "which teams scored more than 13 goals", {"United"}),
        ("seasons", "teams with over 100 points", {"United", "City"}),
    ],
)
def test_a_bar_that_no_row_comes_up_to_is_one_on_the_total(
    tables: Callable[[str], Library], table: str, question: str, groups: set[Any]
) -> None:
    assert _named(tables, table, question) == groups


def test_the_points_of_a_season_are_not_added_up(tables: Callable[[str], Library]) -> None:
    best = tables("seasons").read("teams with more than 40 points")[0]
    assert not best.left
    assert not best.plan.having
    assert {row[0] for row in tables("seasons").rows(best)} == {"United", "City"}


def test_a_bar_that_rows_and_groups_both_reach_is_asked_about(tables: Callable[[str], Library]) -> None:
    verdict = tables("tickets").judged("flats with more than 3 hours")
    assert verdict.kind == "offer"
    said = [offer.candidate.read_back for offer in verdict.offers]
    assert any("total hours" in each for each in said)
    assert any("where hours is over 3" in each for each in said)


@pytest.mark.parametrize(
    ("table", "question", "groups"),
    [
        ("clinics", "which hospitals don't offer neurology", {"Lakeside"}),
        ("clinics", "hospitals without oncology", {"Hillview"}),
        ("clinics", "hospitals that have no neurology department", {"Lakeside"}),
        ("clinics", "which hospitals have never offered oncology", {"Hillview"}),
        ("tickets", "flats without urgent tickets", {"B1"}),
        ("tickets", "which flats never had a heating ticket", {"B1", "B2"}),
        ("squads", "teams without a red card", {"United"}),
        ("squads", "teams with no keeper", {"Rovers"}),
        ("seasons", "teams that never got more than 30 points", {"Town"}),
        ("staff", "departments where nobody earns more than 90000", {"Sales"}),
        ("clubs", "clubs where nobody paid the fee", {"Judo"}),
    ],
)
def test_absence_is_told_of_all_rows_of_a_group(
    tables: Callable[[str], Library], table: str, question: str, groups: set[Any]
) -> None:
    assert _named(tables, table, question) == groups


@pytest.mark.parametrize(
    ("table", "question", "rows"),
    [
        ("tickets", "how many flats have at least 2 urgent tickets", 2),
        ("tickets", "how many tickets have no urgent flag", 6),
        ("squads", "how many players have no red card", 5),
        ("squads", "how many teams got more than 2 red cards", 2),
    ],
)
def test_how_many_counts_groups_where_a_group_is_named_and_rows_where_a_row_is(
    tables: Callable[[str], Library], table: str, question: str, rows: int
) -> None:
    assert tables(table).first(question) == [[rows]]


@pytest.mark.parametrize(
    ("table", "question"),
    [
        ("clubs", "clubs with no unpaid fees"),
        ("clinics", "hospitals that never refused neurology"),
    ],
)
def test_what_cannot_be_ruled_out_safely_is_not_answered(
    tables: Callable[[str], Library], table: str, question: str
) -> None:
    assert tables(table).judged(question).kind != "answer"
