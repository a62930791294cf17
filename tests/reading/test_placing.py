"""Who won, who came second, and what is worst."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

LEAGUE = """season,team,position,points,avg_attendance
2019,Reds,1,80,20000
2019,Blues,2,75,18000
2019,Greens,3,60,9000
2020,Reds,3,61,0
2020,Blues,1,90,0
2020,Greens,2,85,0
2021,Reds,2,70,500
2021,Blues,3,66,700
2021,Greens,1,77,800
"""
VOTES = """year,district,candidate,party,incumbent,votes,elected
2018,North,Ash,Green,Y,900,Y
2018,North,Bell,Blue,N,700,N
2018,South,Cole,Blue,Y,400,N
2018,South,Dunn,Red,N,650,Y
2022,North,Ash,Green,Y,500,N
2022,North,Eng,Red,N,800,Y
2022,South,Dunn,Red,Y,720,Y
2022,South,Foy,Blue,N,300,N
"""
ARMY = """date,wounds,disease,army_size
1854-04-01,0,1,8571
1854-05-01,0,12,23333
1854-11-01,287,844,29736
1854-12-01,114,1725,32779
1855-01-01,83,2761,32393
1855-06-01,209,802,38863
"""


@pytest.fixture(scope="module")
def league(library: Callable[..., Library]) -> Library:
    """Teams with the place that each had in each season."""
    return library(league=LEAGUE)


@pytest.fixture(scope="module")
def votes(library: Callable[..., Library]) -> Library:
    """Candidates, and whether they were elected."""
    return library(votes=VOTES)


@pytest.fixture(scope="module")
def army(library: Callable[..., Library]) -> Library:
    """Losses of an army by month."""
    return library(army=ARMY)


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("who won the league in 2019", [["Reds"]]),
        ("who was champion in 2021", [["Greens"]]),
        ("who was the runner-up in 2020", [["Greens"]]),
        ("who came second in 2019", [["Blues"]]),
        ("which team finished first in 2021", [["Greens"]]),
        ("which teams have won the league", [["Blues"], ["Greens"], ["Reds"]]),
        ("average points of the champions", [[pytest.approx(247 / 3)]]),
        ("which season had no spectators", [[2020]]),
    ],
)
def test_the_first_place_is_who_won(league: Library, question: str, rows: list[list[Any]]) -> None:
    assert league.first(question) == rows


@pytest.mark.parametrize("question", ["champion of 2021", "who won the trophy in 2021", "list the champions by season"])
def test_a_prize_and_a_bare_title_are_asked_about(league: Library, question: str) -> None:
    assert league.judged(question).kind != "answer"


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many incumbents lost", [[2]]),
        ("who won North in 2022", [["North", "Eng", "Red"]]),
        ("which party won most often", [["Red", 3]]),
        ("how many candidates lost in 2018", [[2]]),
    ],
)
def test_who_was_elected_won_and_who_was_not_lost(votes: Library, question: str, rows: list[list[Any]]) -> None:
    assert votes.first(question) == rows


def test_who_won_is_asked_about_where_only_votes_are_told(library: Callable[..., Library]) -> None:
    rows = "\n".join(",".join((*line.split(",")[:3], line.split(",")[5])) for line in VOTES.splitlines())
    assert library(polls=rows + "\n").judged("who won North in 2018").kind == "offer"


@pytest.mark.parametrize(
    ("question", "row"),
    [
        ("worst month for wounds", ["1854-11-01", 287]),
        ("second worst month for wounds", ["1855-06-01", 209]),
        ("best month for disease", ["1854-04-01", 1]),
    ],
)
def test_the_most_of_what_is_bad_is_the_worst(army: Library, question: str, row: list[Any]) -> None:
    assert army.first(question) == [row]


def test_the_worst_of_what_nothing_says_is_asked_about(army: Library) -> None:
    assert army.judged("worst month").kind == "offer"
