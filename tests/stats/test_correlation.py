"""Correlations and their p-values agree with SciPy."""

import math

import numpy as np
import pytest

from averment.stats.correlation import correlate
from lazily import lazily

stats = lazily("scipy.stats")


@pytest.fixture
def pair() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(7)
    x = random.normal(size=80).round(1)
    return x, (0.4 * x + random.normal(size=80)).round(1)


def test_pearson_is_that_of_scipy(pair: tuple[np.ndarray, np.ndarray]) -> None:
    expected = stats.pearsonr(*pair)
    found = correlate(*pair)
    assert found.r == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)


def test_spearman_shares_ranks_between_equals(pair: tuple[np.ndarray, np.ndarray]) -> None:
    expected = stats.spearmanr(*pair)
    found = correlate(*pair, "spearman")
    assert found.r == pytest.approx(expected.statistic)
    assert found.p == pytest.approx(expected.pvalue)


def test_kendall_is_that_of_scipy(pair: tuple[np.ndarray, np.ndarray]) -> None:
    assert correlate(*pair, "kendall").r == pytest.approx(stats.kendalltau(*pair).statistic)


def test_only_whole_pairs_count() -> None:
    found = correlate([1.0, 2.0, float("nan"), 4.0], [2.0, 4.1, 1.0, float("nan")])
    assert found.pairs == 2


def test_a_constant_column_has_no_correlation() -> None:
    assert math.isnan(correlate([1.0, 1.0, 1.0], [1.0, 2.0, 3.0]).r)
