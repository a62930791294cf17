"""Mix against rate: a ratio's change split exactly into what the shares did and what the rates did.

Midpoint weights treat both periods alike, so the two parts sum to the change without an interaction left over.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from averment.errors import InvalidArguments
from averment.stats.attribution.cube import Floats, LeafCube, floats
from averment.stats.attribution.verdict import GroupSplit, MixSplit


def split_mix(
    *,
    totals_before: ArrayLike,
    weights_before: ArrayLike,
    totals_after: ArrayLike,
    weights_after: ArrayLike,
    groups: Sequence[str],
    least_weight: float = 30.0,
) -> MixSplit:
    """The split of total per weight over these groups; groups lighter than ``least_weight`` decide no paradox.

    A group that is absent on one side has no rate there; its rate on the other side stands in, so all it did is mix.

    Raises:
        InvalidArguments: the arrays differ in length, or a side has no weight at all.
    """
    before, after = floats(totals_before), floats(totals_after)
    weight_before, weight_after = floats(weights_before), floats(weights_after)
    if len({len(before), len(after), len(weight_before), len(weight_after), len(groups)}) != 1:
        raise InvalidArguments("Each group needs a total and a weight in both periods.")
    if weight_before.sum() <= 0 or weight_after.sum() <= 0:
        raise InvalidArguments("A ratio needs a nonzero weight in both periods.", hint="One of the periods is empty.")
    share_before, share_after = weight_before / weight_before.sum(), weight_after / weight_after.sum()
    rate_before, rate_after = _rates(before, weight_before), _rates(after, weight_after)
    known_before, known_after = weight_before > 0, weight_after > 0
    filled_before = np.where(known_before, rate_before, rate_after)
    filled_after = np.where(known_after, rate_after, rate_before)
    mix = (share_after - share_before) * (filled_before + filled_after) / 2.0
    rate = (filled_after - filled_before) * (share_before + share_after) / 2.0
    change = float(after.sum() / weight_after.sum() - before.sum() / weight_before.sum())
    heavy = (weight_before >= least_weight) & (weight_after >= least_weight)
    moves = (filled_after - filled_before)[heavy]
    return MixSplit(
        change=change,
        mix=float(mix.sum()),
        rate=change - float(mix.sum()),
        paradox=_disagrees(change, moves),
        groups=tuple(
            GroupSplit(
                group=group,
                mix=float(mix[i]),
                rate=float(rate[i]),
                share_before=float(share_before[i]),
                share_after=float(share_after[i]),
                rate_before=float(rate_before[i]) if known_before[i] else None,
                rate_after=float(rate_after[i]) if known_after[i] else None,
            )
            for i, group in enumerate(groups)
        ),
    )


def split_cube(cube: LeafCube) -> MixSplit | None:
    """The split over the one dimension that says most: where groups and total disagree, else where the mix did most.

    None where no dimension has two values.

    Raises:
        InvalidArguments: a side has no weight at all.
    """
    splits: list[MixSplit] = []
    for column, (name, values) in enumerate(zip(cube.dimensions, cube.values, strict=True)):
        if len(values) < 2:
            continue
        before, weight_before, after, weight_after = (
            np.bincount(cube.codes[:, column], weights=array, minlength=len(values))
            for array in (cube.baseline.total, cube.baseline.weight, cube.comparison.total, cube.comparison.weight)
        )
        split = split_mix(
            totals_before=before,
            weights_before=weight_before,
            totals_after=after,
            weights_after=weight_after,
            groups=values,
        )
        splits.append(split.changed(dimension=name))
    return max(splits, key=lambda split: (split.paradox, abs(split.mix)), default=None)


def _disagrees(change: float, moves: Floats) -> bool:
    against = moves * np.sign(change)
    return bool(change != 0 and len(moves) and (against <= 0).all() and (against < 0).any())


def _rates(totals: Floats, weights: Floats) -> Floats:
    return np.where(weights > 0, totals / np.where(weights > 0, weights, 1.0), 0.0)
