"""The exact split of a segment's part of a change, and the noise its own figures have.

For a sum the change is a rows part and a value part; for a quotient a rate part and a mix part. Both are exact. The
noise comes from the scatter of days and of rows that come together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from averment.stats.attribution.facts import Codes, Facts, Floats, Mask

LEAST_ROWS = 8.0
_LEAST_WEIGHT, _STILL = 30.0, 1.0
_DAYS_AGREE, _DAYS_SURE = 1.2, 2.8


@dataclass(frozen=True, kw_only=True)
class GroupSums:
    """Sums for some groups of rows; each array has a row for each group and a column for each period."""

    rows: Floats
    num: Floats
    den: Floats
    squares: Floats
    cross: Floats
    weights: Floats

    def one(self, at: int) -> GroupSums:
        """The sums of one group."""
        return GroupSums(**{name: getattr(self, name)[at : at + 1] for name in _PARTS})


_PARTS = ("rows", "num", "den", "squares", "cross", "weights")


def sum_groups(facts: Facts, groups: Codes, count: int, live: Mask) -> GroupSums:
    """The sums of the live cells of both periods by group."""
    at = groups * 2 + facts.inside[1][live]
    return GroupSums(
        **{
            name: np.bincount(at, getattr(facts, name)[live], 2 * count).reshape(-1, 2).astype(np.float64)
            for name in _PARTS
        }
    )


def sums_of(facts: Facts, mask: Mask | None = None) -> GroupSums:
    """The sums of some rows of both periods."""
    live = facts.both if mask is None else facts.both & mask
    return sum_groups(facts, np.zeros(int(live.sum()), dtype=np.int64), 1, live)


@dataclass(frozen=True, kw_only=True)
class ChangeParts:
    """A segment's own figures and the exact parts of its change; ``before`` and ``after`` are its metric."""

    rows: tuple[float, float]
    before: float | None
    after: float | None
    change: float
    rate: float
    rows_part: float
    mix: float
    each: tuple[float, float] | None
    weight: tuple[float, float]


def split(facts: Facts, own: GroupSums, whole: GroupSums) -> ChangeParts:
    """The parts of one group's change."""
    rows = (float(own.rows[0, 0]), float(own.rows[0, 1]))
    num, den = own.num[0], own.den[0]
    all_num, all_den = whole.num[0], whole.den[0]
    weight = tuple(float(den[k] / all_den[k]) if all_den[k] else 0.0 for k in (0, 1))
    if facts.how == "ratio":
        rate = [float(num[k] / den[k]) if den[k] else None for k in (0, 1)]
        r0 = rate[0] if rate[0] is not None else rate[1]
        r1 = rate[1] if rate[1] is not None else rate[0]
        if r0 is None or r1 is None:
            return _parts(rows, None, None, weight)
        others = [
            float((all_num[k] - num[k]) / (all_den[k] - den[k]))
            for k in (0, 1)
            if all_den[k] - den[k] > 1e-9 * all_den[k]
        ]
        elsewhere = sum(others) / len(others) if others else (r0 + r1) / 2
        by_rate = (r1 - r0) * (weight[0] + weight[1]) / 2
        by_mix = (weight[1] - weight[0]) * ((r0 + r1) / 2 - elsewhere)
        return _parts(rows, rate[0], rate[1], weight, change=by_rate + by_mix, rate=by_rate, mix=by_mix)
    value = [float(num[k]) * facts.rescale[k] for k in (0, 1)]
    change = value[1] - value[0]
    if not all(rows):
        return _parts(rows, value[0], value[1], weight, change=change, rows_part=change)
    each = (value[0] / rows[0], value[1] / rows[1])
    return _parts(
        rows,
        value[0],
        value[1],
        weight,
        change=change,
        rate=(each[1] - each[0]) * (rows[0] + rows[1]) / 2,
        rows_part=(rows[1] - rows[0]) * (each[0] + each[1]) / 2,
        each=each,
    )


@dataclass(frozen=True, kw_only=True)
class MixSplit:
    """A quotient's change as what the weights of a dimension's values did and what the rates inside them did."""

    dimension: str
    mix: float
    rate: float
    paradox: bool
    """Whether every value of enough weight moved against the whole, or not at all and against it at least once."""


def split_mix(facts: Facts, dimensions: tuple[str, ...]) -> MixSplit | None:
    """The split by the dimension that says most: where values and whole disagree, else where the mix did most.

    Midpoint weights make both parts sum to the change. A value that is absent on one side has no rate there; its rate
    on the other side stands in, so all it did is mix.
    """
    if facts.how != "ratio":
        return None
    found: list[MixSplit] = []
    for name in dimensions:
        codes, many = facts.axes[name].codes, len(facts.axes[name].labels)
        top, weight = (
            np.stack([np.bincount(codes[inside], values[inside], many) for inside in facts.inside])
            for values in (facts.num, facts.den)
        )
        if many < 2 or (weight.sum(axis=1) <= 0).any():
            continue
        share = weight / weight.sum(axis=1, keepdims=True)
        rate = np.divide(top, weight, out=np.zeros(top.shape), where=weight > 0)
        filled = np.where(weight > 0, rate, rate[::-1])
        mix = float(((share[1] - share[0]) * filled.mean(axis=0)).sum())
        moves = (filled[1] - filled[0])[(weight >= _LEAST_WEIGHT).all(axis=0)] * np.sign(facts.change)
        paradox = bool(facts.change and len(moves) and (moves <= 0).all() and (moves < 0).any())
        found.append(MixSplit(dimension=name, mix=mix, rate=facts.change - mix, paradox=paradox))
    return max(found, key=lambda one: (one.paradox, abs(one.mix)), default=None)


def _parts(
    rows: tuple[float, float], before: float | None, after: float | None, weight: tuple[float, ...], **given: Any
) -> ChangeParts:
    found: dict[str, Any] = {"change": 0.0, "rate": 0.0, "rows_part": 0.0, "mix": 0.0, "each": None, **given}
    return ChangeParts(rows=rows, before=before, after=after, weight=(weight[0], weight[1]), **found)


@dataclass(frozen=True, kw_only=True)
class Scatter:
    """How much more than independent rows a metric's days scatter: sums, numbers of rows, and shares of values."""

    sums: float
    rows: float
    shares: float
    days_agree: bool
    """Whether the scatter of whole days leaves room for a move of the whole."""


def scatter_of(facts: Facts, dimensions: tuple[str, ...]) -> Scatter:
    """The scatter of a metric's days, and of the shares of these dimensions' values between them."""
    sums, rows = _spread(facts)
    error = _day_error(facts)
    moved, least = (abs(facts.change), _DAYS_AGREE) if facts.how == "ratio" else (abs(_daily_move(facts)), _DAYS_SURE)
    return Scatter(
        sums=sums, rows=rows, shares=_share_spread(facts, dimensions), days_agree=error > 0 and moved >= least * error
    )


def _spread(facts: Facts) -> tuple[float, float]:
    """How much more the days scatter than independent rows would: for sums, and for numbers of rows."""
    (first, last) = facts.periods[0]
    base = facts.inside[0]
    clump = facts.clumping
    if not base.any() or facts.panel:
        return clump, clump
    length = last - first + 1
    at = facts.day[base] - first
    weekday = (np.arange(first, last + 1) - 1) % 7
    found: list[float] = []
    for values, squares in ((facts.num[base], facts.squares[base]), (facts.rows[base], facts.rows[base])):
        daily = np.bincount(at, values, length)
        chance = float(squares.sum()) / length
        rest = daily - daily.mean()
        used = max(length - 1, 1)
        if length >= 14:
            means = np.array([daily[weekday == d].mean() for d in range(7)])
            rest, used = daily - means[weekday], length - 7
        over = float((rest**2).sum() / used / chance) if chance > 0 else 1.0
        found.append(max(clump, min(max(over, 1.0), 12.0)))
    return found[0], found[1]


def _day_error(facts: Facts) -> float:
    """The standard error of the move from the scatter of whole days, which rows of one day share.

    For a quotient it is that of the metric, for a sum that of the mean day, weekdays taken out.
    """
    total = 0.0
    weight = _weekday_means(facts) if facts.how == "sum" else np.ones(7)
    for side in (0, 1):
        inside = facts.inside[side]
        first, last = facts.periods[side]
        length = last - first + 1
        top = np.bincount(facts.day[inside] - first, facts.num[inside], length)
        if facts.how == "ratio":
            bottom = np.bincount(facts.day[inside] - first, facts.den[inside], length)
            if bottom.sum() <= 0:
                return float("inf")
            rest = top - top.sum() / bottom.sum() * bottom
            total += float((rest**2).sum()) / float(bottom.sum()) ** 2
        else:
            even = top / weight[(np.arange(first, last + 1) - 1) % 7]
            total += float(even.var(ddof=1)) / length if length > 1 else float("inf")
    return total**0.5


def _daily_move(facts: Facts) -> float:
    """By how much the mean day of a sum moved, weekdays taken out."""
    weight = _weekday_means(facts)
    means: list[float] = []
    for side in (0, 1):
        first, last = facts.periods[side]
        top = np.bincount(facts.day[facts.inside[side]] - first, facts.num[facts.inside[side]], last - first + 1)
        means.append(float((top / weight[(np.arange(first, last + 1) - 1) % 7]).mean()))
    return means[1] - means[0]


def _weekday_means(facts: Facts) -> Floats:
    """The weight of each weekday over both periods; ones where they are too short to tell."""
    if min(facts.days) < 14:
        return np.ones(7)
    total, count = np.zeros(7), np.zeros(7)
    for side in (0, 1):
        first, last = facts.periods[side]
        top = np.bincount(facts.day[facts.inside[side]] - first, facts.num[facts.inside[side]], last - first + 1)
        mean = float(top.mean())
        weekday = (np.arange(first, last + 1) - 1) % 7
        if mean > 0:
            total += np.bincount(weekday, top / mean, 7)
            count += np.bincount(weekday, minlength=7)
    weights = np.divide(total, count, out=np.ones(7), where=count > 0)
    return np.where(weights > 0.05, weights, 1.0)


def scores(
    facts: Facts,
    own: GroupSums,
    whole: GroupSums,
    scatter: Scatter,
    usual: float = 1.0,
    *,
    beside: bool = False,
) -> dict[str, Floats]:
    """How many standard errors each group's figures moved.

    ``usual`` is the move of the whole, where that is taken out. With ``beside`` a group's sums are compared with how
    the rest of the rows went, since days that are busy for all say nothing about one; unless the rest stood still.
    """
    ratio = facts.days[1] / facts.days[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        if facts.how == "ratio":
            return _ratio_scores(facts, own, whole, scatter, usual)
        up = ratio * usual
        error = np.sqrt(scatter.sums * (up**2 * own.squares[:, 0] + own.squares[:, 1]))
        counting = np.sqrt(scatter.rows * (up**2 * own.rows[:, 0] + own.rows[:, 1]))
        found = {
            "sum": _finite((own.num[:, 1] - up * own.num[:, 0]) / error),
            "rows": _finite((own.rows[:, 1] - up * own.rows[:, 0]) / counting),
        }
        if beside:
            for name, squares in (("sum", "squares"), ("rows", "rows")):
                value = "num" if name == "sum" else "rows"
                mine, mine_squares = getattr(own, value), getattr(own, squares)
                z = _beside_the_rest(mine, mine_squares, whole, value, squares, scatter.shares)
                rest, noise = getattr(whole, value) - mine, getattr(whole, squares) - mine_squares
                moved = rest[:, 1] - up * rest[:, 0]
                over = scatter.sums if name == "sum" else scatter.rows
                still = moved**2 < _STILL**2 * over * (up**2 * noise[:, 0] + noise[:, 1])
                # The smaller part of the rows is what differs from the rest, not the other way round.
                small = own.rows.sum(axis=1) <= 0.7 * whole.rows.sum()
                found[name] = np.where(small & ~still & np.isfinite(z), z, found[name])
        if not facts.counts_rows and usual == 1.0:
            mean = own.num / own.rows
            variance = np.maximum(own.squares / own.rows - mean**2, 0.0) / own.rows
            floor = (0.002 * np.abs(mean).max(axis=1)) ** 2
            z = (mean[:, 1] - mean[:, 0]) / np.sqrt(1.3 * variance.sum(axis=1) + floor)
            found["each"] = _finite(z, own.rows.min(axis=1) >= LEAST_ROWS + 2)
    return found


def _beside_the_rest(
    value: Floats, squares: Floats, whole: GroupSums, name: str, spread_name: str, over: float
) -> Floats:
    rest = getattr(whole, name) - value
    rest_squares = np.maximum(getattr(whole, spread_name) - squares, 0.0)
    up = rest[:, 1] / rest[:, 0]
    loose = (value[:, 0] / rest[:, 0]) ** 2 * (rest_squares[:, 1] + up**2 * rest_squares[:, 0])
    error = np.sqrt(over * (squares[:, 1] + up**2 * squares[:, 0] + loose))
    z = (value[:, 1] - up * value[:, 0]) / error
    return np.where((up > 0) & (rest_squares.min(axis=1) > 0), z, np.nan)


def _share_spread(facts: Facts, dimensions: tuple[str, ...]) -> float:
    """How much more the shares of values scatter from day to day than chance would have them."""
    found: list[float] = []
    base = facts.inside[0]
    day = facts.day[base] - facts.periods[0][0]
    days = facts.periods[0][1] - facts.periods[0][0] + 1
    for axis in (facts.axes[name] for name in dimensions if name in facts.axes):
        if len(axis.labels) > 40 or days < 5:
            continue
        table = np.zeros((days, len(axis.labels)))
        np.add.at(table, (day, axis.codes[base]), facts.rows[base])
        fits = np.outer(table.sum(axis=1), table.sum(axis=0)) / max(table.sum(), 1.0)
        used = fits >= 2
        if used.sum() >= 10:
            chi = float((((table - fits) ** 2)[used] / fits[used]).sum())
            found.append(chi / (used.sum() * (1 - 1 / days)))
    clump = facts.clumping
    return max([clump, 1.0, *(min(one, 12.0) for one in found)])


def _ratio_scores(facts: Facts, own: GroupSums, whole: GroupSums, scatter: Scatter, usual: float) -> dict[str, Floats]:
    rate = own.num / own.den
    if facts.stacked:
        counted = 1.0 / np.maximum(own.num, 1.0) + 1.0 / np.maximum(own.den, 1.0)
        error = np.sqrt((rate**2 * counted).sum(axis=1) * min(scatter.sums, 3.0))
        return {"rate": _finite((rate[:, 1] - rate[:, 0] * usual) / error, own.num.min(axis=1) >= 5)}
    left = np.maximum(own.squares - 2 * rate * own.cross + rate**2 * own.weights, 0.0)
    error = np.sqrt(1.3 * (left / np.maximum(own.den, 1e-9) ** 2).sum(axis=1))
    weight = own.den / whole.den
    share = own.den.sum(axis=1) / whole.den.sum()
    deviation = np.sqrt(share * (1 - share) * (1.0 / np.maximum(whole.rows, 1.0)).sum() * scatter.rows)
    return {
        "rate": _finite((rate[:, 1] - rate[:, 0] * usual) / error, own.rows.min(axis=1) >= LEAST_ROWS),
        "mix": _finite((weight[:, 1] - weight[:, 0]) / deviation, share < 0.98),
    }


def _finite(z: Floats, fine: Mask | None = None) -> Floats:
    good = np.isfinite(z) if fine is None else np.isfinite(z) & fine
    return np.where(good, z, 0.0)
