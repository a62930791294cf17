"""Outliers by both rules."""

import numpy as np

from averment.stats.outliers import Rule, outlying

VALUES = [10.0, 11.0, 12.0, 11.0, 10.0, 12.0, 11.0, 10.0, 11.0, 12.0, 11.0, 60.0]


def test_a_far_value_stands_apart_by_the_quartiles() -> None:
    assert outlying(VALUES, Rule(method="iqr", threshold=1.5)).tolist() == [False] * 11 + [True]


def test_a_far_value_stands_apart_by_its_z_score() -> None:
    assert outlying(VALUES, Rule(method="zscore", threshold=3.0)).sum() == 1


def test_a_missing_value_never_stands_apart() -> None:
    assert not outlying([float("nan"), *VALUES], Rule(method="iqr", threshold=1.5))[0]
    assert outlying([float("nan")], Rule(method="zscore", threshold=3.0)).sum() == 0


def test_the_low_side_can_be_left_alone() -> None:
    low = [-value for value in VALUES]
    assert outlying(low, Rule(method="zscore", threshold=3.0, above_only=True)).sum() == 0
    assert outlying(low, Rule(method="zscore", threshold=3.0)).sum() == 1


def test_a_wider_threshold_finds_no_more() -> None:
    random = np.random.default_rng(3).normal(size=500)
    counts = [outlying(random, Rule(method="iqr", threshold=k)).sum() for k in (0.5, 1.5, 3.0)]
    assert counts == sorted(counts, reverse=True)
