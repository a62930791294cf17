"""All cuboids of a cube up to a depth, and roll-ups of leaf arrays to their cells.

A cuboid is a set of dimensions; a cell of it is one combination of their values that occurs. Cells are numbered through
a table of all combinations while that is small, and by sorting beyond that.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from averment.stats.attribution.cube import Codes, Floats, LeafCube

DENSE_CELLS = 8_000_000
"""Up to this many combinations a table says which of them occur; beyond it sorting does."""


@dataclass(frozen=True, kw_only=True)
class Cuboid:
    """One set of dimensions with, for every leaf, the number of the cell it falls in.

    A leaf whose cell is too small to be looked at carries the number ``size``, one past the last cell.
    """

    columns: tuple[int, ...]
    cells: Codes
    size: int

    def roll_up(self, weights: Floats) -> Floats:
        """The sum of a leaf array in every cell."""
        sums = np.bincount(self.cells, weights=weights, minlength=self.size + 1)
        return sums[: self.size].astype(np.float64, copy=False)

    def roll_up_some(self, leaves: Codes, weights: Floats) -> Floats:
        """The same for a few leaves, with one weight for each of them."""
        sums = np.bincount(self.cells[leaves], weights=weights, minlength=self.size + 1)
        return sums[: self.size].astype(np.float64, copy=False)

    def first_leaf(self, cell: int) -> int:
        """A leaf of the cell; any of them tells the cell's values."""
        return int(np.argmax(self.cells == cell))


@dataclass(frozen=True, kw_only=True)
class CuboidLattice:
    """The whole (no dimension) first, then every cuboid up to a depth, shallow before deep."""

    cuboids: tuple[Cuboid, ...]
    leaves: int

    @property
    def whole(self) -> Cuboid:
        """The cuboid of one cell that holds every leaf."""
        return self.cuboids[0]

    @cached_property
    def segments(self) -> int:
        """How many segments a full search looks at."""
        return sum(cuboid.size for cuboid in self.cuboids)

    @cached_property
    def starts(self) -> Codes:
        """Where each cuboid's cells begin when the cells of all cuboids stand in one row; the last is their end."""
        return np.cumsum([0, *(cuboid.size for cuboid in self.cuboids)], dtype=np.int64)

    def roll_up(self, weights: Floats) -> Floats:
        """The sum of a leaf array in every cell of every cuboid, in one row."""
        row = np.empty(int(self.starts[-1]))
        for cuboid, start in zip(self.cuboids, self.starts[:-1], strict=True):
            row[start : start + cuboid.size] = cuboid.roll_up(weights)
        return row

    def roll_up_some(self, leaves: Codes, weights: Floats) -> Floats:
        """The same for a few leaves, with one weight for each of them."""
        row = np.empty(int(self.starts[-1]))
        for cuboid, start in zip(self.cuboids, self.starts[:-1], strict=True):
            row[start : start + cuboid.size] = cuboid.roll_up_some(leaves, weights)
        return row

    def place_of(self, position: int) -> tuple[int, int]:
        """The cuboid and the cell that stand at a position of that row."""
        place = int(np.searchsorted(self.starts, position, side="right")) - 1
        return place, position - int(self.starts[place])

    def spread(self, per_cuboid: Floats) -> Floats:
        """One number per cuboid, repeated for each of its cells."""
        return np.repeat(per_cuboid, np.diff(self.starts))

    def index(self, columns: tuple[int, ...]) -> int | None:
        """Where the cuboid of these dimensions stands, if the lattice is that deep."""
        return self._places.get(tuple(sorted(columns)))

    @cached_property
    def _places(self) -> dict[tuple[int, ...], int]:
        return {cuboid.columns: place for place, cuboid in enumerate(self.cuboids)}

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


def build_lattice(cube: LeafCube, depth: int, *, least_rows: float = 0.0) -> CuboidLattice:
    """Every cuboid of up to ``depth`` dimensions; a dimension with a single value describes nothing and is left out.

    Cells with fewer than ``least_rows`` rows in both periods together are not looked at: no change in them could be
    told from chance, and each would make the rest harder to tell.
    """
    useful = [j for j, size in enumerate(cube.cardinalities) if size > 1]
    leaves = len(cube.codes)
    rows = cube.baseline.rows + cube.comparison.rows
    cuboids = [Cuboid(columns=(), cells=np.zeros(leaves, dtype=np.int64), size=1)]
    for level in range(1, min(depth, len(useful)) + 1):
        for columns in combinations(useful, level):
            cuboid = _without_small(_cuboid(cube, columns), rows, least_rows)
            if cuboid.size:
                cuboids.append(cuboid)
    return CuboidLattice(cuboids=tuple(cuboids), leaves=leaves)


def _cuboid(cube: LeafCube, columns: tuple[int, ...]) -> Cuboid:
    cells = np.zeros(len(cube.codes), dtype=np.int64)
    size = 1
    for j in columns:
        card = cube.cardinalities[j]
        if size * card > DENSE_CELLS:
            cells, size = _renumber(cells, size)
        cells = cells * card + cube.codes[:, j]
        size *= card
    cells, size = _renumber(cells, size)
    return Cuboid(columns=columns, cells=cells, size=size)


def _without_small(cuboid: Cuboid, rows: Floats, least_rows: float) -> Cuboid:
    if least_rows <= 0:
        return cuboid
    large = cuboid.roll_up(rows) >= least_rows
    if large.all():
        return cuboid
    size = int(np.count_nonzero(large))
    numbers = np.where(large, np.cumsum(large) - 1, size)
    return Cuboid(columns=cuboid.columns, cells=numbers[cuboid.cells].astype(np.int64, copy=False), size=size)


def _renumber(cells: Codes, size: int) -> tuple[Codes, int]:
    """The same cells, numbered without gaps in the same order."""
    if size <= DENSE_CELLS:
        present = np.zeros(size, dtype=bool)
        present[cells] = True
        ranks = np.cumsum(present) - 1
        return ranks[cells].astype(np.int64, copy=False), int(np.count_nonzero(present))
    known, ranked = np.unique(cells, return_inverse=True)
    return ranked.reshape(-1).astype(np.int64, copy=False), len(known)
