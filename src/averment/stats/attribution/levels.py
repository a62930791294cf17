"""Levels around an explanation: finer parts that hold nearly all of its change, wider segments it nearly fills.

People name a cause at one level of several that fit; the others belong beside it.
"""

from __future__ import annotations

import numpy as np

from averment.stats.attribution.cube import Floats, LeafCube
from averment.stats.attribution.lattice import CuboidLattice
from averment.stats.attribution.verdict import Level

_INSIDE_SHARE = 0.8
_MOST = 3


def telling_columns(cube: LeafCube, columns: tuple[int, ...]) -> tuple[int, ...]:
    """The dimensions that a segment needs to be named by: one that another of them fixes everywhere is left out.

    A city lies in one region, so "city = Tucson" says as much as "city = Tucson, region = West".
    """
    kept = list(columns)
    for column in sorted(columns, key=lambda each: (cube.cardinalities[each], each)):
        if any(other != column and _fixes(cube, other, column) for other in kept):
            kept.remove(column)
    return tuple(kept)


def _fixes(cube: LeafCube, one: int, other: int) -> bool:
    """Whether each value of one dimension goes with a single value of the other, in a dimension of several values."""
    if cube.cardinalities[one] <= cube.cardinalities[other] or cube.cardinalities[other] < 2:
        return False
    pairs = cube.codes[:, one].astype(np.int64) * cube.cardinalities[other] + cube.codes[:, other]
    return len(np.unique(pairs)) == len(np.unique(cube.codes[:, one]))


def nested_levels(cube: LeafCube, lattice: CuboidLattice, place: int, cell: int, excess: Floats) -> tuple[Level, ...]:
    """Up to three parts inside that hold most of the leaf excess of a cell, then the wider segments around it."""
    cuboid = lattice.cuboids[place]
    members = np.flatnonzero(cuboid.cells == cell)
    own = float(excess[members].sum())
    if own == 0.0 or not cuboid.columns:
        return ()
    inside: list[Level] = []
    around: list[Level] = []
    for other in lattice.cuboids[1:]:
        if len(other.columns) == len(cuboid.columns) + 1 and set(cuboid.columns) < set(other.columns):
            cells, inverse = np.unique(other.cells[members], return_inverse=True)
            parts = np.bincount(inverse.reshape(-1), weights=excess[members]) / own
            # Cells too small to be looked at share one number and are no segment.
            parts[cells == other.size] = 0.0
            largest = int(np.argmax(parts))
            # A dimension that the segment already fixes adds nothing.
            if len(cells) > 1 and parts[largest] >= _INSIDE_SHARE:
                leaf = int(members[np.argmax(inverse.reshape(-1) == largest)])
                segment = cube.segment(other.columns, leaf)
                inside.append(Level(segment=segment, relation="inside", share=float(parts[largest])))
        elif (
            other.columns and len(other.columns) == len(cuboid.columns) - 1 and set(other.columns) < set(cuboid.columns)
        ):
            wider = other.cells == other.cells[members[0]]
            total = float(excess[wider].sum())
            if total != 0.0:
                segment = cube.segment(other.columns, int(members[0]))
                around.append(Level(segment=segment, relation="around", share=own / total))
    inside.sort(key=lambda level: -level.share)
    around.sort(key=lambda level: -abs(level.share))
    return (*inside[:_MOST], *around[:_MOST])
