"""Siblings that should be their parent: several chosen cells of one wider segment, told again as that segment.

A greedy search may name the children of a cause one by one, because another cause made them look unlike each other.
Once all are fitted together, the parent alone (with whatever else then pays) may describe the same data more briefly.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from averment.stats.attribution.cube import Floats
from averment.stats.attribution.lattice import CuboidLattice
from averment.stats.attribution.segment_comparison import Noise, SegmentComparison, leaf_members, poisson_deviance

Cell = tuple[int, int]


def shared_parents(lattice: CuboidLattice, cells: Sequence[Cell]) -> list[tuple[Cell, tuple[Cell, ...]]]:
    """Each wider segment, one dimension less, that holds at least two of the cells, with the cells it holds."""
    parents: dict[Cell, list[Cell]] = {}
    for place, cell in cells:
        cuboid = lattice.cuboids[place]
        leaf = cuboid.first_leaf(cell)
        for dropped in cuboid.columns:
            wider = lattice.index(tuple(column for column in cuboid.columns if column != dropped))
            if wider is None:
                continue
            number = int(lattice.cuboids[wider].cells[leaf])
            if number < lattice.cuboids[wider].size:
                parents.setdefault((wider, number), []).append((place, cell))
    return [(parent, tuple(held)) for parent, held in sorted(parents.items()) if len(held) > 1]


def misfit(comparison: SegmentComparison, multipliers: Floats, cells: Sequence[Cell], noise: Noise) -> float:
    """What a fit leaves unexplained, in nats, over the finest parts that the cells cut the leaves into."""
    keys = np.zeros(comparison.lattice.leaves, dtype=np.int64)
    for place, cell in cells:
        keys *= 2
        keys[leaf_members(comparison.lattice, place, cell)] += 1
        _, keys = np.unique(keys, return_inverse=True)
        keys = keys.reshape(-1).astype(np.int64, copy=False)
    factor = comparison.factor
    before, after, base, exposure = (
        np.bincount(keys, weights=array).astype(np.float64, copy=False)
        for array in (factor.before, factor.after, factor.base_before, factor.base_after * multipliers)
    )
    known = (base > 0) & (exposure > 0) & (before > 0) & (after >= 0)
    k = np.where(known, exposure / np.where(known, base, 1.0), 1.0)
    deviance = np.where(known, poisson_deviance(before, after, k), 0.0)
    return float(deviance.sum()) / (comparison.unit * noise.dispersion)
