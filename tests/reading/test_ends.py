"""Codes of another table under names of their own, both ends of a way, and totals of a thing against its limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from averment.plans.readback import read_back
from averment.plans.text import parse_text, to_text
from averment.reading.followup import follow

if TYPE_CHECKING:
    from tests.reading.conftest import Library

PORTS = """locode,port_name,nation
NLRTM,Rotterdam,Netherlands
DEHAM,Hamburg,Germany
DEBRV,Bremerhaven,Germany
ESVLC,Valencia,Spain
PTSIE,Sines,Portugal
"""
VOYAGES = """voyage_no,vessel,sailed_on,departure,arrival,containers
1,Aurora,2024-05-02,NLRTM,DEHAM,100
2,Calypso,2024-05-09,DEHAM,ESVLC,40
3,Aurora,2024-06-01,NLRTM,DEHAM,70
4,Dorado,2024-06-12,DEBRV,NLRTM,10
5,Aurora,2024-07-01,ESVLC,DEBRV,55
6,Calypso,2024-07-08,DEHAM,NLRTM,25
"""
PROJECTS = """project_code,title,budget
PX-1,Relaunch,100
PX-2,Migration,500
PX-3,Scanner,60
"""
COSTS = """cost_id,project_code,worker,amount
1,PX-1,Ana,60
2,PX-1,Bo,70
3,PX-2,Ana,90
4,PX-3,Bo,20
5,PX-3,Bo,30
"""


@pytest.fixture(scope="module")
def sea(library: Callable[..., Library]) -> Library:
    """Voyages between ports, which they name by code under two names of their own."""
    return library(voyages=VOYAGES, ports=PORTS)


@pytest.fixture(scope="module")
def spent(library: Callable[..., Library]) -> Library:
    """Projects with a budget, and what they cost."""
    return library(projects=PROJECTS, costs=COSTS)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("total containers by arrival nation", [["Germany", 225], ["Netherlands", 35], ["Spain", 40]]),
        ("total containers by departure nation", [["Germany", 75], ["Netherlands", 170], ["Spain", 55]]),
        ("How many voyages departed from Germany?", [[3]]),
        ("How many voyages arrived in Germany?", [[3]]),
        ("average containers of voyages to Spain", [[40.0]]),
        ("number of voyages from Netherlands to Germany", [[2]]),
        ("How many voyages sailed from Hamburg in May?", [[1]]),
        ("What is the most common route?", [["NLRTM", "DEHAM", 2]]),
        ("How many different routes are there?", [[5]]),
    ],
)
def test_the_word_beside_a_name_says_which_end_is_meant(sea: Library, question: str, rows: list[list[Any]]) -> None:
    assert sorted(map(str, sea.first(question))) == sorted(map(str, rows))


def test_where_no_word_says_which_end_both_are_as_likely_and_told_apart(sea: Library) -> None:
    first, second = sea.read("number of voyages by nation")[:2]
    assert first.score == second.score
    assert {first.read_back.rsplit(" by ", 1)[1], second.read_back.rsplit(" by ", 1)[1]} == {"departure", "arrival"}


def test_a_read_back_that_names_the_end_is_read_as_the_same_plan(sea: Library) -> None:
    best = sea.read("total containers by arrival nation")[0]
    again = sea.read(best.read_back)[0]
    assert again.plan == best.plan


def test_a_follow_up_keeps_the_end_that_was_meant(sea: Library) -> None:
    earlier = sea.read("total containers by arrival nation")[0].plan
    edited = follow("only for Aurora", earlier, sea.schema)[0]
    assert [join.left_column for join in edited.plan.joins] == ["arrival"]


def test_small_numbers_and_single_letters_join_nothing(library: Callable[..., Library]) -> None:
    levels = "level,label\n1,Trainee\n2,Junior\n3,Senior\n4,Lead\n"
    survey = "answer,opinion,shelf\n" + "".join(f"{n},{n % 4 + 1},{'ABC'[n % 3]}\n" for n in range(1, 40))
    zones = "letter,meaning\nA,near\nB,far\nC,abroad\n"
    assert library(survey=survey, levels=levels, zones=zones).schema.relations == ()


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("projects whose total amount exceeds their budget", [["Relaunch", 130]]),
        ("which projects stayed below their budget in total amount?", [["Migration", 90], ["Scanner", 50]]),
        ("projects with over 80 in total amount", [["Migration", 90], ["Relaunch", 130]]),
        ("How many projects went over budget on amount?", [[1]]),
        ("workers with more than 110 altogether", [["Ana", 150], ["Bo", 120]]),
    ],
)
def test_what_many_rows_have_is_added_up_before_it_is_held_against_a_limit(
    spent: Library, question: str, rows: list[list[Any]]
) -> None:
    best = next(each for each in spent.read(question) if not each.left)
    assert sorted(map(str, spent.rows(best))) == sorted(map(str, rows))


def test_a_limit_of_the_group_itself_survives_its_text_form(spent: Library) -> None:
    plan = spent.read("projects whose total amount exceeds their budget")[0].plan
    assert plan.having[0].other is not None
    assert parse_text(to_text(plan)) == plan
    assert spent.read(read_back(plan))[0].plan.having == plan.having
