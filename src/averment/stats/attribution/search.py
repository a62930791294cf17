"""The search of a row-level cube, factor by factor: chosen segments with what each did to its factor.

The rate of false alarms is shared out over the factors. A ratio is searched for changes of rate inside segments and for
changes of volume, which act on it through the mix.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from averment.stats.attribution.calendar import Exposure
from averment.stats.attribution.contributions import Effect
from averment.stats.attribution.cube import LeafCube
from averment.stats.attribution.factors import Factor, factors_of_sum, ratio_factor, volume_factor
from averment.stats.attribution.lattice import CuboidLattice
from averment.stats.attribution.levels import nested_levels, telling_columns
from averment.stats.attribution.options import Options
from averment.stats.attribution.segment_comparison import SegmentComparison, leaf_members
from averment.stats.attribution.select import SegmentChoice, Selection, Selector
from averment.stats.attribution.verdict import Fault, SegmentExplanation, State, Verdict

_ALTERNATIVES = 5


@dataclass(frozen=True, kw_only=True)
class FoundSegment:
    """A chosen segment of one factor: its effect on the leaves, and all an explanation says but its contribution."""

    effect: Effect
    explanation: SegmentExplanation
    headline: bool


def search_factors(
    cube: LeafCube, lattice: CuboidLattice, options: Options, exposure: Exposure, faults: Sequence[Fault]
) -> list[FoundSegment]:
    """Every segment of every factor that pays for itself.

    After a change of unit the values say nothing, so only the volume is searched.
    """
    found: list[FoundSegment] = []
    factors = _factors(cube, options, exposure)
    worth = exposure.ratio
    if options.metric == "ratio":
        worth = float(cube.comparison.weight.sum()) / float(cube.baseline.weight.sum())
    for factor in factors:
        if factor.name != "volume" and any(fault.kind == "unit_change" for fault in faults):
            continue
        ratio = options.metric == "ratio"
        selector = Selector(
            SegmentComparison(lattice, factor),
            alpha=options.alpha / len(factors),
            # Sums of either sign have no multipliers to fit together, so the strongest segment stands alone.
            limit=1 if factor.signed else options.max_explanations,
            coverage=options.coverage if ratio and factor.name == "rate" else 0.0,
        )
        selection = selector.select(exposure.wobble if factor.name == "volume" else 0.0)
        verdict: Verdict = "mix" if ratio and factor.name == "volume" else factor.name
        found.extend(_describe(cube, selector, selection, choice, verdict, worth) for choice in selection.choices)
    return found


def _factors(cube: LeafCube, options: Options, exposure: Exposure) -> tuple[Factor, ...]:
    if options.metric == "ratio":
        return volume_factor(cube, exposure.ratio), ratio_factor(cube)
    return factors_of_sum(cube, exposure.ratio)


def _describe(
    cube: LeafCube, selector: Selector, selection: Selection, choice: SegmentChoice, verdict: Verdict, worth: float
) -> FoundSegment:
    lattice, factor = selector.lattice, selector.comparison.factor
    leaves = leaf_members(lattice, choice.place, choice.cell)
    others = [c for c in selection.choices if (c.place, c.cell) != (choice.place, choice.cell)]
    _, without = selector.fit(others)
    columns = lattice.cuboids[choice.place].columns
    counted = factor.name == "volume"
    new = counted and float(cube.baseline.rows[leaves].sum()) == 0
    gone = counted and float(factor.after[leaves].sum()) == 0
    state: State = "new" if new else "vanished" if gone else "changed"
    explanation = SegmentExplanation(
        segment=cube.segment(telling_columns(cube, columns), int(leaves[0])),
        verdict=verdict if columns else "global_shock",
        factor=factor.name,
        effect=1.0 if new else -1.0 if gone else choice.multiplier - 1.0,
        state=state,
        contribution=0.0,
        evidence=choice.gain,
        significance=min(1.0, math.exp(min(0.0, float(lattice.costs[choice.place]) - choice.gain))),
        before=0.0 if new else factor.level(leaves, after=False),
        after=factor.level(leaves, after=True),
        levels=nested_levels(cube, lattice, choice.place, choice.cell, factor.after - factor.base_after * without),
        alternatives=_alternatives(cube, selector, selection, choice),
    )
    effect = Effect(factor=factor.name, leaves=leaves, multiplier=choice.multiplier)
    if factor.signed:
        position = int(lattice.starts[choice.place]) + choice.cell
        expected = float(selector.comparison.expect(without)[position] * selector.comparison.before[position])
        shift = float(selector.comparison.after[position]) - expected
        effect = replace(effect, multiplier=1.0, addition=shift / worth)
        explanation = explanation.changed(effect=shift / abs(expected) if expected else 1.0)
    return FoundSegment(effect=effect, explanation=explanation, headline=selector.is_headline(choice))


def _alternatives(
    cube: LeafCube, selector: Selector, selection: Selection, choice: SegmentChoice
) -> tuple[dict[str, str], ...]:
    """Other descriptions of the same change: what would be named if this segment could not be."""
    others = [c for c in selection.choices if (c.place, c.cell) != (choice.place, choice.cell)]
    # A headline was chosen before the others were known, and so are its rivals.
    _, without = selector.fit([] if selector.is_headline(choice) else others)
    taken = [choice] if selector.is_headline(choice) else selection.choices
    ranked = selector.rank(without, selection.noise, taken, common=True, count=_ALTERNATIVES)
    cuboids = selector.lattice.cuboids
    return tuple(cube.segment(cuboids[c.place].columns, cuboids[c.place].first_leaf(c.cell)) for c in ranked if c.place)
