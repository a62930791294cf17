"""Tails of Student's t, Fisher's F and chi-square, from the incomplete beta and gamma functions.

Written out here, since a correlation's p-value should not cost the import of a whole library of special functions.
"""

from __future__ import annotations

import math
from functools import cache

_STEPS = 10_000
_CLOSE = 1e-16
_TINY = 1e-300


def t_two_sided(t: float, freedom: float) -> float:
    """The two-sided tail of Student's t."""
    return beta_share(freedom / 2, 0.5, freedom / (freedom + t * t))


@cache
def t_bound(freedom: float, chance: float = 0.05) -> float:
    """The t that chance exceeds so seldom on either side: 1.96 where the freedom is large."""
    low, high = 0.0, 1.0
    while t_two_sided(high, freedom) > chance:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if t_two_sided(middle, freedom) > chance else (low, middle)
    return high


def f_tail(above: float, below: float, f: float) -> float:
    """The upper tail of Fisher's F with so many degrees of freedom above and below."""
    if f <= 0:
        return 1.0
    whole = below + above * f
    return beta_share(below / 2, above / 2, below / whole, rest=above * f / whole)


def chi_square_tail(freedom: float, statistic: float) -> float:
    """The upper tail of chi-square."""
    return 1.0 if statistic <= 0 else _gamma_tail(freedom / 2, statistic / 2)


def beta_share(a: float, b: float, x: float, *, rest: float | None = None) -> float:
    """The regularised incomplete beta function.

    ``rest`` is what is missing to one, where it is known with more digits than ``1 - x`` has.
    """
    if math.isnan(x):
        return math.nan
    if x <= 0 or (x >= 1 and not rest):
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):  # The fraction converges on the other side.
        return 1.0 - beta_share(b, a, 1 - x if rest is None else rest)
    front = a * math.log(x) + b * math.log1p(-x) - (math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))
    return math.exp(front) * _beta_fraction(a, b, x) / a


def _beta_fraction(a: float, b: float, x: float) -> float:
    """Lentz's way through the continued fraction of the incomplete beta function."""
    upper, lower = 1.0, 1.0 / (_away(1 - (a + b) * x / (a + 1)))
    found = lower
    for step in range(1, _STEPS):
        even = step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step))
        odd = -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1))
        for term in (even, odd):
            lower = 1 / _away(1 + term * lower)
            upper = _away(1 + term / upper)
            found *= lower * upper
        if abs(lower * upper - 1) < _CLOSE:
            break
    return found


def _gamma_tail(a: float, x: float) -> float:
    """The upper regularised incomplete gamma function: a series below its middle, a fraction above."""
    front = math.exp(a * math.log(x) - x - math.lgamma(a)) if x > 0 else 0.0
    if x < a + 1:
        term = total = 1 / a
        for step in range(1, _STEPS):
            term *= x / (a + step)
            total += term
            if term < total * _CLOSE:
                break
        return 1 - front * total
    start = x + 1 - a
    upper, lower = 1 / _TINY, 1 / start
    found = lower
    for step in range(1, _STEPS):
        term, start = -step * (step - a), start + 2
        lower = 1 / _away(term * lower + start)
        upper = _away(start + term / upper)
        found *= lower * upper
        if abs(lower * upper - 1) < _CLOSE:
            break
    return front * found


def _away(value: float) -> float:
    """The value, kept away from zero."""
    return value if abs(value) > _TINY else _TINY
