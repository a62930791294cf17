"""Ranges and relative phrases: from one period to another, one side open, or counted from an anchor."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.language.periods import find_periods

TODAY = date(2025, 1, 15)  # A Wednesday.
Q1_2021 = ("2021-01-01", "2021-03-31")
YEAR_2021 = ("2021-01-01", "2021-12-31")
DAYS = st.dates(date(1, 1, 1), date(9999, 12, 31))


def read(text: str) -> list[tuple[str, str]]:
    """Start and end of every period, '' for an open or unplaced side."""
    return [(str(one.start or ""), str(one.end or "")) for one in find_periods(text, anchor=TODAY)]


RANGES: dict[str, list[tuple[str, str]]] = {
    "from January to March 2021": [Q1_2021],
    "January through March 2021": [Q1_2021],
    "Jan-Mar 2021": [Q1_2021],
    "Jan – Mar 2021": [Q1_2021],
    "between January and March 2021": [Q1_2021],
    "between 2019 and 2021": [("2019-01-01", "2021-12-31")],
    "from 2019 to 2021": [("2019-01-01", "2021-12-31")],
    "2019-2021": [("2019-01-01", "2021-12-31")],
    "2019–2021": [("2019-01-01", "2021-12-31")],
    "between the years 2019 and 2021": [("2019-01-01", "2021-12-31")],
    "in the 2006-2007 year": [("2006-01-01", "2007-12-31")],
    "between 2003-13": [("2003-01-01", "2013-12-31")],
    "from 1882 to 1889": [("1882-01-01", "1889-12-31")],
    "Q4 2020 to Q2 2021": [("2020-10-01", "2021-06-30")],
    "November to February 2021": [("2020-11-01", "2021-02-28")],
    "from November 2020 to February": [("2020-11-01", "2021-02-28")],
    "from 2021-01-01 to 2021-03-31": [Q1_2021],
    "2021-01-01 - 2021-03-31": [Q1_2021],
    "01/13/2021 to 02/03/2021": [("2021-01-13", "2021-02-03")],
    "1-15 March 2021": [("2021-03-01", "2021-03-15")],
    "March 1-15, 2021": [("2021-03-01", "2021-03-15")],
    "july 22-23, 1972": [("1972-07-22", "1972-07-23")],
    "from the 1st to the 15th of March 2021": [("2021-03-01", "2021-03-15")],
    "from Jan 1st to Dec 31st 2022": [("2022-01-01", "2022-12-31")],
    "between April of 2003 and may 2004": [("2003-04-01", "2004-05-31")],
    "from March 2024 to today": [("2024-03-01", "2025-01-15")],
    "since March 2020": [("2020-03-01", "")],
    "since 2020-03-05": [("2020-03-05", "")],
    "on or after March 5, 2020": [("2020-03-05", "")],
    "from 2019 onwards": [("2019-01-01", "")],
    "2019 and later": [("2019-01-01", "")],
    "2019 to present": [("2019-01-01", "")],
    "starting in 2004": [("2004-01-01", "")],
    "before 2020": [("", "2019-12-31")],
    "prior to March 2020": [("", "2020-02-29")],
    "earlier than 2020": [("", "2019-12-31")],
    "pre-2020": [("", "2019-12-31")],
    "after 2018": [("2019-01-01", "")],
    "after the year 2008": [("2009-01-01", "")],
    "after 2018-05-01": [("2018-05-02", "")],
    "later than 2018": [("2019-01-01", "")],
    "years beyond 2000": [("2001-01-01", "")],
    "until June 2020": [("", "2020-06-30")],
    "through 2020": [("", "2020-12-31")],
    "up to March 2021": [("", "2021-03-31")],
    "no later than 2021-03-03": [("", "2021-03-03")],
    "as of 2021-03-31": [("", "2021-03-31")],
    "by the end of 2020": [("", "2020-12-31")],
    "introduced by 1986": [("", "1986-12-31")],
    "founded before 2003 and after 2003": [("", "2002-12-31"), ("2004-01-01", "")],
    "throughout 2021": [YEAR_2021],
}

RELATIVE: dict[str, list[tuple[str, str]]] = {
    "today": [("2025-01-15", "2025-01-15")],
    "yesterday": [("2025-01-14", "2025-01-14")],
    "the day before yesterday": [("2025-01-13", "2025-01-13")],
    "tomorrow": [("2025-01-16", "2025-01-16")],
    "this week": [("2025-01-13", "2025-01-19")],
    "this month": [("2025-01-01", "2025-01-31")],
    "the current month": [("2025-01-01", "2025-01-31")],
    "this quarter": [("2025-01-01", "2025-03-31")],
    "this year": [("2025-01-01", "2025-12-31")],
    "last week": [("2025-01-06", "2025-01-12")],
    "previous month": [("2024-12-01", "2024-12-31")],
    "last quarter": [("2024-10-01", "2024-12-31")],
    "last year": [("2024-01-01", "2024-12-31")],
    "next month": [("2025-02-01", "2025-02-28")],
    "past year": [("2024-01-16", "2025-01-15")],
    "past week": [("2025-01-09", "2025-01-15")],
    "last 3 months": [("2024-10-16", "2025-01-15")],
    "the last three months": [("2024-10-16", "2025-01-15")],
    "past 7 days": [("2025-01-09", "2025-01-15")],
    "past 7 days, inclusive of today": [("2025-01-09", "2025-01-15")],
    "past 30 days, inclusive of 30 days ago": [("2024-12-16", "2025-01-15")],
    "trailing 12 months": [("2024-01-16", "2025-01-15")],
    "most recent 2 quarters": [("2024-07-16", "2025-01-15")],
    "in the last 6 months excluding the current month": [("2024-07-01", "2024-12-31")],
    "the last 8 calendar weeks (excluding the current week)": [("2024-11-18", "2025-01-12")],
    "last 2 full months": [("2024-11-01", "2024-12-31")],
    "next 10 days": [("2025-01-16", "2025-01-25")],
    "30 days ago": [("2024-12-16", "2024-12-16")],
    "2 years ago": [("2023-01-01", "2023-12-31")],
    "a month ago": [("2024-12-01", "2024-12-31")],
    "year to date": [("2025-01-01", "2025-01-15")],
    "YTD": [("2025-01-01", "2025-01-15")],
    "month-to-date": [("2025-01-01", "2025-01-15")],
    "this year so far": [("2025-01-01", "2025-01-15")],
    "last March": [("2024-03-01", "2024-03-31")],
    "March last year": [("2024-03-01", "2024-03-31")],
    "last Monday": [("2025-01-13", "2025-01-13")],
    "same month last year": [("2024-01-01", "2024-01-31")],
    "since last month": [("2024-12-01", "")],
}


@pytest.mark.parametrize(("text", "periods"), RANGES.items())
def test_a_range_is_read(text: str, periods: list[tuple[str, str]]) -> None:
    assert read(text) == periods


@pytest.mark.parametrize(("text", "periods"), RELATIVE.items())
def test_a_relative_phrase_counts_from_the_anchor(text: str, periods: list[tuple[str, str]]) -> None:
    assert read(text) == periods
    assert all(one.anchor == TODAY for one in find_periods(text, anchor=TODAY))


@pytest.mark.parametrize("text", RELATIVE)
def test_a_relative_phrase_without_an_anchor_is_found_but_not_placed(text: str) -> None:
    found = find_periods(text, anchor=None)
    assert [(one.period, one.ambiguity) for one in found] == [(None, "anchor_missing")]


def test_a_yearless_range_runs_through_its_months_around_the_turn_of_the_year() -> None:
    (one,) = find_periods("from November to February", anchor=None)
    assert one.recurring is not None
    assert one.recurring.months == (11, 12, 1, 2)


def test_a_rolling_window_offers_the_whole_calendar_periods_too() -> None:
    (one,) = find_periods("last 3 months", anchor=TODAY)
    assert ("2024-10-01", "2024-12-31") in [(str(other.start), str(other.end)) for other in one.alternatives]


@given(st.dates(date(1900, 1, 1), date(2090, 12, 31)), st.integers(0, 900))
def test_any_range_of_days_is_read_back(start: date, length: int) -> None:
    end = start + timedelta(days=length)
    found = find_periods(f"between {start} and {end}", anchor=None)
    assert [(one.start, one.end) for one in found] == [(start, end)]


PHRASES = [*RANGES, *RELATIVE, "sales", "the", "and", "from", "to", "between", "since", "before", "not", "Q2", "in May"]


@given(st.lists(st.sampled_from(PHRASES), max_size=6), st.sampled_from([" ", "  ", " – ", ", "]), st.none() | DAYS)
def test_every_match_is_what_stands_at_its_place_and_none_overlap(
    parts: list[str], joint: str, anchor: date | None
) -> None:
    text = joint.join(parts)
    found = find_periods(text, anchor=anchor)
    assert all(text[one.span[0] : one.span[1]] == one.text and one.text.strip() == one.text for one in found)
    assert all(one.span[1] <= two.span[0] for one, two in pairwise(found))
