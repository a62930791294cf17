"""What the calendar alone does to a count: weekday weights, the exposure of one period against the other, day noise.

Two periods of different length or with different weekdays differ without any cause. A log-linear model of the daily
counts (a level per period, a weight per weekday) says by how much, and how sure that is.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from averment.errors import InvalidArguments, InvalidDateRange
from averment.stats.attribution.cube import Floats

_STEPS = 12
_BLOCK_DAYS = 28
_HISTORY_DAYS = 56
_GROWTH_UNIT = 28.0
_LEAST_SPARE_DAYS = 6
_SURE = 20.0
"""How far a deviance must fall, in units of noise, before growth is taken for real; few days make noise uncertain."""


@dataclass(frozen=True, kw_only=True)
class DaySpan:
    """A span of days, both ends included."""

    first: date
    last: date

    def __post_init__(self) -> None:
        if self.last < self.first:
            raise InvalidDateRange("A period ends before it begins.")

    @property
    def days(self) -> int:
        """How many days the period has."""
        return (self.last - self.first).days + 1

    def holds(self, days: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these day numbers lie in the period."""
        return (days >= self.first.toordinal()) & (days <= self.last.toordinal())


@dataclass(frozen=True, kw_only=True)
class DailySeries:
    """A metric by day: row count, sum, and how many rows had no value; one entry for each day that has rows."""

    days: tuple[date, ...]
    rows: Floats
    totals: Floats
    nulls: Floats

    def __post_init__(self) -> None:
        if any(len(array) != len(self.days) for array in (self.rows, self.totals, self.nulls)):
            raise InvalidArguments("Each day needs a row count, a total and a null count.")
        if any(later <= earlier for earlier, later in zip(self.days, self.days[1:], strict=False)):
            raise InvalidArguments("The days of a series must be in ascending order without repeats.")

    @property
    def numbers(self) -> NDArray[np.int64]:
        """The days as ordinals; a Monday is 1 modulo 7."""
        return np.array([day.toordinal() for day in self.days], dtype=np.int64)


@dataclass(frozen=True, kw_only=True)
class Exposure:
    """How many baselines the comparison period is worth, and the relative error of that beyond counting noise."""

    ratio: float
    wobble: float
    weekday_weights: tuple[float, ...]
    daily_growth: float = 0.0
    """A steady growth per day (as a difference of logs) that runs through both periods, where one was found."""


def equal_exposure(ratio: float = 1.0) -> Exposure:
    """An exposure that is known, with no daily series to estimate it from."""
    return Exposure(ratio=ratio, wobble=0.0, weekday_weights=(1.0,) * 7)


def estimate_exposure(
    series: DailySeries, baseline: DaySpan, comparison: DaySpan, *, without: Collection[date] = ()
) -> Exposure:
    """The exposure from the daily counts of both periods and of up to eight weeks of history around them.

    A weekday seen in one period alone gets its weight from the history; without one, days count alike. Growth counts
    only where it runs through the days of the periods themselves: a step between them is a change, not a trend.
    Days in ``without`` (faulty ones) teach nothing, but the periods are still worth all their days.
    """
    numbers = series.numbers
    first = min(baseline.first, comparison.first).toordinal() - _HISTORY_DAYS
    recent = (numbers >= first) & (numbers <= max(baseline.last, comparison.last).toordinal() + _HISTORY_DAYS)
    recent &= np.array([day not in without for day in series.days], dtype=bool)
    numbers, counts = numbers[recent], series.rows[recent]
    before, after = baseline.holds(numbers), comparison.holds(numbers)
    flat = equal_exposure(comparison.days / baseline.days)
    days = _CalendarDays(numbers, before, after, (numbers - 1) % 7)
    if not before.any() or not after.any() or not days.identified:
        return flat
    step = fit_counts(days.design(growth=False, step=True), counts)
    growing = _growth(days, counts)
    fit = growing or step
    growth = fit.effects[0] / _GROWTH_UNIT if growing else 0.0
    weights = np.exp(fit.effects[-7:] - fit.effects[-7:].mean())
    reference = baseline.first.toordinal()
    ratio = _worth(comparison, weights, growth, reference) / _worth(baseline, weights, growth, reference)
    if growing:
        lag = float(numbers[after].mean() - numbers[before].mean()) / _GROWTH_UNIT
        variance = growing.dispersion * float(growing.covariance[0, 0]) * lag**2
        variance += step.dispersion * _counting(counts, before, after) - _counting(counts, before, after)
    else:
        variance = step.dispersion * float(step.covariance[0, 0]) - _counting(counts, before, after)
    return Exposure(
        ratio=ratio,
        wobble=math.sqrt(max(0.0, variance)),
        weekday_weights=tuple(float(weight) for weight in weights),
        daily_growth=growth,
    )


@dataclass(frozen=True)
class _CalendarDays:
    """Days as ordinals, which of them are in either period, and their weekdays."""

    numbers: NDArray[np.int64]
    before: NDArray[np.bool_]
    after: NDArray[np.bool_]
    weekdays: NDArray[np.int64]

    @property
    def identified(self) -> bool:
        """Whether some weekday is seen in the comparison and outside it: level and weekday can be told apart."""
        return bool({int(day) for day in self.weekdays[self.after]} & {int(day) for day in self.weekdays[~self.after]})

    def design(self, *, growth: bool, step: bool) -> Floats:
        """Columns of the model: growth, the step of the comparison, a level per four weeks of history, weekdays."""
        numbers = self.numbers
        columns: list[Floats] = []
        if growth:
            columns.append((numbers - numbers.mean()) / _GROWTH_UNIT)
        if step:
            columns.append(self.after.astype(np.float64))
        outside = ~(self.before | self.after)
        if outside.any() and not growth:
            blocks = (numbers - int(numbers.min())) // _BLOCK_DAYS
            columns.extend(((blocks == block) & outside).astype(np.float64) for block in np.unique(blocks[outside]))
        columns.extend((self.weekdays == weekday).astype(np.float64) for weekday in range(7))
        return np.stack(columns, axis=1)


def _growth(days: _CalendarDays, counts: Floats) -> CountFit | None:
    """A fit with steady growth, where that tells the days better than a step; its first effect is the growth."""
    nothing, step, line, both = (
        fit_counts(days.design(growth=growth, step=stepped), counts)
        for growth, stepped in ((False, False), (False, True), (True, False), (True, True))
    )
    if both.spare < _LEAST_SPARE_DAYS:
        return None
    sure = _SURE * both.dispersion
    if step.deviance - both.deviance >= sure:
        # With no step beside the growth, the line through all days tells the growth best.
        return line if line.deviance - both.deviance < sure else both
    # A weak move that a line tells no worse than a step is no sign that anything happened between the periods.
    return line if line.deviance <= step.deviance and nothing.deviance - line.deviance >= sure else None


def _worth(period: DaySpan, weights: Floats, growth: float, reference: int) -> float:
    start = period.first.toordinal()
    days = np.arange(start, start + period.days)
    return float((weights[(days - 1) % 7] * np.exp(growth * (days - reference))).sum())


def _counting(counts: Floats, before: NDArray[np.bool_], after: NDArray[np.bool_]) -> float:
    return 1.0 / max(float(counts[before].sum()), 1.0) + 1.0 / max(float(counts[after].sum()), 1.0)


@dataclass(frozen=True, kw_only=True)
class CountFit:
    """A log-linear fit of counts; the covariance is for dispersion one."""

    effects: Floats
    covariance: Floats
    deviance: float
    dispersion: float
    spare: int


def fit_counts(design: Floats, counts: Floats) -> CountFit:
    """Counts as exponentials of the design's columns, by iterated least squares; aliased columns share their effect."""
    fitted = np.maximum(counts, 0.5)
    effects = np.zeros(design.shape[1])
    covariance: Floats = np.zeros((design.shape[1], design.shape[1]))
    for _ in range(_STEPS):
        working = np.log(fitted) + (counts - fitted) / fitted
        weighted = design * fitted[:, None]
        covariance = np.asarray(np.linalg.pinv(design.T @ weighted, rcond=1e-10, hermitian=True), dtype=np.float64)
        updated = covariance @ (weighted.T @ working)
        moved = float(np.abs(design @ (updated - effects)).max())
        effects = updated
        fitted = np.maximum(np.exp(np.clip(design @ effects, -30.0, 30.0)), 1e-9)
        if moved < 1e-9:
            break
    spare = len(counts) - int(np.linalg.matrix_rank(design))
    pearson = float(((counts - fitted) ** 2 / fitted).sum())
    terms = np.where(counts > 0, counts * np.log(np.where(counts > 0, counts, 1.0) / fitted), 0.0)
    return CountFit(
        effects=effects,
        covariance=covariance,
        deviance=2.0 * float((terms - (counts - fitted)).sum()),
        dispersion=max(1.0, pearson / spare) if spare > 0 else 1.0,
        spare=spare,
    )
