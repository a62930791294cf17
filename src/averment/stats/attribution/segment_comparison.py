"""Two-sample comparison of a factor in every segment: what it was, what it became, and how surprising that is.

The comparison is quasi-Poisson: under "nothing changed" the sum after is k times the sum before, where k carries the
exposure and whatever causes were already found; its variance is the one seen in the data times a dispersion.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from averment.stats.attribution.cube import Codes, Floats
from averment.stats.attribution.factors import Factor
from averment.stats.attribution.lattice import CuboidLattice

_PRIOR_ROWS = 20.0
_LEAST_CELLS = 12
_TOLERATED = 1.15
"""A median over overlapping cells is itself uncertain; a dispersion this small is not told from none."""

_LOWER_MEAN_OF_CHI_SQUARE = 0.4377
"""The mean of a chi square of one degree below its 80 % point: 1 - 2 c phi(c) / 0.8 with c = 1.2816."""
_LARGE_ROWS = 50.0


@dataclass(frozen=True, kw_only=True)
class Noise:
    """How much noisier than independent rows: a factor on the variance, and a relative wobble shared by a segment."""

    dispersion: float = 1.0
    wobble: float = 0.0
    common: float = 0.0
    """Relative wobble of the whole, from the daily series; it ends where an effect on everything is fitted."""


class SegmentComparison:
    """The sums of one factor over all cells of a lattice, ready to be compared under any multipliers of leaves.

    Arrays hold the cells of all cuboids in one row, in the order of the lattice; the first is the whole.
    """

    def __init__(self, lattice: CuboidLattice, factor: Factor) -> None:
        self.lattice = lattice
        self.factor = factor
        self.before, self.after = lattice.roll_up(factor.before), lattice.roll_up(factor.after)
        self.base = lattice.roll_up(factor.base_before)
        self.variance = self.before + self.after
        self.unit = 1.0
        if factor.squares is not None and factor.weights is not None:
            unit = _typical_row(factor)
            self.unit = unit if unit > 0 else 1.0
            squares, weights = lattice.roll_up(factor.squares), lattice.roll_up(factor.weights)
            own = np.maximum(squares - self.variance**2 / np.maximum(weights, 1.0), 0.0)
            # Few rows tell little of their own spread: the spread of all rows, at the cell's level, counts as more.
            usual = unit * np.maximum(np.abs(self.variance), unit)
            self.variance = (weights * own + _PRIOR_ROWS * usual) / (weights + _PRIOR_ROWS)
            # One typical row at the model's rate keeps a cell without a past from having none to compare with.
            self.before, self.base = self.before + unit, self.base + unit
        self._exposure = lattice.roll_up(factor.base_after)
        total = float(factor.base_before.sum())
        self._overall = float(factor.base_after.sum()) / total if total > 0 else 1.0

    def expect(self, multipliers: Floats) -> Floats:
        """Per cell: the factor k from before to after under these multipliers of leaves."""
        moved = np.flatnonzero(multipliers != 1.0)
        exposure = self._exposure
        if len(moved):
            added = self.factor.base_after[moved] * (multipliers[moved] - 1.0)
            exposure = np.maximum(exposure + self.lattice.roll_up_some(moved, added), 0.0)
        known = self.base > 0
        return np.where(known, exposure / np.where(known, self.base, 1.0), self._overall)

    def gains(self, k: Floats, noise: Noise, *, common: bool) -> Floats:
        """How surprising every cell is without a change of its own: minus the log of its two-sided tail probability.

        The tail is the likelihood ratio with the lattice correction of Bahadur and Rao, so it holds for small counts.
        """
        before, after = self.before, self.after
        expected = k * before
        wobble = noise.wobble**2 + (noise.common**2 if common else 0.0)
        both = before + after
        spread = k * self.variance * noise.dispersion + wobble * expected**2
        with np.errstate(all="ignore"):
            deviance = poisson_deviance(before, after, k)
            units = k * both / spread
            odds = np.abs(np.log(after / expected))
            tail = np.sqrt(2.0 * np.pi * before * after / both * units) * -np.expm1(-odds) / 2.0
            counted = deviance * units + np.log(np.maximum(np.nan_to_num(tail, nan=1.0, posinf=1.0), 1.0))
            plain = (after - expected) ** 2 / (2.0 * spread)
        # A sum below zero has no Poisson likelihood; the squared distance serves there.
        proper = (before >= 0) & (after >= 0) & (both > 0)
        gains = np.where(proper, counted, plain)
        return np.where((spread > 0) & (k > 0), np.nan_to_num(gains, nan=0.0, posinf=0.0), 0.0)

    def estimate_noise(self, multipliers: Floats, common: float) -> Noise:
        """Dispersion and wobble from the cells of up to two dimensions, by trimmed means that causes hardly move."""
        depths = np.array([float(len(cuboid.columns)) for cuboid in self.lattice.cuboids])
        shallow = (self.lattice.spread(depths) >= 1) & (self.lattice.spread(depths) <= 2)
        k = self.expect(multipliers)
        if k[0] * self.before[0] > 0 and self.after[0] > 0:
            # A move of everything is no sign of noise.
            k = k * self.after[0] / (k[0] * self.before[0])
        expected = k * self.before
        spread = k * self.variance
        # Cells with fewer than about ten rows are too coarse to tell a variance from.
        enough = self.before + self.after > 10 * spread / np.maximum(np.abs(expected), 1e-300)
        usable = shallow & (spread > 0) & enough
        if np.count_nonzero(usable) < _LEAST_CELLS:
            return Noise(common=common)
        squared = (self.after - expected)[usable] ** 2 / spread[usable]
        relative = spread[usable] / np.maximum(expected[usable] ** 2, 1e-300)
        # A wobble grows with the cell, so the large cells show it and the small ones show the dispersion.
        large = relative <= min(float(np.median(relative)), 1.0 / _LARGE_ROWS)
        small_dispersion = max(1.0, _typical(squared[~large]) / _TOLERATED)
        if np.count_nonzero(large) < _LEAST_CELLS:
            return Noise(dispersion=small_dispersion, common=common)
        excess = max(0.0, _typical(squared[large]) / _TOLERATED - small_dispersion)
        wobble = math.sqrt(excess * float(np.median(relative[large])))
        return Noise(dispersion=small_dispersion, wobble=wobble, common=common)


def leaf_members(lattice: CuboidLattice, place: int, cell: int) -> Codes:
    """The leaves of a cell."""
    return np.flatnonzero(lattice.cuboids[place].cells == cell)


def _typical(squared: Floats) -> float:
    """The dispersion that squared deviations show, by the mean of their lower four fifths; one where there are none."""
    if not len(squared):
        return 1.0
    lower = np.sort(squared)[: max(1, int(0.8 * len(squared)))]
    return float(lower.mean()) / _LOWER_MEAN_OF_CHI_SQUARE


def _typical_row(factor: Factor) -> float:
    """What one row adds to the sum, as its variance tells: 1 for a rare event, mean square over mean for values."""
    if factor.squares is None or factor.weights is None:
        return 0.0
    total = abs(float(factor.before.sum() + factor.after.sum()))
    weight = max(float(factor.weights.sum()), 1.0)
    spread = float(factor.squares.sum()) - total**2 / weight
    return max(spread, 0.0) / total if total > 0 else 0.0


def poisson_deviance(before: Floats, after: Floats, k: Floats) -> Floats:
    """The log-likelihood ratio of two counts against "after is k times before", given their sum."""
    both = before + after
    with np.errstate(all="ignore"):
        share = k / (1.0 + k)
        return _entropy(after, share * both) + _entropy(before, (1.0 - share) * both)


def _entropy(count: Floats, expected: Floats) -> Floats:
    return np.where(count > 0, count * np.log(np.where(count > 0, count, 1.0) / expected), 0.0)
