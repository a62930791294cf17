"""Readings that miss the point: links counted for things, a bar read as an age, a place that is not told."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from averment.reading.judge.judging import judge

if TYPE_CHECKING:
    from conftest import Library

SCHOOLS = {
    "pupils": "pupil_id,first_name,last_name,hometown,age,house_code\n"
    + "".join(
        f"{n},{first},{last},{town},{age},{house}\n"
        for n, (first, last, town, age, house) in enumerate(
            [
                ("Ana", "Roe", "Leeds", 11, "RED"),
                ("Bo", "Sand", "Leeds", 12, "RED"),
                ("Cy", "Teal", "Leeds", 13, "BLU"),
                ("Di", "Umber", "York", 12, "BLU"),
                ("Ed", "Vane", "Hull", 11, "RED"),
                ("Flo", "West", "York", 14, "BLU"),
            ],
            start=1,
        )
    ),
    "clubs": "club_id,club_name,format\n1,Chess,indoor\n2,Rowing,outdoor\n3,Choir,indoor\n",
    "pupil_club": "pupil_id,club_id,since\n1,1,2020\n4,1,2020\n4,2,2021\n6,2,2021\n6,3,2022\n6,1,2022\n",
}


@pytest.fixture(scope="module")
def school(library: Callable[..., Library]) -> Library:
    """Pupils, their clubs, and which pupil is in which."""
    return library(**SCHOOLS)


def test_the_most_common_of_a_thing_is_counted_by_the_things(school: Library) -> None:
    assert school.first("What is the most common hometown of pupils?") == [["Leeds", 3]]


@pytest.mark.parametrize(
    "question",
    [
        "Which pupils are in at least two clubs?",
        "Show the names of pupils that belong to more than one club",
        "What are the names of pupils who joined at least 2 clubs?",
    ],
)
def test_a_bar_of_how_many_is_nobodys_age(school: Library, question: str) -> None:
    assert not any("age" in one.read_back for one in school.read(question) if not one.left)


def test_that_no_group_passes_a_bar_can_be_the_answer(school: Library) -> None:
    def run(compiled: Any) -> Any:
        composed = compiled.compose(school.catalog.dialect)
        return school.engine.run(composed.sql, composed.params).table

    question = "Which hometowns have more than 10 pupils?"
    verdict = judge(school.read(question), run, schema=school.schema, question=question)
    assert verdict.best is not None
    assert verdict.best.candidate.plan.having
    assert verdict.best.rows == []


def test_where_is_told_by_a_place(school: Library) -> None:
    best = school.read("Where is the oldest pupil from?")[0]
    assert best.left == ("where",) or any(value.column == "hometown" for value in (*best.plan.by, *best.plan.show))


def test_a_code_that_points_nowhere_groups_as_it_is(school: Library) -> None:
    assert sorted(school.first("How many pupils are in each house?")) == [["BLU", 3], ["RED", 3]]


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("List the first and last name of all pupils", [["Ana", "Roe"], ["Bo", "Sand"]]),
        ("first and last names of pupils older than 13", [["Flo", "West"]]),
    ],
)
def test_names_that_share_a_noun_are_each_a_column(school: Library, question: str, rows: list[list[str]]) -> None:
    found = [row[:2] for row in school.first(question)]
    assert found[: len(rows)] == rows


@pytest.mark.parametrize(
    "question",
    [
        "Show the formats of clubs sorted by their frequency",
        "List the formats in ascending order of the number of clubs",
    ],
)
def test_kinds_are_sorted_by_how_many_there_are(school: Library, question: str) -> None:
    assert school.first(question) == [["outdoor", 1], ["indoor", 2]]


def test_by_whom_makes_no_groups(school: Library) -> None:
    assert school.first("Which club is used by the most pupils?") == [["Chess", 3]]


def test_across_all_rows_is_over_all(school: Library) -> None:
    assert school.first("What is the average age across all pupils?") == [[pytest.approx(73 / 6)]]
