"""Amounts, comparisons and rankings in text, and numbers written for reports."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from averment.language.numbers import (
    find_comparisons,
    find_quantities,
    parse_number,
)

QUANTITIES: list[tuple[str, str, str | None, str]] = [
    ("1,234.5", "1234.5", None, "cardinal"),
    ("100,000,000", "100000000", None, "cardinal"),
    ("1,23,456", "123456", None, "cardinal"),
    ("1.234,56", "1234.56", None, "cardinal"),
    ("1.234.567", "1234567", None, "cardinal"),
    ("0.05", "0.05", None, "cardinal"),
    (".5", "0.5", None, "cardinal"),
    ("1e6", "1000000", None, "cardinal"),
    ("-5", "-5", None, "cardinal"),
    ("−5", "-5", None, "cardinal"),
    ("minus 3.5", "-3.5", None, "cardinal"),
    ("1.2k", "1200", None, "cardinal"),
    ("5M", "5000000", None, "cardinal"),
    ("3 million", "3000000", None, "cardinal"),
    ("2.5bn", "2500000000", None, "cardinal"),
    ("3 lakh", "300000", None, "cardinal"),
    ("two and a half million", "2500000", None, "cardinal"),
    ("half a million", "500000", None, "cardinal"),
    ("half a dozen", "6", None, "cardinal"),
    ("$180B", "180000000000", "USD", "currency"),
    ("180 billion dollars", "180000000000", "USD", "currency"),
    ("$1,000.50", "1000.50", "USD", "currency"),
    ("US$ 5", "5", "USD", "currency"),
    ("-$5", "-5", "USD", "currency"),
    ("€3.5m", "3500000", "EUR", "currency"),
    ("£20", "20", "GBP", "currency"),
    ("USD 300", "300", "USD", "currency"),
    ("300 USD", "300", "USD", "currency"),
    ("45%", "45", "percent", "percent"),
    ("45 %", "45", "percent", "percent"),
    ("20 percent", "20", "percent", "percent"),
    ("3 percentage points", "3", "percentage point", "percent"),
    ("25 bps", "25", "basis point", "percent"),
    ("200 km", "200", "km", "measure"),
    ("300km", "300", "km", "measure"),
    ("3,300 ft", "3300", "foot", "measure"),
    ("30-day", "30", "day", "duration"),
    ("8 minutes", "8", "minute", "duration"),
    ("5 times", "5", None, "times"),
    ("twice", "2", None, "times"),
    ("five", "5", None, "cardinal"),
    ("twenty-one", "21", None, "cardinal"),
    ("twenty one", "21", None, "cardinal"),
    ("two hundred and five thousand", "205000", None, "cardinal"),
    ("one hundred twenty-three", "123", None, "cardinal"),
    ("three million two hundred thousand and one", "3200001", None, "cardinal"),
    ("a hundred", "100", None, "cardinal"),
    ("a dozen", "12", None, "cardinal"),
    ("two dozen", "24", None, "cardinal"),
    ("a couple of", "2", None, "cardinal"),
    ("one million people", "1000000", None, "cardinal"),
    ("first", "1", None, "ordinal"),
    ("3rd", "3", None, "ordinal"),
    ("twenty-first", "21", None, "ordinal"),
    ("half", "0.5", None, "fraction"),
    ("two fifths", "0.4", None, "fraction"),
    ("three quarters of", "0.75", None, "fraction"),
    ("¾", "0.75", None, "fraction"),
]


@pytest.mark.parametrize(("text", "value", "unit", "kind"), QUANTITIES)
def test_an_amount_is_read_with_its_unit(text: str, value: str, unit: str | None, kind: str) -> None:
    (one,) = find_quantities(text)
    assert (one.value, one.unit, one.kind) == (Decimal(value), unit, kind)


@pytest.mark.parametrize(
    "text",
    [
        "x2",
        "COVID-19",
        "gdp_1982",
        "version 1.2.3",
        "192.168.0.1",
        "which one of them",
        "A1",
        "D7D100PIR",
        "someone",
        "tension",
        "often",
        "weight",
        "f-86 sabre",
        "",
    ],
)
def test_digits_in_names_and_words_with_numbers_inside_are_no_amounts(text: str) -> None:
    assert find_quantities(text) == []


def test_a_list_of_numbers_is_read_one_by_one() -> None:
    assert [one.value for one in find_quantities("columns 1,2 and 3")] == [1, 2, 3]


def test_amounts_inside_a_skipped_span_are_left_out() -> None:
    text = "more than 5 in 2021"
    assert [one.text for one in find_quantities(text, skip=[(12, 19)])] == ["5"]


def test_a_percentage_as_a_factor_is_a_hundredth() -> None:
    assert find_quantities("45%")[0].share == Decimal("0.45")
    assert find_quantities("45")[0].share == 45


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,234.5", "1234.5"), (" $3 million ", "3000000"), ("45%", "45"), ("-7", "-7"), ("five", "5")],
)
def test_a_cell_that_is_one_amount_is_parsed(text: str, value: str) -> None:
    assert parse_number(text) == Decimal(value)


@pytest.mark.parametrize("text", ["5 apples", "n/a", "", "5 6", "abc", "12 of 13"])
def test_a_cell_that_is_more_or_less_than_one_amount_is_not(text: str) -> None:
    assert parse_number(text) is None


COMPARISONS: list[tuple[str, str, str | None, str | None]] = [
    ("more than 5", "gt", "5", None),
    ("more then 300", "gt", "300", None),
    ("greater than 1000", "gt", "1000", None),
    ("over $30,000", "gt", "30000", None),
    ("above 2.6", "gt", "2.6", None),
    ("exceeding 10", "gt", "10", None),
    ("in excess of 1 million", "gt", "1000000", None),
    ("> 5", "gt", "5", None),
    ("qty>5", "gt", "5", None),
    ("more goals than 3", "gt", "3", None),
    ("older than 30", "gt", "30", None),
    ("more than once", "gt", "1", None),
    ("at least 3", "ge", "3", None),
    ("no less than 3", "ge", "3", None),
    ("not fewer than three", "ge", "3", None),
    ("a minimum of 3", "ge", "3", None),
    ("greater than or equal to 80", "ge", "80", None),
    ("equal to or greater than 80", "ge", "80", None),
    (">= 3", "ge", "3", None),
    ("≥3", "ge", "3", None),
    ("5 or more", "ge", "5", None),
    ("5 points or more", "ge", "5", None),
    ("18 and over", "ge", "18", None),
    ("3+ orders", "ge", "3", None),
    ("at least twice", "ge", "2", None),
    ("less than 5", "lt", None, "5"),
    ("fewer than three", "lt", None, "3"),
    ("under $100", "lt", None, "100"),
    ("below 500", "lt", None, "500"),
    ("younger than 20", "lt", None, "20"),
    ("lower than 12", "lt", None, "12"),
    ("qty<3", "lt", None, "3"),
    ("at most 50%", "le", None, "50"),
    ("no more than 7", "le", None, "7"),
    ("not more than 7", "le", None, "7"),
    ("up to 10", "le", None, "10"),
    ("a maximum of 4", "le", None, "4"),
    ("less than or equal to 4", "le", None, "4"),
    ("<= 3", "le", None, "3"),
    ("10 or fewer", "le", None, "10"),
    ("within 10 days", "le", None, "10"),
    ("exactly 5", "eq", "5", "5"),
    ("equal to 5", "eq", "5", "5"),
    ("sender_type = 0", "eq", "0", "0"),
    ("not equal to 3", "ne", "3", None),
    ("!= 3", "ne", "3", None),
    ("is not 3", "ne", "3", None),
    ("between 10 and 20", "between", "10", "20"),
    ("between 20 and 10", "between", "10", "20"),
    ("from 5 to 10", "between", "5", "10"),
    ("10-20", "between", "10", "20"),
    ("10 to 20", "between", "10", "20"),
    ("ranging from 5 to 10%", "between", "5", "10"),
    ("between 10 and 20 million", "between", "10000000", "20000000"),
    ("$10-20k", "between", "10000", "20000"),
    ("not between 10 and 20", "outside", "10", "20"),
    ("outside the range of 10 to 20", "outside", "10", "20"),
    ("below 20th position", "lt", None, "20"),
]


@pytest.mark.parametrize(("text", "op", "low", "high"), COMPARISONS)
def test_a_comparison_is_read(text: str, op: str, low: str | None, high: str | None) -> None:
    (one,) = find_comparisons(text)
    assert (one.op, one.low, one.high) == (op, low and Decimal(low), high and Decimal(high))


def test_several_comparisons_stand_side_by_side() -> None:
    found = find_comparisons("an altitude of more than 100 but less than 500")
    assert [(one.op, one.text) for one in found] == [("gt", "of more than 100"), ("lt", "less than 500")]


def test_the_compared_quality_is_told() -> None:
    assert find_comparisons("buildings taller than 200 feet")[0].quality == "taller"
    assert find_comparisons("more than 200 feet")[0].quality is None


def test_an_ordinal_is_compared_as_a_rank() -> None:
    assert find_comparisons("finished higher than 10th")[0].unit == "rank"


@pytest.mark.parametrize(
    "text", ["5 apples", "the number 1 for at least a while", "between us", "over the years", "first and 5"]
)
def test_an_amount_that_is_not_compared_is_left_alone(text: str) -> None:
    assert find_comparisons(text) == []


SPOKEN = "over under at least most more than fewer between and 5 12.5% $3 1,200 ten third million km , . é 東".split()


@given(st.text() | st.lists(st.sampled_from(SPOKEN), max_size=12).map(" ".join))
@example("at least 5 km and fewer than 1,200")
def test_every_amount_is_what_stands_at_its_place(text: str) -> None:
    found = find_quantities(text)
    assert all(text[one.span[0] : one.span[1]] == one.text for one in found)
    assert all(one.span[1] <= two.span[0] for one, two in pairwise(found))
    assert all(text[one.span[0] : one.span[1]] == one.text for one in find_comparisons(text))
