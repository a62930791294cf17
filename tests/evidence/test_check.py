"""No number and no quotation passes the gate unless something covers it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import UnboundNumber, UnboundQuote
from averment.evidence.check import check_text, numbers_in, uncovered_numbers


def test_a_covered_number_passes_in_any_spelling() -> None:
    check_text("The total is $1,234.50.", covered=["1234.50"], own_words="")
    check_text("The total is 1234.5.", covered=["1,234.50"], own_words="")


@pytest.mark.parametrize(
    "text",
    [
        "The total is 1,235.",
        "It rose 12%.",
        "It rose forty percent.",
        "It doubled to twenty-five regions.",
        "On 2024-03-01 it fell.",
        "A loss of −7.",
        "About 3k orders.",
        "Sales of 1e6.",
        "The region2 grew.",
    ],
)
def test_an_uncovered_number_is_refused(text: str) -> None:
    with pytest.raises(UnboundNumber):
        check_text(text, covered=["1,234"], own_words="total amount")


def test_the_users_own_words_and_ordinals_are_allowed() -> None:
    check_text("In 2024 the 1st of the top 5.", covered=[], own_words="top 5 regions in 2024")


def test_a_percentage_is_not_covered_by_the_bare_number() -> None:
    with pytest.raises(UnboundNumber):
        check_text("A share of 12%.", covered=["12"], own_words="")


def test_a_quotation_needs_a_source_that_says_it() -> None:
    check_text("He said “net worth fell sharply”.", covered=["His net worth  fell sharply in May."], own_words="")
    with pytest.raises(UnboundQuote):
        check_text("He said “net worth rose sharply”.", covered=["His net worth fell sharply."], own_words="")


@given(st.integers(min_value=0, max_value=10**9))
def test_every_integer_in_a_sentence_is_seen(number: int) -> None:
    tokens = numbers_in(f"There were {number:,} of them.")
    assert [token.text for token in tokens] == [f"{number:,}"]


@given(st.integers(min_value=2, max_value=10**9), st.integers(min_value=2, max_value=10**9))
def test_only_the_right_number_is_covered(said: int, proven: int) -> None:
    loose = uncovered_numbers(f"It is {said}.", covered=[str(proven)], own_words="")
    assert bool(loose) == (said != proven)
