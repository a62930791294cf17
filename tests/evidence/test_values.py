"""Values keep their exactness between cell and sentence."""

import datetime as dt
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.evidence.values import PERCENT, as_decimal, faithful, same, scalar, show


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234567, "1,234,567"),
        (Decimal("1234.50"), "1,234.50"),
        (0.1 + 0.2, "0.3"),
        (1234.5678, "1,234.57"),
        (None, "no value"),
        ("West", "West"),
        (dt.date(2024, 1, 31), "2024-01-31"),
        (True, "True"),
        (-5, "-5"),
        (float("nan"), "nan"),
    ],
)
def test_a_value_is_shown_readably_and_without_noise(value: object, text: str) -> None:
    assert show(value if isinstance(value, float) else scalar(value)) == text


def test_a_share_is_shown_in_percent_and_held_to_its_value() -> None:
    assert show(0.12345, unit=PERCENT) == "12.3%"
    assert faithful("12.3%", 0.12345, unit=PERCENT)
    assert not faithful("12.4%", 0.12345, unit=PERCENT)
    assert not faithful("12.3", 0.12345, unit=PERCENT)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**12), max_value=10**12))
def test_what_is_shown_is_faithful_to_every_decimal(number: Decimal) -> None:
    kept = scalar(number)
    assert faithful(show(kept), kept)
    assert as_decimal(show(kept)) == number


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e15, max_value=1e15))
def test_what_is_shown_is_faithful_to_every_float(number: float) -> None:
    assert faithful(show(number), number)


@given(st.integers(min_value=-(10**18), max_value=10**18), st.integers(min_value=1, max_value=10**6))
def test_another_number_is_never_faithful(number: int, change: int) -> None:
    assert not faithful(show(number + change), number)


def test_one_is_not_true_and_text_is_not_a_number() -> None:
    assert not same(1, True)
    assert not same("1", 1)
    assert same("1.50", "1.50")
    assert not same("1.50", "1.5")
