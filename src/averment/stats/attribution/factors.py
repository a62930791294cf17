"""A metric taken apart into factors, each with its own noise: row count, rate (hits per row) and value (sum per hit).

Counts wobble far less than sums of money, so a change of volume is seen in the counts long before it is seen in the
sum. Rates and values are compared at the mix of the comparison period: a multiplicative model of the baseline says what
each leaf's rate should be, so a mere shift between leaves is not taken for a change of rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from averment.stats.attribution.cube import Codes, Floats, LeafCube, Side

FactorName = Literal["volume", "rate", "value"]

_ROUNDS = 12
_PRIOR_ROWS = 5.0
_NEW_LEAF = 1e-12


@dataclass(frozen=True, kw_only=True)
class Factor:
    """One factor of a metric, an entry per leaf.

    ``before`` and ``after`` are what is compared; ``base_before`` and ``base_after`` are proportional to what a model
    without any change expects of them. A rate or value is a sum per weight; ``squares`` over both periods tells the
    variance of that sum. Without weights the factor is a plain count.
    """

    name: FactorName
    before: Floats
    after: Floats
    base_before: Floats
    base_after: Floats
    squares: Floats | None = None
    weight_before: Floats | None = None
    weight_after: Floats | None = None

    @property
    def weights(self) -> Floats | None:
        """The weight of both periods together."""
        if self.weight_before is None or self.weight_after is None:
            return None
        return self.weight_before + self.weight_after

    @property
    def signed(self) -> bool:
        """Whether some sum is below zero, so that a change adds instead of multiplying."""
        return bool(len(self.before)) and min(float(self.before.min()), float(self.after.min())) < 0

    def level(self, leaves: Codes, *, after: bool) -> float | None:
        """The factor over these leaves in one period; None for a rate or value without any weight."""
        total = float((self.after if after else self.before)[leaves].sum())
        weight = self.weight_after if after else self.weight_before
        if weight is None:
            return total
        heavy = float(weight[leaves].sum())
        return total / heavy if heavy else None


def volume_factor(cube: LeafCube, exposure: float) -> Factor:
    """Row counts, where the comparison period is worth ``exposure`` baseline periods."""
    before, after = cube.baseline.rows, cube.comparison.rows
    # A leaf that is new has no past to multiply; a trace of its present lets an effect reach it, and weighs nothing.
    traced = np.where(before > 0, before, _NEW_LEAF * after)
    return Factor(name="volume", before=traced, after=after, base_before=traced, base_after=exposure * traced)


def rate_factor(cube: LeafCube) -> Factor:
    """Hits per row."""
    hits0, hits1 = cube.baseline.hits, cube.comparison.hits
    rows0, rows1 = cube.baseline.rows, cube.comparison.rows
    return _per_weight(cube, "rate", hits0, hits1, rows0, rows1, hits0 + hits1)


def value_factor(cube: LeafCube) -> Factor:
    """Sum per hit."""
    before, after = cube.baseline, cube.comparison
    squares = before.squares + after.squares
    return _per_weight(cube, "value", before.total, after.total, before.hits, after.hits, squares)


def ratio_factor(cube: LeafCube) -> Factor:
    """The metric itself when it is a ratio: total per unit of weight."""
    before, after = cube.baseline, cube.comparison
    squares = before.squares + after.squares
    return _per_weight(cube, "rate", before.total, after.total, before.weight, after.weight, squares)


def _per_weight(
    cube: LeafCube,
    name: FactorName,
    before: Floats,
    after: Floats,
    weight_before: Floats,
    weight_after: Floats,
    squares: Floats,
) -> Factor:
    typical = float(squares.sum()) / max(abs(float(before.sum() + after.sum())), 1e-300)
    model = fit_main_effects(cube, before, weight_before, typical)
    model = _shrink_to(model, before, weight_before, typical)
    return Factor(
        name=name,
        before=before,
        after=after,
        base_before=weight_before * model,
        base_after=weight_after * model,
        squares=squares,
        weight_before=weight_before,
        weight_after=weight_after,
    )


def _shrink_to(model: Floats, total: Floats, weight: Floats, typical: float) -> Floats:
    """Each leaf's own baseline rate, drawn to the model as far as the leaf has too few rows to speak for itself."""
    overall = float(total.sum()) / float(weight.sum()) if weight.sum() > 0 else 0.0
    if overall <= 0:
        return model
    # So many units of weight hold a few typical rows.
    prior = _PRIOR_ROWS * typical / overall
    return np.maximum(total + prior * model, 0.0) / (weight + prior)


def fit_main_effects(cube: LeafCube, total: Floats, weight: Floats, typical: float) -> Floats:
    """Total per weight of each leaf as a product of one multiplier per dimension value, fitted by iterative scaling.

    A multiplier is drawn to one by a few ``typical`` rows, so a rare value does not get a rate of its own from chance.
    """
    overall = float(total.sum()) / float(weight.sum()) if weight.sum() > 0 else 0.0
    if overall <= 0:
        return np.ones(len(total))
    prior = _PRIOR_ROWS * typical
    effects = [np.ones(size) for size in cube.cardinalities]
    seen = [
        np.maximum(np.bincount(cube.codes[:, column], weights=total, minlength=size), 0.0)
        for column, size in enumerate(cube.cardinalities)
    ]
    model = np.full(len(total), overall)
    for _ in range(_ROUNDS):
        largest = 0.0
        for column, size in enumerate(cube.cardinalities):
            if size < 2:
                continue
            codes = cube.codes[:, column]
            said = np.bincount(codes, weights=weight * model, minlength=size) / effects[column]
            updated = (seen[column] + prior) / (said + prior)
            step = updated / effects[column]
            effects[column] = updated
            model = model * step[codes]
            largest = max(largest, float(np.abs(np.log(step)).max()))
        if largest < 1e-4:
            break
    return model


def factors_of_sum(cube: LeafCube, exposure: float) -> tuple[Factor, ...]:
    """The factors of a sum or count that can move on their own in this cube."""
    found = [volume_factor(cube, exposure)]
    sides = (cube.baseline, cube.comparison)
    if any(_differ(side.hits, side.rows) for side in sides):
        found.append(rate_factor(cube))
    if any(_differ(side.total, side.hits) for side in sides):
        found.append(value_factor(cube))
    return tuple(found)


def _differ(one: Floats, other: Floats) -> bool:
    return not bool(np.array_equal(one, other))


def value_of(side: Side, *, ratio: bool) -> float | None:
    """The metric over a whole side; None where a ratio has nothing to divide by."""
    total = float(side.total.sum())
    if not ratio:
        return total
    weight = float(side.weight.sum())
    return total / weight if weight else None
