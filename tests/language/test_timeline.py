"""The arithmetic of periods."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import InvalidDateRange
from averment.language.periods.timeline import (
    Grain,
    Period,
    complete_before,
    fiscal_year_of,
    half_of,
    month_of,
    period_at,
    quarter_of,
    week_of,
    window_after,
    window_before,
    year_of,
)

YEARS = st.integers(1900, 2100)
MONTHS = st.integers(1, 12)
DAYS = st.dates(date(1900, 1, 1), date(2100, 12, 31))
GRAINS = st.sampled_from(["day", "week", "month", "quarter", "half", "year"])


def assert_partition(parts: list[Period], whole: Period) -> None:
    assert parts[0].start == whole.start
    assert parts[-1].end == whole.end
    for one, two in pairwise(parts):
        assert one.end is not None
        assert two.start == one.end + timedelta(days=1)


@given(YEARS, MONTHS)
def test_quarters_and_halves_partition_a_fiscal_year(year: int, start_month: int) -> None:
    whole = fiscal_year_of(year, start_month)
    assert_partition([quarter_of(year, number, start_month) for number in (1, 2, 3, 4)], whole)
    assert_partition([half_of(year, number, start_month) for number in (1, 2)], whole)


@given(YEARS)
def test_months_partition_a_year(year: int) -> None:
    assert_partition([month_of(year, month) for month in range(1, 13)], year_of(year))


@given(DAYS, st.integers(0, 800), GRAINS)
def test_the_parts_of_a_period_partition_it(start: date, length: int, grain: Grain) -> None:
    whole = Period(start, start + timedelta(days=length), "day")
    assert_partition(whole.split(grain), whole)


@given(DAYS, GRAINS, MONTHS)
def test_the_period_at_a_day_holds_it(day: date, grain: Grain, start_month: int) -> None:
    assert period_at(day, grain, start_month).holds(day)


@given(DAYS, GRAINS, st.integers(-40, 40))
def test_a_calendar_period_moved_there_and_back_is_itself(day: date, grain: Grain, steps: int) -> None:
    period = period_at(day, grain)
    moved = period.shift(steps)
    assert moved.shift(-steps) == period
    assert moved == period_at(moved.start or day, grain)


@given(DAYS, GRAINS, st.integers(1, 24))
def test_whole_periods_before_an_anchor_end_right_before_its_own(day: date, grain: Grain, count: int) -> None:
    before, current = complete_before(day, count, grain), period_at(day, grain)
    assert before.end is not None
    assert current.start == before.end + timedelta(days=1)
    assert len(before.split(grain)) == count


@given(DAYS, GRAINS, st.integers(1, 24))
def test_windows_touch_the_anchor(day: date, grain: Grain, count: int) -> None:
    assert window_before(day, count, grain).end == day
    assert window_after(day, count, grain).start == day + timedelta(days=1)


@given(DAYS)
def test_an_iso_week_is_found_by_its_number(day: date) -> None:
    year, week, _ = day.isocalendar()
    assert week_of(year, week) == period_at(day, "week")


def test_a_fiscal_year_is_named_by_the_year_it_ends_in() -> None:
    assert fiscal_year_of(2021, 10) == Period(date(2020, 10, 1), date(2021, 9, 30), "year")
    assert fiscal_year_of(2021, 1) == year_of(2021)


def test_a_month_end_moves_to_a_month_end() -> None:
    assert month_of(2021, 1).shift(1) == month_of(2021, 2)


def test_an_open_period_has_no_length_and_no_parts() -> None:
    period = Period(date(2021, 1, 1), None, "year")
    assert period.days is None
    with pytest.raises(InvalidDateRange):
        period.split("month")


def test_a_period_that_ends_before_it_starts_is_refused() -> None:
    with pytest.raises(InvalidDateRange):
        Period(date(2021, 1, 2), date(2021, 1, 1), "day")


def test_an_open_period_covers_what_lies_on_its_side() -> None:
    since = Period(date(2020, 1, 1), None, "year")
    assert since.covers(year_of(2021))
    assert not since.covers(Period(None, date(2021, 1, 1), "day"))
    assert not year_of(2021).covers(since)
