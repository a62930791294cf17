"""Exact scan of a forecast cube: the log-likelihood ratio of every segment under every effect, summed from its leaves.

The scan keeps its sums per cuboid and takes explained leaves out of them, so each further search costs only the leaves
that changed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from averment.stats.attribution.cube import Floats
from averment.stats.attribution.deviation import Deviations
from averment.stats.attribution.lattice import CuboidLattice


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
