"""The breakdown: for each dimension every value's figures in both periods, always, whether or not a cause is found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from averment.stats.moves.facts import Facts
from averment.stats.moves.panel import usual_moves
from averment.stats.moves.split import scores, split, spread, sum_groups, sums_of

MOST_VALUES = 25
BEYOND = 1.96


@dataclass(frozen=True, kw_only=True)
class MovedValue:
    """One value of one dimension: its figures, its part of the change, and whether that is beyond its own noise."""

    dimension: str
    value: str
    before: float | None
    after: float | None
    rows_before: float
    rows_after: float
    change: float
    share: float | None
    low: float | None
    high: float | None
    rows_part: float
    value_part: float
    mix_part: float
    beyond: bool


def break_down(
    facts: Facts, dimensions: tuple[str, ...], over: tuple[float, float] | None = None
) -> tuple[MovedValue, ...]:
    """Every dimension's values, the largest part of the change first.

    ``over`` is how much more than chance the days scatter, where the facts themselves know no days.
    """
    found: list[MovedValue] = []
    whole = sums_of(facts)
    over = spread(facts) if over is None else over
    live = facts.both
    for name in dimensions:
        axis = facts.axes[name]
        sums = sum_groups(facts, axis.codes[live], len(axis.labels), live)
        z = scores(facts, sums, whole, over)
        rows: list[MovedValue] = []
        for at, label in enumerate(axis.labels):
            if not sums.rows[at].sum():
                continue
            parts = split(facts, sums.one(at), whole)
            error = _error(facts, name, label, parts.change, z, at)
            rows.append(
                MovedValue(
                    dimension=name,
                    value=label,
                    before=parts.before,
                    after=parts.after,
                    rows_before=parts.rows[0],
                    rows_after=parts.rows[1],
                    change=parts.change,
                    share=parts.change / facts.change if facts.change else None,
                    low=None if error is None else parts.change - BEYOND * error,
                    high=None if error is None else parts.change + BEYOND * error,
                    rows_part=parts.rows_part,
                    value_part=parts.rate,
                    mix_part=parts.mix,
                    beyond=error is not None and abs(parts.change) > BEYOND * error,
                )
            )
        rows.sort(key=lambda mover: (-abs(mover.change), mover.value))
        found += rows[:MOST_VALUES]
    return tuple(found)


def _error(facts: Facts, name: str, label: str, change: float, z: dict[str, np.ndarray], at: int) -> float | None:
    """The standard error of a value's part of the change, from its own scatter or, in a panel, its other moves."""
    if facts.panel:
        usual = usual_moves(facts, facts.mask({name: label}))
        return usual or None
    main = max((abs(float(z[part][at])) for part in ("sum", "rate", "mix") if part in z), default=0.0)
    return abs(change) / main if main > 0.05 else None
