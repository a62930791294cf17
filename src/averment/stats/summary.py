"""Summaries of one column of numbers, by the conventions of pandas unless another is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]


def present(values: Any) -> Numbers:
    """The values that are there, as floats."""
    numbers: Numbers = np.asarray(values, dtype=np.float64)
    return numbers[~np.isnan(numbers)]


def spread(values: Numbers, *, ddof: int = 1) -> float:
    """The standard deviation; of fewer values than degrees of freedom there is none."""
    return float(np.std(values, ddof=ddof)) if values.size > ddof else float("nan")


def skewness(values: Numbers, *, corrected: bool = True) -> float:
    """Fisher's skewness; ``corrected`` for the size of the sample as pandas does, uncorrected as SciPy does."""
    count, centred = values.size, values - values.mean()
    second = float(np.mean(centred**2))
    if second == 0:
        return 0.0
    plain = float(np.mean(centred**3)) / second**1.5
    if not corrected:
        return plain
    return plain * float(np.sqrt(count * (count - 1))) / (count - 2) if count > 2 else float("nan")


def kurtosis(values: Numbers, *, corrected: bool = True) -> float:
    """Excess kurtosis; ``corrected`` as pandas does, uncorrected as SciPy does."""
    count, centred = values.size, values - values.mean()
    second = float(np.mean(centred**2))
    if second == 0:
        return 0.0
    plain = float(np.mean(centred**4)) / second**2 - 3.0
    if not corrected:
        return plain
    if count < 4:
        return float("nan")
    return (count - 1) / ((count - 2) * (count - 3)) * ((count + 1) * plain + 6)


def mode(values: Numbers) -> float:
    """The most frequent value; of equals the smallest."""
    found, counts = np.unique(values, return_counts=True)
    return float(found[int(np.argmax(counts))])


def quartile_range(values: Numbers) -> float:
    """The distance between the first and the third quartile."""
    low, high = np.percentile(values, [25, 75])
    return float(high - low)


STATISTICS: dict[str, Callable[[Numbers], float]] = {
    "mean": lambda v: float(v.mean()),
    "median": lambda v: float(np.median(v)),
    "mode": mode,
    "std": spread,
    "std_population": lambda v: spread(v, ddof=0),
    "variance": lambda v: float(np.var(v, ddof=1)) if v.size > 1 else float("nan"),
    "variance_population": lambda v: float(np.var(v)),
    "min": lambda v: float(v.min()),
    "max": lambda v: float(v.max()),
    "range": lambda v: float(v.max() - v.min()),
    "sum": lambda v: float(v.sum()),
    "count": lambda v: float(v.size),
    "distinct": lambda v: float(np.unique(v).size),
    "skewness": skewness,
    "skewness_plain": lambda v: skewness(v, corrected=False),
    "kurtosis": kurtosis,
    "kurtosis_plain": lambda v: kurtosis(v, corrected=False),
    "iqr": quartile_range,
    "q1": lambda v: float(np.percentile(v, 25)),
    "q3": lambda v: float(np.percentile(v, 75)),
    "sem": lambda v: spread(v) / float(np.sqrt(v.size)),
    "cv": lambda v: spread(v) / float(v.mean()),
}
"""Every statistic of one column, by name."""


def summarise(values: Any, statistic: str, *, quantile: float | None = None) -> float:
    """One statistic of the values that are there; not a number when there are none, but a sum or a count of 0.

    Raises:
        KeyError: no statistic has that name.
    """
    numbers = present(values)
    if statistic == "quantile":
        return float(np.quantile(numbers, 0.5 if quantile is None else quantile)) if numbers.size else float("nan")
    compute = STATISTICS[statistic]
    if numbers.size == 0:
        return 0.0 if statistic in {"sum", "count", "distinct"} else float("nan")
    return compute(numbers)
