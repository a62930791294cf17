"""The breakdown: for each dimension every value's figures in both periods, always, whether or not a cause is found.

The interval of a value's part of the change comes from the value's own rows. Its part is linear in a few sums near the
figures found (the delta method), so each day, and each row, adds a known amount to it. How these amounts scatter from
day to day, weekdays taken out, is the error; where there are too few days, it is how they scatter from row to row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from averment.stats.attribution.facts import Facts, Floats, Mask
from averment.stats.attribution.search import LEAST_PAST, moves_elsewhere, usual_moves
from averment.stats.attribution.split import GroupSums, split, sum_groups, sums_of
from averment.stats.tails import t_bound

MOST_VALUES = 25
_WEEKS, _WEEKLY_ROWS = 2, 70.0
"""A weekday's part is estimated from so many weeks, and for values of so many rows."""
_FEW, _LEAST_FREEDOM = 20, 3
"""With fewer days than the first the time before the periods helps; with less freedom than the second, rows must do."""
_TIED, _MOST_TIED = 12, 0.5
"""From so much freedom on it is seen how a day follows the one before; more than this is a step, not noise."""
_PASSES = 5


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


def break_down(facts: Facts, dimensions: tuple[str, ...], dated: Facts | None = None) -> tuple[MovedValue, ...]:
    """Every dimension's values, the largest part of the change first.

    ``dated`` are the facts whose days tell the scatter, where the facts themselves know no days.
    """
    found: list[MovedValue] = []
    whole = sums_of(facts)
    live = facts.both
    shared = None if dated is None else _spread_of_days(dated)
    for name in dimensions:
        axis = facts.axes[name]
        sums = sum_groups(facts, axis.codes[live], len(axis.labels), live)
        parts = {at: split(facts, sums.one(at), whole) for at in np.flatnonzero(sums.rows.sum(axis=1)).tolist()}
        kept = sorted(parts, key=lambda at: (-abs(parts[at].change), axis.labels[at]))[:MOST_VALUES]
        widths = _widths(facts, name, kept, sums, whole, shared)
        for at, width in zip(kept, widths, strict=True):
            one = parts[at]
            found.append(
                MovedValue(
                    dimension=name,
                    value=axis.labels[at],
                    before=one.before,
                    after=one.after,
                    rows_before=one.rows[0],
                    rows_after=one.rows[1],
                    change=one.change,
                    share=one.change / facts.change if facts.change else None,
                    low=None if width is None else one.change - width,
                    high=None if width is None else one.change + width,
                    rows_part=one.rows_part,
                    value_part=one.rate,
                    mix_part=one.mix,
                    beyond=width is not None and abs(one.change) > width,
                )
            )
    return tuple(found)


def _widths(
    facts: Facts, name: str, kept: Sequence[int], sums: GroupSums, whole: GroupSums, shared: float | None
) -> list[float | None]:
    """Half the width of each value's 95 % interval; None where nothing tells its error."""
    axis = facts.axes[name]
    if facts.level or (facts.panel and min(facts.dates) < _LEAST_FREEDOM):
        # A stock drifts, and a row a date is no sample: only its moves at other times tell how much it moves.
        return [_width_of_moves(facts, facts.mask({name: axis.labels[at]})) for at in kept]
    calendar = _Calendar(facts)
    place = np.full(len(axis.labels), len(kept))
    place[list(kept)] = np.arange(len(kept))
    series = calendar.series(place[axis.codes], len(kept) + 1)
    total = {one: values.sum(axis=0) for one, values in series.items()}
    found: list[float | None] = []
    for row, at in enumerate(kept):
        own = {one: values[row] for one, values in series.items()}
        found.append(_width(facts, calendar, own, total, _slopes(facts, sums.one(at), whole), shared))
    return found


def _width_of_moves(facts: Facts, mask: Mask) -> float | None:
    past = len(moves_elsewhere(facts, mask))
    return usual_moves(facts, mask) * t_bound(past - 1) or None if past >= LEAST_PAST else None


def _spread_of_days(facts: Facts) -> float:
    """How much more the days of the whole scatter than its rows would alone; one where its days do not tell."""
    calendar = _Calendar(facts)
    series = {one: values[0] for one, values in calendar.series(np.zeros(len(facts.day), dtype=np.int64), 1).items()}
    whole = sums_of(facts)
    seen = _scatter(facts, calendar, series, series, _slopes(facts, whole, whole))
    return facts.clumping if seen is None else seen[0]


@dataclass(frozen=True, kw_only=True)
class _Slopes:
    """By how much a value's part of the change grows with each of its sums, and with those of all other rows.

    Each has a number for each period. ``chance`` is the variance of the part if every row came by itself.
    """

    num: Floats
    den: Floats
    rest_num: Floats
    rest_den: Floats
    chance: Floats
    share: float


def _slopes(facts: Facts, own: GroupSums, whole: GroupSums) -> _Slopes:
    sign, none = np.array([-1.0, 1.0]), np.zeros(2)
    num, den, all_den = own.num[0], own.den[0], whole.den[0]
    share = float(own.squares.sum() / whole.squares.sum()) if whole.squares.sum() else 1.0
    if facts.how == "sum":
        up = sign * np.array(facts.rescale)
        return _Slopes(num=up, den=none, rest_num=none, rest_den=none, chance=up**2 * own.squares[0], share=share)
    rest_num, rest_den = whole.num[0] - num, all_den - den
    there, elsewhere = den > 0, rest_den > 1e-9 * all_den
    with np.errstate(divide="ignore", invalid="ignore"):
        rate, weight = np.where(there, num / den, 0.0), np.where(all_den > 0, den / all_den, 0.0)
        rate = np.where(there, rate, rate[::-1])
        other = np.where(elsewhere, rest_num / rest_den, 0.0)
        level = other.sum() / elsewhere.sum() if elsewhere.any() else rate.mean()
        by_weight = sign * (rate - level)
        by_other = np.where(elsewhere, -(weight[1] - weight[0]) / max(int(elsewhere.sum()), 1), 0.0)
        slopes = (
            np.where(there, sign * weight / den, 0.0),
            np.where(there, by_weight * rest_den / all_den**2 - sign * weight * rate / den, 0.0),
            np.where(elsewhere, by_other / rest_den, 0.0),
            np.where(elsewhere, -by_other * other / rest_den - by_weight * den / all_den**2, 0.0),
        )

    def squared(top: Floats, bottom: Floats, sums: tuple[Floats, Floats, Floats]) -> Floats:
        return top**2 * sums[0] + 2 * top * bottom * sums[1] + bottom**2 * sums[2]

    mine = (own.squares[0], own.cross[0], own.weights[0])
    others = (whole.squares[0] - mine[0], whole.cross[0] - mine[1], whole.weights[0] - mine[2])
    chance = np.maximum(squared(*slopes[:2], mine) + squared(*slopes[2:], others), 0.0)
    return _Slopes(num=slopes[0], den=slopes[1], rest_num=slopes[2], rest_den=slopes[3], chance=chance, share=share)


class _Calendar:
    """The days, or other dates, by which a metric scatters: those of both periods and, where they are few, before."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        daily = facts.frequency == "day"
        (a, b), (c, d) = facts.periods
        dates = np.arange(facts.first, facts.last + 1) if daily else facts.stamps
        side = np.where((dates >= c) & (dates <= d), 1, np.where((dates >= a) & (dates <= b), 0, 2))
        few = int((side < 2).sum()) < _FEW
        used = (side < 2) | (few & (dates < a) & (side == 2))
        self.side, self.dates = side[used], dates[used]
        self.weekday = self.dates % 7
        self.weekly = daily and len(self.dates) >= 7 * _WEEKS
        at = np.minimum(np.searchsorted(self.dates, facts.day), max(len(self.dates) - 1, 0))
        self._cells = self.dates[at] == facts.day if len(self.dates) else np.zeros(len(facts.day), dtype=bool)
        self._at = at[self._cells]

    def series(self, groups: NDArray[Any], count: int) -> dict[str, Floats]:
        """For each group its numerator, denominator and rows by date."""
        at = groups[self._cells] * len(self.dates) + self._at
        size = count * len(self.dates)
        return {
            name: np.bincount(at, getattr(self.facts, name)[self._cells], size).reshape(count, -1).astype(np.float64)
            for name in ("num", "den", "rows")
        }

    def expected(self, values: Floats, weekly: bool) -> Floats:
        """The values if each period had one level and each weekday its part of it."""
        sides = np.arange(3)[:, None] == self.side
        days = np.arange(7)[:, None] == self.weekday
        part = np.ones(7)
        level = _quotient(sides @ values, sides.sum(axis=1))
        for _ in range(_PASSES if weekly else 0):
            part = _quotient(days @ values, days @ level[self.side])
            level = _quotient(sides @ values, sides @ part[self.weekday])
        return level[self.side] * part[self.weekday]


def _scatter(
    facts: Facts, calendar: _Calendar, own: dict[str, Floats], total: dict[str, Floats], slopes: _Slopes
) -> tuple[float, float] | None:
    """How much more the dates scatter than rows would alone, with its degrees of freedom; None with too few dates."""
    base = np.where(calendar.side == 1, 1, 0)
    sign = np.where(calendar.side == 1, 1.0, -1.0)
    weekly = calendar.weekly and float(own["rows"].sum()) >= _WEEKLY_ROWS
    added = slopes.num[base] * own["num"] + slopes.den[base] * own["den"]
    if facts.how == "ratio":
        added += slopes.rest_num[base] * (total["num"] - own["num"]) + slopes.rest_den[base] * (
            total["den"] - own["den"]
        )
        rows = calendar.expected(total["rows"], calendar.weekly)
        rest = added * sign
        if weekly:
            rest = rest - _means(rest, calendar.weekday)[calendar.weekday]
        rest = rest - _means(rest, calendar.side)[calendar.side]
    else:
        rows = calendar.expected(own["rows"], weekly)
        even = calendar.expected(own["num"], weekly) if (own["num"] >= 0).all() else rows
        level = _quotient(np.bincount(calendar.side, added, 3), np.bincount(calendar.side, even, 3))
        rest = added - level[calendar.side] * even
    of_period = np.bincount(calendar.side, rows, 3)[:2]
    chance = slopes.chance[base] * _quotient(rows, of_period[base])
    used = chance > 1e-12 * chance.max(initial=0.0)
    freedom = float(used.sum() - len(np.unique(calendar.side[used])) - (6 if weekly else 0))
    if freedom < _LEAST_FREEDOM:
        return None
    z = np.divide(rest, np.sqrt(chance), out=np.zeros(len(rest)), where=used)
    more = float((z**2).sum()) / freedom
    if freedom >= _TIED and more > 0:
        follows = (calendar.side[1:] == calendar.side[:-1]) & used[1:] & used[:-1]
        # Taking out levels and weekdays makes days look less alike than they are.
        tied = float((z[1:] * z[:-1])[follows].sum() / (z**2).sum()) + (used.sum() - freedom) / (4 * used.sum())
        tied = min(max(tied, 0.0), _MOST_TIED)
        more *= (1 + tied) / (1 - tied)
    # Dates with hardly a row tell less: a count of few has a heavy tail.
    thin = float(used.sum()) / max(float(own["rows"][used].sum()), 1.0)
    return more, max(freedom / (1.0 + thin / 2.0), 1.0)


def _width(
    facts: Facts,
    calendar: _Calendar,
    own: dict[str, Floats],
    total: dict[str, Floats],
    slopes: _Slopes,
    shared: float | None,
) -> float | None:
    chance = float(slopes.chance.sum())
    seen = _scatter(facts, calendar, own, total, slopes) if shared is None else None
    if seen is None:
        # Days that are busy for all scatter a small part of the rows less than the whole.
        clump = facts.clumping
        more = (
            clump if shared is None else shared if facts.how == "ratio" else 1.0 + max(shared - 1.0, 0.0) * slopes.share
        )
        seen = max(more, clump), float("inf")
    width = t_bound(min(seen[1], 1e6)) * (seen[0] * chance) ** 0.5
    return width if 0 < width < float("inf") else None


def _quotient(top: NDArray[Any], bottom: NDArray[Any]) -> Floats:
    return np.divide(top, bottom, out=np.zeros(len(top)), where=bottom > 0)


def _means(values: Floats, groups: NDArray[Any]) -> Floats:
    count = int(groups.max()) + 1
    return _quotient(np.bincount(groups, values, count), np.bincount(groups, minlength=count))
