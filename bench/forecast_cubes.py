"""Segments of a pivoted cube in which a forecast says what each leaf should have been; for squeeze_b0 alone.

The product compares periods and has no forecasts. Chosen segments take their leaves out of the search, so that they
never overlap; each must save more than it costs to name it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
ALPHA, MOST = 0.002, 8


def forecast_segments(columns: Mapping[str, Sequence[str]], expected: Floats, observed: Floats) -> list[dict[str, str]]:
    """The segments whose observed totals left their forecast, the largest first; one that is empty means everything."""
    filled = (expected > 0) | (observed > 0)
    expected, observed = expected[filled], observed[filled]
    values: list[NDArray[np.str_]] = []
    codes: list[Codes] = []
    for column in columns.values():
        known, places = np.unique(np.asarray(column)[filled], return_inverse=True)
        values.append(known)
        codes.append(places.reshape(-1).astype(np.int64))
    lattice = build_lattice(np.stack(codes, axis=1), [len(known) for known in values])
    scan = DeviationScan(lattice, measure_deviations(expected, observed), alpha=ALPHA)
    whole = scan.whole()
    chosen: list[tuple[float, dict[str, str]]] = []
    saved = 0.0
    while len(chosen) < MOST:
        best = scan.best()
        if best.net <= 0 or not lattice.cuboids[best.cuboid].columns:
            break
        best = scan.children(best) or best
        leaves = np.flatnonzero(scan.explain(best))
        saved += best.net
        names, numbers = list(columns), lattice.cuboids[best.cuboid].columns
        segment = {names[j]: str(values[j][codes[j][leaves[0]]]) for j in numbers}
        chosen.append((abs(float(observed[leaves].sum() - expected[leaves].sum())), segment))
    if whole.net > max(saved, 0.0):
        return [{}]
    return [segment for _, segment in sorted(chosen, key=lambda pair: (-pair[0], sorted(pair[1].items())))]


DENSE_CELLS = 8_000_000
"""Up to this many combinations a table says which of them occur; beyond it sorting does."""


@dataclass(frozen=True, kw_only=True)
class Cuboid:
    """One set of dimensions with, for every leaf, the number of the cell it falls in."""

    columns: tuple[int, ...]
    cells: Codes
    size: int

    def roll_up(self, weights: Floats) -> Floats:
        """The sum of a leaf array in every cell."""
        return np.bincount(self.cells, weights=weights, minlength=self.size).astype(np.float64, copy=False)


@dataclass(frozen=True, kw_only=True)
class CuboidLattice:
    """The whole (no dimension) first, then every cuboid up to a depth, shallow before deep."""

    cuboids: tuple[Cuboid, ...]
    leaves: int

    @cached_property
    def costs(self) -> Floats:
        """Nats to name a cell of each cuboid: how deep (one more level is half as likely), which cuboid, which cell.

        The exponentials of minus these costs sum to at most two over the whole lattice, so they share out a rate of
        false alarms over everything that is searched.
        """
        depths = Counter(len(c.columns) for c in self.cuboids)
        halving = math.log(2.0)
        return np.array(
            [len(c.columns) * halving + math.log(depths[len(c.columns)]) + math.log(c.size or 1) for c in self.cuboids]
        )


def build_lattice(codes: Codes, sizes: Sequence[int]) -> CuboidLattice:
    """Every cuboid; a dimension with a single value describes nothing and is left out."""
    useful = [j for j, size in enumerate(sizes) if size > 1]
    cuboids = [Cuboid(columns=(), cells=np.zeros(len(codes), dtype=np.int64), size=1)]
    for level in range(1, len(useful) + 1):
        for columns in combinations(useful, level):
            cells, size = np.zeros(len(codes), dtype=np.int64), 1
            for j in columns:
                if size * sizes[j] > DENSE_CELLS:
                    cells, size = _renumber(cells, size)
                cells, size = cells * sizes[j] + codes[:, j], size * sizes[j]
            cells, size = _renumber(cells, size)
            cuboids.append(Cuboid(columns=columns, cells=cells, size=size))
    return CuboidLattice(cuboids=tuple(cuboids), leaves=len(codes))


def _renumber(cells: Codes, size: int) -> tuple[Codes, int]:
    """The same cells, numbered without gaps in the same order."""
    if size <= DENSE_CELLS:
        present = np.zeros(size, dtype=bool)
        present[cells] = True
        ranks = np.cumsum(present) - 1
        return ranks[cells].astype(np.int64, copy=False), int(np.count_nonzero(present))
    known, ranked = np.unique(cells, return_inverse=True)
    return ranked.reshape(-1).astype(np.int64, copy=False), len(known)


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


@dataclass(frozen=True, kw_only=True)
class SegmentCandidate:
    """A segment with one effect and what it saves: log-likelihood ratio less the cost of describing it, in nats."""

    cuboid: int
    cell: int
    effect: int
    ratio: float
    net: float


class DeviationScan:
    """The sums of log-likelihood ratios over all segments, effects and leaves not yet explained."""

    def __init__(self, lattice: CuboidLattice, deviations: Deviations, *, alpha: float) -> None:
        self.lattice = lattice
        self.deviations = deviations
        self.alive = np.ones(lattice.leaves, dtype=bool)
        self._prior = math.log(1.0 / alpha)
        columns = [np.ascontiguousarray(column, dtype=np.float64) for column in deviations.ratios.T]
        self._columns = columns
        self._sums = [np.stack([cuboid.roll_up(column) for column in columns]) for cuboid in lattice.cuboids]
        ones = np.ones(lattice.leaves)
        self._counts = [cuboid.roll_up(ones) for cuboid in lattice.cuboids]

    def best(self) -> SegmentCandidate:
        """The segment and effect that save most; its net is negative when nothing pays for itself.

        The whole is no segment: it competes with all segments together, see ``whole``.
        """
        places = range(1, len(self.lattice.cuboids))
        return max(
            (self._best_of(place) for place in places), key=lambda candidate: candidate.net, default=self.whole()
        )

    def whole(self) -> SegmentCandidate:
        """The best single effect on everything that is not yet explained."""
        return self._best_of(0)

    def children(self, parent: SegmentCandidate) -> SegmentCandidate | None:
        """The strongest of the children by one more dimension, if together they describe the parent's leaves better."""
        lattice = self.lattice
        cuboid = lattice.cuboids[parent.cuboid]
        members = np.flatnonzero(self.alive & (cuboid.cells == parent.cell))
        choice = math.log(max(len(lattice.cuboids) - 1, 1))
        best_net, best = parent.net, None
        for place, finer in enumerate(lattice.cuboids):
            if len(finer.columns) != len(cuboid.columns) + 1 or not set(cuboid.columns) < set(finer.columns):
                continue
            cells = np.unique(finer.cells[members])
            ratios = self._sums[place][parent.effect, cells]
            # Further cells of one cuboid do not pay for naming the cuboid again.
            nets = ratios - self._penalty(place, self._counts[place][cells]) + choice
            paying = nets > 0
            together = float(nets[paying].sum()) - choice
            if paying.any() and together > best_net:
                strongest = int(np.argmax(nets))
                best_net = together
                best = SegmentCandidate(
                    cuboid=place,
                    cell=int(cells[strongest]),
                    effect=parent.effect,
                    ratio=float(ratios[strongest]),
                    net=float(nets[strongest]),
                )
        return best

    def explain(self, candidate: SegmentCandidate) -> NDArray[np.bool_]:
        """Take the candidate's leaves out of the scan and say which they were."""
        members = self.alive & (self.lattice.cuboids[candidate.cuboid].cells == candidate.cell)
        leaves = np.flatnonzero(members)
        self.alive[leaves] = False
        ratios = [column[leaves] for column in self._columns]
        for place, cuboid in enumerate(self.lattice.cuboids):
            cells = cuboid.cells[leaves]
            for effect, ratio in enumerate(ratios):
                np.subtract.at(self._sums[place][effect], cells, ratio)
            np.subtract.at(self._counts[place], cells, 1.0)
        return members

    def _best_of(self, place: int) -> SegmentCandidate:
        sums = self._sums[place]
        nets = sums.max(axis=0) - self._penalty(place, self._counts[place])
        cell = int(np.argmax(nets))
        effect = int(np.argmax(sums[:, cell]))
        return SegmentCandidate(
            cuboid=place, cell=cell, effect=effect, ratio=float(sums[effect, cell]), net=float(nets[cell])
        )

    def _penalty(self, place: int, counts: Floats) -> Floats:
        """Nats for naming the cuboid, the cell, the effect and its precision, and for the rate of false alarms."""
        fixed = float(self.lattice.costs[place]) + math.log(len(self.deviations.effects)) + self._prior
        return fixed + 0.5 * np.log(np.maximum(counts, 1.0))
