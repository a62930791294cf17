"""Whether values could come from a normal distribution: four tests, each with its statistic and p-value."""

from __future__ import annotations

from typing import Any, Literal

from averment.stats.summary import present, spread

Test = Literal["shapiro", "dagostino", "kolmogorov", "anderson", "jarque_bera"]


def check_normality(values: Any, test: Test, *, standardised: bool = True) -> tuple[float, float]:
    """The statistic and the p-value; Anderson–Darling's p-value is Stephens' approximation.

    Kolmogorov–Smirnov compares with the standard normal, after the values were ``standardised`` by their own mean and
    standard deviation.
    """
    from scipy import stats

    numbers = present(values)
    found: Any
    if test == "shapiro":
        found = stats.shapiro(numbers)
    elif test == "dagostino":
        found = stats.normaltest(numbers)
    elif test == "jarque_bera":
        found = stats.jarque_bera(numbers)
    elif test == "kolmogorov":
        scaled = (numbers - numbers.mean()) / spread(numbers) if standardised else numbers
        found = stats.kstest(scaled, "norm")
    else:
        return _anderson(numbers)
    return float(found.statistic), float(found.pvalue)


def _anderson(numbers: Any) -> tuple[float, float]:
    import math

    import numpy as np
    from scipy.special import log_ndtr

    ordered = np.sort((numbers - numbers.mean()) / spread(numbers))
    count = int(ordered.size)
    places = np.arange(1, count + 1)
    squared = -count - float(np.mean((2 * places - 1) * (log_ndtr(ordered) + log_ndtr(-ordered[::-1]))))
    a = squared * (1 + 0.75 / count + 2.25 / count**2)
    if a >= 0.6:
        p = math.exp(1.2937 - 5.709 * a + 0.0186 * a * a) if a < 13 else 0.0
    elif a > 0.34:
        p = math.exp(0.9177 - 4.279 * a - 1.38 * a * a)
    elif a > 0.2:
        p = 1 - math.exp(-8.318 + 42.796 * a - 59.938 * a * a)
    else:
        p = 1 - math.exp(-13.436 + 101.14 * a - 223.73 * a * a)
    return squared, p
