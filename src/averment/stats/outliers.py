"""Which values stand apart: by z-score or by the interquartile range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.float64]
Method = Literal["zscore", "iqr"]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How far is too far: so many standard deviations from the mean, or so many ranges outside the quartiles.

    ``ddof`` is that of the standard deviation, ``above_only`` leaves the low side alone.
    """

    method: Method
    threshold: float
    ddof: int = 0
    above_only: bool = False


def outlying(values: Any, rule: Rule) -> npt.NDArray[np.bool_]:
    """True where a value stands apart; a missing value never does."""
    numbers: Numbers = np.asarray(values, dtype=np.float64)
    there = numbers[~np.isnan(numbers)]
    if there.size == 0:
        return np.zeros(numbers.shape, dtype=np.bool_)
    if rule.method == "iqr":
        first, third = np.percentile(there, [25, 75])
        reach = rule.threshold * (third - first)
        low, high = first - reach, third + reach
    else:
        deviation = float(np.std(there, ddof=rule.ddof))
        low, high = there.mean() - rule.threshold * deviation, there.mean() + rule.threshold * deviation
    with np.errstate(invalid="ignore"):
        above = numbers > high
        return above if rule.above_only else above | (numbers < low)
