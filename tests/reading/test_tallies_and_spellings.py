"""Rows that stand for many, and values that are written in several ways."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Library

CROSSINGS = """ferry,season,outcome,freq
Alba,summer,on time,80
Alba,summer,late,20
Alba,winter,on time,30
Alba,winter,late,30
Brio,summer,on time,50
Brio,summer,late,10
Brio,winter,on time,15
Brio,winter,late,25
"""
RECEIPTS = """receipt,day,method,amount
1,2024-01-03,Cash,10.0
2,2024-01-04,card,30.0
3,2024-01-05,cash,5.0
4,2024-01-06,Card,20.0
5,2024-01-07,CASH,2.5
6,2024-01-08,Transfer,40.0
"""


@pytest.fixture(scope="module")
def crossings(library: Callable[..., Library]) -> Library:
    """How many crossings there were of each kind."""
    return library(crossings=CROSSINGS)


@pytest.fixture(scope="module")
def receipts(library: Callable[..., Library]) -> Library:
    """Payments whose method was typed by hand."""
    return library(receipts=RECEIPTS)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("what percent of the summer crossings were late?", 18.75),
        ("what share of crossings in winter were on time?", 45.0),
        ("how many crossings were late?", 85),
        ("which ferry had the most late crossings?", "Alba"),
        ("how many rows are there?", 8),
    ],
)
def test_what_rows_stand_for_is_counted(crossings: Library, question: str, wanted: Any) -> None:
    assert wanted in crossings.first(question)[0]


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("how much was paid in cash?", 17.5),
        ("total amount paid by card", 50.0),
        ("how many receipts were cash?", 3),
        ("average amount for transfer", 40.0),
    ],
)
def test_a_value_is_meant_in_every_spelling(receipts: Library, question: str, wanted: Any) -> None:
    assert wanted in receipts.first(question)[0]


def test_spellings_stay_apart_where_they_are_the_groups(receipts: Library) -> None:
    assert len(receipts.first("total amount by method")) == 6
