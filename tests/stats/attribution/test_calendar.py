"""Exposure: what two periods are worth by their weekdays and length, whatever happened in them."""

from __future__ import annotations

from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import AvermentError
from averment.stats.attribution.calendar import DailySeries, DaySpan, estimate_exposure

WEIGHTS = np.array([1.0, 1.1, 1.2, 1.0, 0.9, 0.3, 0.4])


def exact(
    first: date, before: int, after: int, level: float = 1.0, growth: float = 0.0
) -> tuple[DailySeries, DaySpan, DaySpan]:
    days = tuple(first + timedelta(days=number) for number in range(before + after))
    rows = np.array([1000.0 * WEIGHTS[day.weekday()] * np.exp(growth * n) for n, day in enumerate(days)])
    rows[before:] *= level
    series = DailySeries(days=days, rows=rows, totals=rows, nulls=0 * rows)
    return series, DaySpan(first=days[0], last=days[before - 1]), DaySpan(first=days[before], last=days[-1])


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    start=st.integers(0, 6), before=st.integers(8, 30), after=st.integers(8, 30), level=st.sampled_from([0.5, 1.0, 3.0])
)
def test_the_exposure_is_the_ratio_of_weekday_weights_whatever_the_level(
    start: int, before: int, after: int, level: float
) -> None:
    series, baseline, comparison = exact(date(2025, 3, 3) + timedelta(days=start), before, after, level)
    weights = [WEIGHTS[day.weekday()] for day in series.days]
    exposure = estimate_exposure(series, baseline, comparison)
    assert exposure.ratio == pytest.approx(sum(weights[before:]) / sum(weights[:before]), rel=1e-4)


def test_growth_through_both_periods_raises_the_exposure() -> None:
    series, baseline, comparison = exact(date(2025, 3, 3), 14, 14, growth=0.02)
    exposure = estimate_exposure(series, baseline, comparison)
    assert exposure.daily_growth == pytest.approx(0.02, rel=1e-3)
    assert exposure.ratio == pytest.approx(np.exp(0.02 * 14), rel=1e-3)


def test_a_step_between_the_periods_is_no_growth() -> None:
    exposure = estimate_exposure(*exact(date(2025, 3, 3), 14, 14, level=0.7))
    assert (exposure.daily_growth, exposure.ratio) == (0.0, pytest.approx(1.0, rel=1e-4))


def test_weekdays_against_weekends_without_history_count_by_days() -> None:
    days = tuple(date(2025, 3, 3) + timedelta(days=number) for number in range(7))
    series = DailySeries(days=days, rows=np.full(7, 50.0), totals=np.full(7, 50.0), nulls=np.zeros(7))
    exposure = estimate_exposure(series, DaySpan(first=days[0], last=days[4]), DaySpan(first=days[5], last=days[6]))
    assert exposure.ratio == pytest.approx(2 / 5)


def test_a_period_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(AvermentError) as refused:
        DaySpan(first=date(2025, 2, 2), last=date(2025, 2, 1))
    assert refused.value.code == "INVALID_DATE_RANGE"
