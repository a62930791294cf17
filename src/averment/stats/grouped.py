"""Tests whose groups are known by count, mean and standard deviation alone, as a query gives them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from averment.stats.tails import chi_square_tail, f_tail, t_two_sided

Group = tuple[float, float, float]
"""How many values, their mean and their sample standard deviation."""


def welch(groups: Sequence[Group]) -> tuple[float, float]:
    """Welch's test of equal means: t for two groups, F for more, each with its p-value.

    A group of fewer than two values has no spread and cannot be tested.

    Raises:
        ValueError: there are fewer than two groups, a group is too small, or no group varies.
    """
    if len(groups) < 2 or any(count < 2 for count, _, _ in groups):
        raise ValueError("each of at least two groups needs two values")
    if any(spread <= 0 for _, _, spread in groups):
        raise ValueError("each group needs values that vary")
    return _two(groups[0], groups[1]) if len(groups) == 2 else _several(groups)


def _two(left: Group, right: Group) -> tuple[float, float]:
    first, second = (spread**2 / count for count, _, spread in (left, right))
    t = (left[1] - right[1]) / math.sqrt(first + second)
    freedom = (first + second) ** 2 / (first**2 / (left[0] - 1) + second**2 / (right[0] - 1))
    return t, t_two_sided(t, freedom)


def _several(groups: Sequence[Group]) -> tuple[float, float]:
    many = len(groups)
    weights = [count / spread**2 for count, _, spread in groups]
    whole = sum(weights)
    centre = sum(weight * mean for weight, (_, mean, _) in zip(weights, groups, strict=True)) / whole
    between = sum(weight * (mean - centre) ** 2 for weight, (_, mean, _) in zip(weights, groups, strict=True)) / (
        many - 1
    )
    unrest = sum((1 - weight / whole) ** 2 / (count - 1) for weight, (count, _, _) in zip(weights, groups, strict=True))
    statistic = between / (1 + 2 * (many - 2) / (many**2 - 1) * unrest)
    freedom = (many**2 - 1) / (3 * unrest)
    return statistic, f_tail(many - 1, freedom, statistic)


def anova(groups: Sequence[Group]) -> tuple[float, float]:
    """The classic analysis of variance: F and its p-value.

    Raises:
        ValueError: there are fewer than two groups, too few values, or nothing varies within the groups.
    """
    known = [group for group in groups if group[0] >= 1]
    total = sum(count for count, _, _ in known)
    many = len(known)
    if many < 2 or total <= many:
        raise ValueError("an analysis of variance needs two groups and more values than groups")
    centre = sum(count * mean for count, mean, _ in known) / total
    between = sum(count * (mean - centre) ** 2 for count, mean, _ in known) / (many - 1)
    within = sum((count - 1) * spread**2 for count, _, spread in known if count > 1) / (total - many)
    if within <= 0:
        raise ValueError("the values must vary within a group")
    statistic = between / within
    return statistic, f_tail(many - 1, total - many, statistic)


Pair = tuple[float, float, float]
"""How many rows two values share, in percent of the first value's rows and of the second's."""


def independence(pairs: Sequence[Pair]) -> tuple[float, float]:
    """Pearson's chi-square of a table of counts, given by the cells that have rows: the statistic and its p-value.

    Raises:
        ValueError: either side has fewer than two values.
    """
    total = sum(rows for rows, _, _ in pairs)
    first, second = (round(sum(pair[at] for pair in pairs) / 100) for at in (1, 2))
    freedom = (first - 1) * (second - 1)
    if freedom < 1:
        raise ValueError("both sides need at least two values")
    statistic = max(0.0, total * (sum(one * other for _, one, other in pairs) / 10_000 - 1))
    return statistic, chi_square_tail(freedom, statistic)


def correlation_p(r: float, rows: float) -> float:
    """The two-sided p-value of a correlation coefficient over so many pairs.

    Raises:
        ValueError: there are fewer than three pairs.
    """
    if rows < 3:
        raise ValueError("a correlation needs more than two pairs")
    if abs(r) >= 1:
        return 0.0
    return t_two_sided(r * math.sqrt((rows - 2) / (1 - r * r)), rows - 2)
