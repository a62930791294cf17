"""Summaries agree with pandas and SciPy, whose conventions they follow."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.stats.summary import summarise
from lazily import lazily

pd = lazily("pandas")
stats = lazily("scipy.stats")

NUMBERS = st.lists(st.floats(-1e6, 1e6, allow_nan=False), min_size=5, max_size=40).filter(lambda v: np.ptp(v) > 1e-3)


@given(NUMBERS)
def test_the_sample_statistics_are_those_of_pandas(values: list[float]) -> None:
    series = pd.Series(values)
    wanted = {"mean": series.mean(), "std": series.std(), "variance": series.var(), "median": series.median()}
    for name, expected in wanted.items():
        assert math.isclose(summarise(values, name), float(expected), rel_tol=1e-9, abs_tol=1e-9)
    assert math.isclose(summarise(values, "skewness"), float(series.skew()), rel_tol=1e-5, abs_tol=1e-6)


@given(NUMBERS)
def test_the_uncorrected_moments_are_those_of_scipy(values: list[float]) -> None:
    assert math.isclose(summarise(values, "skewness_plain"), float(stats.skew(values)), rel_tol=1e-6, abs_tol=1e-6)
    assert math.isclose(summarise(values, "kurtosis_plain"), float(stats.kurtosis(values)), rel_tol=1e-6, abs_tol=1e-6)


def test_missing_values_do_not_count() -> None:
    assert summarise([1.0, float("nan"), 3.0], "mean") == 2.0
    assert summarise([1.0, float("nan"), 3.0], "count") == 2.0


def test_nothing_has_a_sum_of_zero_and_no_mean() -> None:
    assert summarise([], "sum") == 0.0
    assert math.isnan(summarise([], "mean"))


def test_of_equally_frequent_values_the_smallest_is_the_mode() -> None:
    assert summarise([3.0, 1.0, 3.0, 1.0, 2.0], "mode") == 1.0


@pytest.mark.parametrize(("statistic", "expected"), [("q1", 1.75), ("q3", 3.25), ("iqr", 1.5), ("range", 3.0)])
def test_quartiles_are_interpolated_linearly(statistic: str, expected: float) -> None:
    assert summarise([1.0, 2.0, 3.0, 4.0], statistic) == pytest.approx(expected)
