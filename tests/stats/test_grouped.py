"""Tests that are made from the counts, means and spreads of groups alone agree with SciPy over the values."""

import numpy as np
import pytest

from averment.stats.grouped import anova, correlation_p, independence
from lazily import lazily

stats = lazily("scipy.stats")


def test_tests_from_groups_alone_are_those_of_scipy() -> None:
    dice = np.random.default_rng(11)
    groups = [dice.normal(mean, 6, size=count).round(1) for mean, count in ((75, 140), (79, 120), (74, 140))]
    found = anova([(len(each), float(each.mean()), float(each.std(ddof=1))) for each in groups])
    assert found == pytest.approx(tuple(stats.f_oneway(*groups)))

    counts = dice.integers(20, 60, size=(3, 4))
    cells = [
        (float(n), 100 * float(n) / float(counts[row].sum()), 100 * float(n) / float(counts[:, column].sum()))
        for row in range(3)
        for column, n in enumerate(counts[row])
    ]
    wanted = stats.chi2_contingency(counts, correction=False)
    assert independence(cells) == pytest.approx((wanted.statistic, wanted.pvalue))

    weight = dice.normal(75, 8, size=400)
    stay = 0.1 * weight + dice.normal(0, 4, size=400)
    pair = stats.pearsonr(weight, stay)
    assert correlation_p(pair.statistic, 400) == pytest.approx(pair.pvalue)
