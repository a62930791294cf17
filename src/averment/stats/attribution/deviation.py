"""How far each leaf of a forecast cube is from what was expected, and how likely that is under each effect.

A leaf's deviation is (expected - observed) / max(expected, observed), between -1 and 1. Without a cause it follows a
symmetric core, whose width is estimated per size bin from the cleaner side, plus a thin tail. With a cause of effect d
the deviations of its leaves gather around d.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from averment.stats.attribution.cube import Floats

GRID_HALF = 12
"""Effects tried in each direction."""

_ROOT_TWO_PI = 2.5066282746310002
_NULL_SHARE = 0.05
_LOOSE_SHARE = 0.2
_BLUR = 0.05
_MIN_WIDTH = 0.02


@dataclass(frozen=True, kw_only=True)
class Deviations:
    """Deviation and width per leaf, the effects tried, and the log-likelihood ratio of each leaf under each effect."""

    values: Floats
    widths: Floats
    effects: Floats
    ratios: NDArray[np.float32]


def measure_deviations(expected: Floats, observed: Floats) -> Deviations:
    """Deviations of leaves that are not empty on both sides, with their log-likelihood ratios on the effect grid."""
    largest = np.maximum(expected, observed)
    values = (expected - observed) / largest
    widths = estimate_widths(values, largest)
    scores = values / widths
    # The cleaner side tells how heavy the tail of the noise is: a cause pushes its leaves to one side.
    tail = max(2.0 * min(int((scores > 5).sum()), int((scores < -5).sum())), 1e-3) / len(values)
    tail = min(tail, 0.5)
    core = (1.0 - tail) * np.exp(-0.5 * scores**2) / (widths * _ROOT_TWO_PI)
    null = core + 0.5 * tail
    half = np.linspace(0.04, 1.0, GRID_HALF)
    effects = np.concatenate([-half[::-1], half])
    return Deviations(values=values, widths=widths, effects=effects, ratios=_ratios(values, widths, effects, null))


def estimate_widths(values: Floats, sizes: Floats, *, bins: int = 6, smallest_bin: int = 400) -> Floats:
    """The width of the noise for each leaf: within its size bin, the narrower of the two sides around zero."""
    count = max(1, min(bins, len(values) // smallest_bin))
    edges = np.quantile(sizes, np.linspace(0.0, 1.0, count + 1))
    place = np.clip(np.searchsorted(edges, sizes, side="right") - 1, 0, count - 1)
    widths = np.empty(len(values))
    for number in range(count):
        inside = place == number
        if inside.any():
            widths[inside] = max(_narrow_width(values[inside]), 1e-3)
    return widths


def _narrow_width(values: Floats) -> float:
    sides = (-values[values <= 0], values[values >= 0], np.abs(values))
    width = min(_half_width(side) for side in sides)
    return width if np.isfinite(width) else 1.4826 * float(np.median(np.abs(values)))


def _half_width(distances: Floats) -> float:
    if len(distances) < 20:
        return np.inf
    middle, outer = np.quantile(distances, [0.5, 0.8])
    return max(float(middle) / 0.6745, float(outer) / 1.2816)


def _ratios(values: Floats, widths: Floats, effects: Floats, null: Floats) -> NDArray[np.float32]:
    """Log-likelihood ratio per leaf and effect: a bell around the effect, some mass on all its side, some noise."""
    single = np.float32
    leaf = values.astype(single)[:, None]
    grid = effects.astype(single)[None, :]
    spacing = single(((effects[-1] - effects[-2]) / 2) ** 2 + _BLUR**2)
    spread = (np.maximum(widths, _MIN_WIDTH) ** 2).astype(single)[:, None] * (1 - np.abs(grid)) ** 2 + spacing
    likelihood = np.exp(single(-0.5) * (leaf - grid) ** 2 / spread) / np.sqrt(spread)
    likelihood *= single((1 - _NULL_SHARE - _LOOSE_SHARE) / _ROOT_TWO_PI)
    likelihood += (np.sign(grid) == np.sign(leaf)) * single(_LOOSE_SHARE)
    likelihood += (_NULL_SHARE * null).astype(single)[:, None]
    return np.log(likelihood) - np.log(null).astype(single)[:, None]
