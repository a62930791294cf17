"""What questions are read as, over tables that nothing was written for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Library


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("how many rides", [[8]]),
        ("how many riders are there", [[6]]),
        ("average fare by city", [["Moss", 12.0], ["Bergen", 6.0], ["Oslo", 5.5]]),
        ("total minutes in Oslo", [[92]]),
        ("how many rides in 2024 by plan", [["day", 1], ["month", 1], ["year", 2]]),
        ("rides longer than 30 minutes in Bergen: how many?", [[1]]),
        ("median minutes", [[24.5]]),
        ("how many rides have no fare", [[1]]),
        ("how many different cities", [[3]]),
        ("number of rides per year", [[2023, 4], [2024, 4]]),
        ("what percentage of rides wore a helmet", [[50.0]]),
        ("how many rides with a helmet in Oslo", [[3]]),
        ("most common city", [["Oslo", 4]]),
        ("total minutes for month or year plans", [[117]]),
        ("rides not in Oslo: how many", [[4]]),
        ("which city has the most rides", [["Oslo", 4]]),
        ("90th percentile of minutes", [[49.5]]),
    ],
)
def test_a_question_over_one_table_is_read_right(rides: Library, question: str, rows: list[list[Any]]) -> None:
    found = rides.first(question)
    assert sorted(map(str, found)) == sorted(map(str, rows)) or found == rows


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("tallest plant", "Foxglove"),
        ("what is the heaviest edible plant", "Basil"),
        ("lightest plant", "Thyme"),
        ("top 2 plants by height", "Foxglove"),
        ("which family has the highest average weight", "plantain"),
    ],
)
def test_adjectives_find_the_number_they_measure(plants: Library, question: str, first: str) -> None:
    assert first in [str(cell) for cell in plants.first(question)[0]]


def test_a_yes_no_column_is_a_rate_by_groups(plants: Library) -> None:
    rows = plants.first("share of edible plants by family")
    assert {row[0]: round(float(row[-1]), 1) for row in rows} == {"mint": 100.0, "daisy": 50.0, "plantain": 0.0}


def test_tables_are_joined_from_many_to_one(books: Library) -> None:
    assert books.first("how many books by country")[0] == ["Chile", 2]
    assert books.first("how many books did Moe write") == [[2]]


def test_what_nothing_points_at_is_found(books: Library) -> None:
    best = books.read("authors without books")[0]
    assert books.rows(best) == [["Kai"]]


@pytest.mark.parametrize(
    "question",
    ["which mechanic repaired the most bikes", "rides with a puncture", "average tip", "who will ride tomorrow"],
)
def test_a_word_without_a_place_is_left_over(rides: Library, question: str) -> None:
    found = rides.read(question)
    assert not found or found[0].left


def test_ties_are_all_kept(plants: Library) -> None:
    assert len(plants.first("families with the most plants")) >= 2


def test_reading_twice_gives_the_same(rides: Library) -> None:
    question = "average fare by city and plan since 2023"
    assert [c.read_back for c in rides.read(question)] == [c.read_back for c in rides.read(question)]
