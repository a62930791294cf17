"""Tests of normality and of groups agree with SciPy; what needs two groups refuses three."""

import numpy as np
import pytest
from scipy import stats

from averment.stats.hypotheses import check_independence, compare_groups
from averment.stats.normality import check_normality

RANDOM = np.random.default_rng(5)
LEFT, RIGHT = RANDOM.normal(size=50), RANDOM.normal(0.5, size=60)


@pytest.mark.parametrize("test", ["shapiro", "dagostino", "kolmogorov", "anderson", "jarque_bera"])
def test_a_skewed_sample_is_not_normal_and_a_normal_one_may_be(test: str) -> None:
    assert check_normality(RANDOM.exponential(size=400), test)[1] < 0.01  # pyright: ignore[reportArgumentType]
    assert check_normality(np.random.default_rng(11).normal(size=400), test)[1] > 0.05  # pyright: ignore[reportArgumentType]


def test_two_groups_are_compared_as_scipy_does() -> None:
    assert compare_groups([LEFT, RIGHT], "t")[1] == pytest.approx(stats.ttest_ind(LEFT, RIGHT).pvalue)
    assert compare_groups([LEFT, RIGHT], "mannwhitney")[1] == pytest.approx(stats.mannwhitneyu(LEFT, RIGHT).pvalue)
    assert compare_groups([LEFT, RIGHT, LEFT], "anova")[0] == pytest.approx(stats.f_oneway(LEFT, RIGHT, LEFT).statistic)


def test_a_t_test_of_three_groups_is_refused() -> None:
    with pytest.raises(ValueError, match="two groups"):
        compare_groups([LEFT, RIGHT, LEFT], "t")


def test_independent_counts_have_a_large_p_value() -> None:
    assert check_independence([[20, 20], [20, 20]])[1] > 0.9
    assert check_independence([[40, 1], [1, 40]])[1] < 0.001
