"""What each cause contributes to the change of the metric, by Shapley's rule over all orders in which they could come.

The leaves are first merged by which causes they belong to: within such an atom all multipliers are the same, so the
metric under any subset of causes is a short sum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from averment.stats.attribution.cube import Codes, Floats, LeafCube
from averment.stats.attribution.factors import FactorName

_EXACT_LIMIT = 10
_TRACE = 1e-12


@dataclass(frozen=True, kw_only=True)
class Effect:
    """A multiplier on one factor of some leaves; or, where sums may be negative, an addition to their total."""

    factor: FactorName
    leaves: Codes
    multiplier: float
    addition: float = 0.0
    """In units of the baseline, that is before the comparison's exposure or weight is applied."""


class Counterfactual:
    """The metric of the comparison period, had only some of the effects happened to the baseline."""

    def __init__(self, cube: LeafCube, effects: Sequence[Effect], *, ratio: bool) -> None:
        self.ratio = ratio
        self.effects = tuple(effects)
        keys = np.zeros(len(cube.codes), dtype=np.int64)
        for number, effect in enumerate(effects):
            keys[effect.leaves] |= 1 << number
        atoms, place = np.unique(keys, return_inverse=True)
        place = place.reshape(-1)

        def merged(before: Floats, after: Floats) -> Floats:
            # A new leaf has a trace of its present for an effect to multiply, as in the factor that found it.
            traced = np.where(cube.baseline.rows > 0, before, _TRACE * after)
            return np.bincount(place, weights=traced, minlength=len(atoms)).astype(np.float64, copy=False)

        self._totals = merged(cube.baseline.total, cube.comparison.total)
        self._weights = merged(cube.baseline.weight, cube.comparison.weight)
        self._member = [((atoms >> number) & 1).astype(bool) for number in range(len(self.effects))]

    def value(self, subset: int) -> float:
        """The metric under the effects whose bit is set."""
        on_total, on_weight = np.ones(len(self._totals)), np.ones(len(self._totals))
        added = 0.0
        for number, effect in enumerate(self.effects):
            if subset >> number & 1:
                added += effect.addition
                on_total[self._member[number]] *= effect.multiplier
                if effect.factor == "volume":
                    on_weight[self._member[number]] *= effect.multiplier
        total = float((self._totals * on_total).sum()) + added
        if not self.ratio:
            return total
        weight = float((self._weights * on_weight).sum())
        return total / weight if weight else 0.0


def share_out(counterfactual: Counterfactual) -> list[float]:
    """Each effect's contribution; together they are the difference that all of them make.

    Up to ten effects by Shapley's rule exactly; beyond that by the mean of coming first and coming last, scaled to sum.
    """
    count = len(counterfactual.effects)
    if count == 0:
        return []
    full = (1 << count) - 1
    if count > _EXACT_LIMIT:
        nothing, everything = counterfactual.value(0), counterfactual.value(full)
        parts = [
            0.5 * (counterfactual.value(1 << n) - nothing + everything - counterfactual.value(full ^ (1 << n)))
            for n in range(count)
        ]
        gap = everything - nothing - sum(parts)
        size = sum(abs(part) for part in parts)
        return [part + gap * (abs(part) / size if size else 1.0 / count) for part in parts]
    values = [counterfactual.value(subset) for subset in range(full + 1)]
    weights = [math.factorial(size) * math.factorial(count - size - 1) / math.factorial(count) for size in range(count)]
    return [
        sum(
            weights[subset.bit_count()] * (values[subset | 1 << number] - values[subset])
            for subset in range(full + 1)
            if not subset >> number & 1
        )
        for number in range(count)
    ]
