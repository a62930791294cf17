"""Correlation of two columns with its two-sided p-value: Pearson, Spearman, Kendall."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from averment.stats.tails import t_two_sided

Numbers = npt.NDArray[np.float64]
Method = Literal["pearson", "spearman", "kendall"]


@dataclass(frozen=True)
class Correlation:
    """The coefficient, the probability of one as far from zero by chance, and how many pairs there were."""

    r: float
    p: float
    pairs: int


def correlate(left: Any, right: Any, method: Method = "pearson") -> Correlation:
    """Correlation over the rows where both values are there."""
    x: Numbers = np.asarray(left, dtype=np.float64)
    y: Numbers = np.asarray(right, dtype=np.float64)
    both = ~(np.isnan(x) | np.isnan(y))
    x, y = x[both], y[both]
    if method == "kendall":
        return _kendall(x, y)
    if method == "spearman":
        x, y = ranks(x), ranks(y)
    return _pearson(x, y)


def ranks(values: Numbers) -> Numbers:
    """Ranks from 1; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    ends = np.cumsum(counts)
    means: Numbers = ends - (counts - 1) / 2.0
    return means[place]


def _pearson(x: Numbers, y: Numbers) -> Correlation:
    count = int(x.size)
    if count < 2 or float(np.ptp(x)) == 0 or float(np.ptp(y)) == 0:
        return Correlation(float("nan"), float("nan"), count)
    dx, dy = x - x.mean(), y - y.mean()
    r = float(np.dot(dx / np.linalg.norm(dx), dy / np.linalg.norm(dy)))
    r = max(-1.0, min(1.0, r))
    if count == 2:
        return Correlation(r, 1.0, count)
    return Correlation(r, t_two_sided(r * math.sqrt((count - 2) / max(1e-300, 1 - r * r)), count - 2), count)


def _kendall(x: Numbers, y: Numbers) -> Correlation:
    from scipy.stats import kendalltau

    found: Any = kendalltau(x, y)
    return Correlation(float(found.statistic), float(found.pvalue), int(x.size))
