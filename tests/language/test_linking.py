"""Spellings that are near each other, and cell values found in a question."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.language.linking.affinity import distance
from averment.language.linking.values import ValueIndex


@given(st.text(alphabet="abc", max_size=7), st.text(alphabet="abc", max_size=7))
def test_the_distance_of_words_is_symmetric_and_bounded(one: str, two: str) -> None:
    assert distance(one, two, 9) == distance(two, one, 9)
    assert (distance(one, two, 9) == 0) == (one == two)
    assert distance(one, two, 2) == min(distance(one, two, 9), 3)


VALUES = [
    ("state", "Arizona"),
    ("state", "New York"),
    ("state", "Indiana"),
    ("code", "AZ"),
    ("code", "IN"),
    ("city", "São Paulo"),
    ("city", "St. Louis"),
    ("country", "US"),
    ("country", "CA"),
    ("gender", "F"),
    ("gender", "M"),
    ("uni", "Arizona State University"),
    ("cat", "Office Supplies"),
    ("cat", "Technology"),
    ("status", "Shipped"),
    ("name", "Sarah Williams"),
    ("grade", "A"),
    ("section", "h"),
    ("flag", "Y"),
    ("airline", "Delta Air Lines"),
    ("year", "2013"),
]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Analyze Q1 2021 Arizona sales", ("state", "Arizona", "Arizona", "exact")),
        ("sales in arizona", ("state", "Arizona", "arizona", "case")),
        ("Arizona's sales", ("state", "Arizona", "Arizona", "exact")),
        ("orders in sao paulo", ("city", "São Paulo", "sao paulo", "case")),
        ("flights to st louis", ("city", "St. Louis", "st louis", "case")),
        ("office supply orders", ("cat", "Office Supplies", "office supply", "stem")),
        ("users from Canada", ("country", "CA", "Canada", "alias")),
        ("users from the U.S. only", ("country", "US", "U.S.", "case")),
        ("the United States", ("country", "US", "United States", "alias")),
        ("female customers", ("gender", "F", "female", "alias")),
        ("orders from AZ", ("code", "AZ", "AZ", "exact")),
        ("sales in Arizna", ("state", "Arizona", "Arizna", "fuzzy")),
        ("techonology sales", ("cat", "Technology", "techonology", "fuzzy")),
        ("students at arizona state", ("uni", "Arizona State University", "arizona state", "subset")),
        ("flights by delta", ("airline", "Delta Air Lines", "delta", "subset")),
        ('reviews by "sarah williams"', ("name", "Sarah Williams", "sarah williams", "case")),
        ("grade 'A' students", ("grade", "A", "A", "exact")),
        ("describe the section h", ("section", "h", "h", "exact")),
        ("in 2013", ("year", "2013", "2013", "exact")),
    ],
)
def test_a_value_is_found_in_a_question(question: str, expected: tuple[str, str, str, str]) -> None:
    found = ValueIndex(VALUES).find(question)
    assert expected in [(one.column, one.value, question[slice(*one.span)], one.how) for one in found]


@pytest.mark.parametrize(
    "question",
    ["is it in or me", "a list of us", "how many rows are there?", "", "in a state of mind", "rank by the y axis"],
)
def test_little_words_are_no_values(question: str) -> None:
    assert [one for one in ValueIndex(VALUES).find(question) if one.how in ("exact", "case", "alias")] == []


def test_a_longer_value_hides_the_shorter_one_inside_it() -> None:
    index = ValueIndex([("a", "York"), ("b", "New York")])
    assert [one.value for one in index.find("sales in New York")] == ["New York"]


def test_one_value_in_two_columns_is_found_in_both() -> None:
    index = ValueIndex([("home", "Leeds"), ("away", "Leeds")])
    assert {one.column for one in index.find("leeds")} == {"home", "away"}
    assert {one.column for one in index.find("leeds", columns=["home"])} == {"home"}


def test_fuzzy_matching_can_be_left_out() -> None:
    assert ValueIndex(VALUES).find("sales in Arizna", fuzzy=False) == []


def test_an_empty_index_finds_nothing() -> None:
    index = ValueIndex([("a", ""), ("a", "  "), ("a", "--")])
    assert (len(index), index.find("anything at all")) == (0, [])


def test_a_value_is_found_among_two_hundred_thousand() -> None:
    source = random.Random(7)
    parts = "ba ko ri mo ta le sun gar dim pel ost von ark tis rul".split()
    values = [("c", "".join(source.choices(parts, k=source.randint(3, 6)))) for _ in range(200_000)]
    index = ValueIndex([*values, ("state", "Arizona"), ("city", "Philadelphia")])
    assert [one.value for one in index.find("sales in arizona")] == ["Arizona"]
    assert "Philadelphia" in [one.value for one in index.find("sales in Philadelpia")]


@given(st.text(max_size=40), st.lists(st.text(max_size=12), max_size=6))
def test_found_values_stand_inside_the_question(question: str, values: list[str]) -> None:
    index = ValueIndex([("c", value) for value in values])
    for one in index.find(question):
        assert 0 <= one.span[0] < one.span[1] <= len(question)
        assert one.value in values


@given(
    st.lists(st.text(alphabet=st.characters(categories=("L", "N")), min_size=2, max_size=12), min_size=1, max_size=6)
)
def test_a_quoted_value_is_always_found(values: list[str]) -> None:
    index = ValueIndex([("c", value) for value in values])
    found = index.find(f'rows where it is "{values[0]}"', fuzzy=False)
    assert values[0] in [one.value for one in found if one.score >= 0.97]
