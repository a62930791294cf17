"""Value or mix: whether a move in value is left when the mix inside is held still, and whose weight makes it if not."""

from __future__ import annotations

import numpy as np

from averment.stats.moves.facts import Facts, Mask, Segment
from averment.stats.moves.split import GroupSums, split, sums_of
from averment.stats.moves.story import Story

GONE = 0.03
"""A segment with so few of its rows on one side is new or gone."""


def mix_held_still(facts: Facts, dimensions: tuple[str, ...], mask: Mask, segment: Segment) -> tuple[float, str | None]:
    """How much of a move in value is left when the mix inside is held still: the least, and its dimension.

    Of dimensions that leave little, the one with the fewest values is named.
    """
    worst, name, few = 1.0, None, 10**6
    per = facts.den if facts.how == "ratio" else facts.rows
    inside = [facts.inside[k] & mask for k in (0, 1)]
    total = [float(per[i].sum()) for i in inside]
    if not all(total):
        return 1.0, None
    move = float(facts.num[inside[1]].sum()) / total[1] - float(facts.num[inside[0]].sum()) / total[0]
    if not move:
        return 0.0, None
    for each in dimensions:
        axis = facts.axes[each]
        if each in segment or len(axis.labels) > 40:
            continue
        tops = [np.bincount(axis.codes[i], facts.num[i], len(axis.labels)) for i in inside]
        pers = [np.bincount(axis.codes[i], per[i], len(axis.labels)) for i in inside]
        there = (pers[0] > 0) & (pers[1] > 0)
        rate = tops[1][there] / pers[1][there] - tops[0][there] / pers[0][there]
        kept = float((rate * (pers[0][there] / total[0] + pers[1][there] / total[1]) / 2).sum()) / move
        values = int((pers[0] + pers[1] > 0).sum())
        small = kept < 0.25 and worst < 0.25
        if (small and values < few) or (not small and kept < worst):
            worst, name, few = kept, each, values
    return worst, name


def mix_story(facts: Facts, name: str, whole: GroupSums, change: float) -> Story | None:
    """The value of each moved, but not within the values of this dimension: the value whose weight makes it."""
    best: tuple[float, Story] | None = None
    axis = facts.axes[name]
    for code in np.unique(axis.codes[facts.both]):
        segment = {name: axis.labels[code]}
        own = sums_of(facts, facts.mask(segment))
        parts = split(facts, own, whole)
        rows, everything = parts.rows, whole.rows[0]
        if facts.how == "ratio":
            pull = parts.mix
        else:
            share = [rows[k] / max(float(everything[k]), 1.0) for k in (0, 1)]
            mean = float(own.num.sum()) / max(sum(rows), 1.0)
            rest = float(whole.num.sum() - own.num.sum()) / max(float(everything.sum()) - sum(rows), 1.0)
            pull = (share[1] - share[0]) * (mean - rest) * float(everything.mean())
        if pull * np.sign(change) <= 0.4 * abs(change) or min(sum(rows), abs(rows[1] - rows[0])) < 5:
            continue
        fresh = min(rows) <= GONE * max(rows)
        effect = parts.mix if facts.how == "ratio" and not fresh else parts.change
        if effect * change <= 0:
            continue
        # Among equals, a segment and the rest of it, the smaller one is what happened.
        rank = abs(pull) * (1.3 if fresh else 1.0) / (0.2 + sum(rows) / float(everything.sum()))
        if best is None or rank > best[0]:
            weights = tuple(rows[k] / max(float(everything[k]), 1.0) for k in (0, 1))
            figures = (parts.before, parts.after) if fresh else weights
            kind = "new_or_gone" if fresh else "mix"
            best = (rank, Story(kind=kind, segment=segment, effect=effect, before=figures[0], after=figures[1]))
    return best[1] if best else None
