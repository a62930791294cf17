"""Values in one normal form, and whether two of them can both hold."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.language.claims.claim_values import compare, read_values


def one(text: str):
    values = read_values(text)
    assert len(values) == 1, values
    return values[0]


@pytest.mark.parametrize("text", ["$180B", "180 billion dollars", "US$180 bn", "USD 180,000,000,000"])
def test_one_amount_in_many_spellings_is_one_value(text: str) -> None:
    value = one(f"Its worth was {text} then")
    assert (value.low, value.unit) == (Decimal(180_000_000_000), "USD")


@pytest.mark.parametrize(
    "text", ["12 November 2020", "November 12, 2020", "Nov. 12, 2020", "2020-11-12", "12th of November 2020"]
)
def test_one_day_in_many_spellings_is_one_value(text: str) -> None:
    assert one(f"It aired on {text}.").normal == "2020-11-12"


@pytest.mark.parametrize(
    ("left", "right", "verdict"),
    [
        ("It has 3,559 people", "It has 3,559 inhabitants", "same"),
        ("It has 3,559 people", "It has 10,000 people", "different"),
        ("It has about 3,500 people", "It has 3,559 people", "compatible"),
        ("It is 5 miles away", "It is 8 km away", "same"),
        ("It is 5 miles away", "It is 8.05 km away", "same"),
        ("It is 5 miles away", "It is 8.2 km away", "different"),
        ("It is 5 miles away", "It is 10 km away", "different"),
        ("It is 1 mile away", "It is 2 km away", "different"),
        ("It is 100 miles away", "It is 160 km away", "same"),
        ("It is 1000 metres away", "It is 1 km away", "same"),
        ("It cost 5 dollars", "It cost 5 euros", "unrelated"),
        ("It grew 5 percent", "It grew 5 km", "unrelated"),
        ("It grew by 10 to 12 percent", "It grew by 11%", "compatible"),
        ("It sold 3.56 million copies", "It sold 3.6 million copies", "same"),
        ("It opened in 1912", "It opened on 5 May 1912", "compatible"),
        ("It opened in 1912", "It opened in 1921", "different"),
        ("It opened about 1835", "It opened in 1837", "compatible"),
        ("It fell in 112 BC", "It fell in 148 BC", "different"),
    ],
)
def test_two_values_are_compared_by_what_they_mean(left: str, right: str, verdict: str) -> None:
    assert compare(one(left), one(right)) == verdict
    assert compare(one(right), one(left)) == verdict


def test_a_year_is_no_amount_and_a_count_is_no_year() -> None:
    assert [value.kind for value in read_values("In 1950 there were 1950 people")] == ["moment", "amount"]


@given(st.integers(min_value=1, max_value=10**12))
def test_a_number_agrees_with_itself_however_it_is_grouped(number: int) -> None:
    left, right = one(f"a total of {number:,} units sold"), one(f"a total of {number} units sold")
    if left.kind == right.kind:
        assert compare(left, right) == "same"
