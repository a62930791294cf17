"""The grain a question asks for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.language.periods import find_grain, find_grains


@pytest.mark.parametrize(
    ("text", "grain", "kind"),
    [
        ("sales by month", "month", "bucket"),
        ("monthly sales", "month", "bucket"),
        ("revenue per quarter", "quarter", "bucket"),
        ("weekly active users", "week", "bucket"),
        ("the daily total amount", "day", "bucket"),
        ("for each year", "year", "bucket"),
        ("in each of the last 8 weeks excluding the current week", "week", "bucket"),
        ("for each of the last 12 months", "month", "bucket"),
        ("over the years", "year", "bucket"),
        ("grouped by calendar quarter", "quarter", "bucket"),
        ("broken down by week", "week", "bucket"),
        ("bin the date into Year interval", "year", "bucket"),
        ("month by month", "month", "bucket"),
        ("on a quarterly basis", "quarter", "bucket"),
        ("annual revenue", "year", "bucket"),
        ("hourly traffic", "hour", "bucket"),
        ("split by region and by month", "month", "bucket"),
        ("by decade", "decade", "bucket"),
        ("year over year growth", "year", "change"),
        ("YoY change", "year", "change"),
        ("month-over-month", "month", "change"),
        ("QoQ", "quarter", "change"),
        ("compared to the previous month", "month", "change"),
        ("bin ending date by weekday", "weekday", "part"),
        ("for each day of the week", "weekday", "part"),
        ("into the day of week interval", "weekday", "part"),
        ("by hour of day", "hour", "part"),
        ("by month of the year", "month", "part"),
        ("which month had the most sales", "month", "asked"),
        ("in what year did they win", "year", "asked"),
        ("our busiest week", "week", "asked"),
    ],
)
def test_a_grain_is_found_with_how_it_is_meant(text: str, grain: str, kind: str) -> None:
    first = find_grains(text)[0]
    assert (first.grain, first.kind) == (grain, kind)
    assert find_grain(text) == grain


@pytest.mark.parametrize(
    "text",
    [
        "sales in the last 3 months",
        "total sales",
        "since last year",
        "30 days ago",
        "year of birth",
        "how many years were between",
        "today",
        "a day to remember",
    ],
)
def test_a_question_without_a_grain_has_none(text: str) -> None:
    assert find_grain(text) is None


def test_a_grouping_comes_before_a_comparison() -> None:
    assert find_grain("YoY growth by month") == "month"
    assert [one.grain for one in find_grains("YoY growth by month")] == ["year", "month"]


@given(st.text())
def test_every_grain_is_what_stands_at_its_place(text: str) -> None:
    assert all(text[one.span[0] : one.span[1]] == one.text for one in find_grains(text))
