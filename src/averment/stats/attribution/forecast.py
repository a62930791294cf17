"""Attribution of a pivoted cube, where a forecast says what each leaf should have been.

Chosen segments take their leaves out of the search, so explanations never overlap and their contributions add up.
"""

from __future__ import annotations

import math

import numpy as np

from averment.errors import InvalidArguments
from averment.stats.attribution.cube import Floats, LeafCube, Side
from averment.stats.attribution.deviation import measure_deviations
from averment.stats.attribution.lattice import CuboidLattice, build_lattice
from averment.stats.attribution.levels import nested_levels
from averment.stats.attribution.options import Options
from averment.stats.attribution.scan import DeviationScan, SegmentCandidate
from averment.stats.attribution.verdict import Attribution, SegmentExplanation, State


def attribute_forecast(cube: LeafCube, options: Options) -> Attribution:
    """What the observed totals of the comparison side owe to segments, against the expected ones of the baseline side.

    Raises:
        InvalidArguments: a leaf's total is negative.
    """
    expected, observed = cube.baseline.total, cube.comparison.total
    if len(expected) and min(float(expected.min()), float(observed.min())) < 0:
        raise InvalidArguments("The totals of a forecast cube must not be negative.")
    filled = (expected > 0) | (observed > 0)
    kept = LeafCube(
        dimensions=cube.dimensions,
        values=cube.values,
        codes=cube.codes[filled],
        baseline=Side.of(total=expected[filled]),
        comparison=Side.of(total=observed[filled]),
    )
    change = float(observed.sum() - expected.sum())
    lattice = build_lattice(kept, options.max_dimensions)
    explanations: list[SegmentExplanation] = []
    if len(kept.codes):
        explanations = _search(kept, lattice, options, change)
    explanations.sort(key=lambda e: (-abs(e.contribution), sorted(e.segment.items())))
    return Attribution(
        metric="forecast",
        baseline=float(expected.sum()),
        comparison=float(observed.sum()),
        change=change,
        verdict=explanations[0].verdict if explanations else "no_finding",
        explanations=tuple(explanations),
        unexplained=change - sum(e.contribution for e in explanations),
        segments_searched=lattice.segments,
        alpha=options.alpha,
    )


def _search(cube: LeafCube, lattice: CuboidLattice, options: Options, change: float) -> list[SegmentExplanation]:
    expected, observed = cube.baseline.total, cube.comparison.total
    scan = DeviationScan(lattice, measure_deviations(expected, observed), alpha=options.alpha)
    whole = scan.whole()
    found: list[SegmentExplanation] = []
    saved = 0.0
    while len(found) < options.max_explanations:
        best = scan.best()
        if best.net <= 0 or not lattice.cuboids[best.cuboid].columns:
            break
        best = scan.children(best) or best
        members = scan.explain(best)
        saved += best.net
        found.append(_explain(cube, lattice, best, members.nonzero()[0], change))
    if whole.net > max(saved, 0.0):
        everything = np.arange(len(expected), dtype=np.int64)
        return [_explain(cube, lattice, whole, everything, change)]
    return found


def _explain(
    cube: LeafCube,
    lattice: CuboidLattice,
    candidate: SegmentCandidate,
    members: np.ndarray[tuple[int], np.dtype[np.intp]],
    change: float,
) -> SegmentExplanation:
    expected, observed = cube.baseline.total, cube.comparison.total
    before, after = float(expected[members].sum()), float(observed[members].sum())
    columns = lattice.cuboids[candidate.cuboid].columns
    excess: Floats = np.zeros(len(expected))
    excess[members] = observed[members] - expected[members]
    state: State = "new" if before == 0 else "vanished" if after == 0 else "changed"
    cost = float(lattice.costs[candidate.cuboid])
    return SegmentExplanation(
        segment=cube.segment(columns, int(members[0])),
        verdict="volume" if columns else "global_shock",
        factor="volume",
        effect=after / before - 1.0 if before else 1.0,
        state=state,
        contribution=after - before,
        share_of_change=(after - before) / change if change else None,
        evidence=candidate.ratio,
        significance=min(1.0, math.exp(min(0.0, cost - candidate.ratio))),
        before=before,
        after=after,
        levels=nested_levels(cube, lattice, candidate.cuboid, candidate.cell, excess),
    )
