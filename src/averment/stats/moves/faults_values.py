"""Values that are wrong: in another unit, below zero, empty, or one that carries the change alone."""

from __future__ import annotations

import numpy as np

from averment.stats.moves.facts import Facts, Floats, Mask, Segment
from averment.stats.moves.faults_rows import values_of
from averment.stats.moves.story import Story

_LEAST_JUMP = 0.65
"""In powers of ten: a factor of four and a half. Less cannot be told from a price that rose."""
_FACTORS = (12.0, 24.0, 60.0, 3600.0, 25.4)
_UNIT_LEAST_ROWS = 4.0
_MOSTLY = 0.8
_OUTLIER_PART = 0.03
_NEAR, _FEW = 0.06, 40


def unit_factor(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Values times a fixed factor with the same shape from a sharp day on: another unit or currency."""
    if facts.counts_rows or facts.counts_units or facts.stacked:
        return []
    logs = _logs(facts)
    best: tuple[float, Story] | None = None
    for segment in [{}, *values_of(facts, dimensions, _UNIT_LEAST_ROWS)]:
        found = _rescaled(facts, segment, logs)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return [best[1]] if best else []


def unit_of(facts: Facts, segment: Segment) -> Story | None:
    """The change of unit of one segment, where there is one."""
    if facts.counts_rows or facts.counts_units or facts.stacked:
        return None
    found = _rescaled(facts, segment, _logs(facts))
    return None if found is None else found[1]


def _logs(facts: Facts) -> Floats:
    """The value of each row in powers of ten; not a number where it is not above zero."""
    value = facts.num if facts.plain_rows else facts.num / np.maximum(facts.rows - facts.empty, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        if facts.how == "ratio" and facts.plain_rows and not (facts.den <= 1).all():
            value = np.where(facts.den != 0, facts.num / facts.den, 0.0)
        return np.where(value > 0, np.log10(np.abs(value)), np.nan)


def _rescaled(facts: Facts, segment: Segment, logs: Floats) -> tuple[float, Story] | None:
    mask = facts.mask(segment) & ~np.isnan(logs)
    base, comp = mask & facts.inside[0], mask & facts.inside[1]
    if base.sum() < (3 if facts.panel else 10) or comp.sum() < (1 if facts.panel else 4):
        return None
    middle = float(np.median(logs[base]))
    days, daily = _daily_medians(facts, comp, logs)
    daily = daily - middle
    _, own = _daily_medians(facts, base, logs)
    moved = np.abs(daily) > _LEAST_JUMP
    if not moved.any() or (moved.sum() < 2 and len(daily) > 3 and not facts.panel):
        return None
    if moved[np.argmax(moved) : len(moved) - np.argmax(moved[::-1])].mean() < _MOSTLY:
        return None  # a unit changes on one day and stays; it does not come and go
    hit = comp & np.isin(facts.day, days[moved])
    jump = float(np.median(logs[hit])) - middle
    steady = float(own.std()) if len(own) > 1 else 0.0
    vote = _sibling_vote(facts, mask & ~facts.inside[1], hit, jump, logs)
    uneven = float(daily[moved].std())
    # Days with few rows scatter; many rows at a round factor need not be as steady.
    precise = not facts.panel and hit.sum() >= 60 and abs(jump) > 0.8 and abs(jump - round(jump)) < 0.1
    if uneven > (0.4 if vote > 0 else 0.25) * abs(jump):
        return None
    if vote <= 0 and steady > (0.35 if precise else 0.22) * abs(jump):
        return None
    wide = [float(np.subtract(*np.percentile(logs[x], [75, 25]))) for x in (base, hit)]
    if not facts.panel and (abs(wide[1] - wide[0]) > 0.25 * abs(jump) or hit.sum() < 5):
        return None
    if facts.panel and vote == 0 and (steady > 0.12 * abs(jump) or (moved.sum() > 1 and uneven > 0.12 * abs(jump))):
        return None
    _, past = _daily_medians(facts, mask & (facts.day < facts.periods[1][0]), logs)
    sharp = vote > 0 or precise or len(past) <= 4 or float(np.abs(np.diff(past)).max()) < 0.75 * abs(jump)
    exact = not facts.panel and _is_usual(jump, 0.1)
    if (vote < 0 and not exact) or not sharp:
        return None
    if not (vote > 0 or _is_usual(jump, 0.12 if facts.panel else 0.2) or (not facts.panel and min(wide) > 0.1)):
        return None
    side = float(np.sign(jump))
    natural = float(((logs[base] - middle) * side < -abs(jump) / 2).mean())
    pure = float(((logs[hit] - middle) * side > abs(jump) / 2).mean()) / max(1 - natural, 0.5)
    if pure < 0.9:
        return None
    factor = _factor_of(jump, few=hit.sum() < _FEW)
    taken = float(facts.num[hit].sum()) * (1 - 1 / factor)
    per = facts.rescale[1] if facts.how == "sum" else 1.0 / max(float(facts.den[facts.inside[1]].sum()), 1e-300)
    story = Story(
        kind="data_fault",
        fault="unit_factor",
        segment=segment,
        effect=taken * per,
        factor=factor,
        since=int(days[moved].min()),
        until=int(days[moved].max()),
        count=float(facts.rows[hit].sum()),
        before=10.0**middle,
        after=10.0 ** float(np.median(logs[hit])),
    )
    # The largest set of rows that is moved throughout, not one of its parts.
    return float(facts.rows[hit].sum()) * (1.0 if pure > 0.97 else 0.3), story


def _factor_of(jump: float, *, few: bool) -> float:
    """The factor between units that a jump in powers of ten is nearest to; as measured where none is near."""
    known = [float(round(jump)), *(side * float(np.log10(each)) for each in _FACTORS for side in (1, -1))]
    nearest = min(known, key=lambda each: abs(each - jump))
    if abs(nearest - jump) < _NEAR:
        return 10.0**nearest
    return 10.0 ** round(jump) if few and abs(jump - round(jump)) < 0.25 else 10.0**jump


def _daily_medians(facts: Facts, mask: Mask, logs: Floats) -> tuple[np.ndarray, Floats]:
    days = np.unique(facts.day[mask])
    order = np.argsort(facts.day[mask], kind="stable")
    values = logs[mask][order]
    edges = np.searchsorted(facts.day[mask][order], days)
    return days, np.array([float(np.median(part)) for part in np.split(values, edges[1:])] if len(days) else [])


def _is_usual(jump: float, slack: float) -> bool:
    """Whether a jump, in powers of ten, is near a factor between units."""
    whole = abs(jump - round(jump)) < slack
    return abs(jump) > _LEAST_JUMP and (whole or any(abs(abs(jump) - np.log10(each)) < 0.03 for each in _FACTORS))


def _sibling_vote(facts: Facts, past: Mask, hit: Mask, jump: float, logs: Floats) -> int:
    """+1 if the outcome left the measures that told it until then, -1 if they jumped along, 0 if none tell it."""
    rest = _beside_siblings(facts, logs)
    if rest is None:
        return 0
    before, after = rest[past & np.isfinite(rest)], rest[hit & np.isfinite(rest)]
    if len(before) < 3 or not len(after) or before.std() >= 0.25 * abs(jump):
        return 0
    shift = float(np.median(after) - np.median(before))
    return 1 if abs(shift - jump) < 0.25 else -1 if abs(shift) < 0.25 * abs(jump) else 0


_CACHE = "_beside_siblings"


def _beside_siblings(facts: Facts, logs: Floats) -> Floats | None:
    """What the other measures of a row, taken together, leave of its outcome; None where they do not tell it."""
    if _CACHE in facts.__dict__:
        return facts.__dict__[_CACHE]
    columns: list[Floats] = []
    for values in facts.siblings.values():
        with np.errstate(invalid="ignore", divide="ignore"):
            other = np.where(values > 0, np.log10(np.where(values > 0, values, 1.0)), np.nan)
        if np.isfinite(other).mean() > 0.8 and np.nanstd(other) > 1e-9:
            columns.append(other)
    found: Floats | None = None
    if columns:
        design = np.stack([*columns, np.ones(len(logs))], axis=1)
        known = ~facts.inside[1] & np.isfinite(logs) & np.isfinite(design).all(axis=1)
        if known.sum() >= 8 + len(columns):
            weights, *_ = np.linalg.lstsq(design[known], logs[known], rcond=None)
            rest = logs - design @ weights
            if float(rest[known].std()) < 0.6 * float(logs[known].std()):
                found = rest
    facts.__dict__[_CACHE] = found
    return found


def outlier(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """One row that carries most of the change and lies far from all others."""
    change = facts.change
    few = min(int(i.sum()) for i in facts.inside) < 30
    if facts.counts_rows or facts.counts_units or facts.stacked or not facts.plain_rows or not change or few:
        return []
    if facts.panel and min(facts.dates) < 20:
        return []
    for side in (1, 0):
        at = np.flatnonzero(facts.inside[side])
        row = int(at[np.argmax(np.abs(facts.num[at] - np.median(facts.num[at])))])
        rest = np.abs(np.concatenate([facts.num[at[at != row]], facts.num[facts.inside[1 - side]]]))
        alone = np.zeros(len(facts.num), dtype=bool)
        alone[row] = True
        effect = (facts.value(side) - facts.value(side, ~alone)) * (1.0 if side else -1.0)
        largest, size = float(rest.max()), abs(float(facts.num[row]))
        matters = abs(effect) >= _OUTLIER_PART * abs(facts.value(0))
        if matters and effect / change > 0.45 and size > 1.7 * largest and size > 8 * float(rest.mean()):
            place = {name: facts.axes[name].labels[facts.axes[name].codes[row]] for name in dimensions[:4]}
            return [
                Story(
                    kind="outlier",
                    fault="outlier",
                    effect=effect,
                    side=side,
                    before=largest,
                    after=float(facts.num[row]),
                    since=int(facts.day[row]),
                    note=", ".join(f"{name} = {value}" for name, value in place.items()),
                )
            ]
    return []


def holder(facts: Facts, dimensions: tuple[str, ...], hit: Mask, side: int, order: int = 2) -> Segment:
    """The smallest segment that holds nearly all marked rows of a period, if it is clearly smaller than the whole."""
    inside = facts.inside[side]
    total = float(facts.rows[hit & inside].sum())
    best: tuple[Segment, float] = ({}, float(facts.rows[inside].sum()))
    frontier: list[tuple[Segment, Mask]] = [({}, inside)]
    for _ in range(order):
        grown: list[tuple[Segment, Mask]] = []
        for segment, rows in frontier:
            for name in dimensions:
                if name in segment or not (hit & rows).any():
                    continue
                axis = facts.axes[name]
                counts = np.bincount(axis.codes[hit & rows], facts.rows[hit & rows], len(axis.labels))
                code = int(np.argmax(counts))
                mask = rows & (axis.codes == code)
                holds = float(facts.rows[hit & mask].sum()) >= 0.95 * total
                if holds and facts.rows[mask].sum() < 0.8 * facts.rows[rows].sum():
                    grown.append(({**segment, name: axis.labels[code]}, mask))
        grown.sort(key=lambda one: (float(facts.rows[one[1]].sum()), sorted(one[0].items())))
        frontier = grown[:3]
        for segment, mask in frontier:
            size = float(facts.rows[mask].sum())
            if size < 0.8 * best[1]:
                best = (segment, size)
    return best[0]


def negative_sign(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Values below zero that the baseline hardly had: refunds or a flipped sign."""
    if facts.counts_rows or facts.counts_units or facts.stacked:
        return []
    low = facts.num < 0
    rows = [float(facts.rows[i].sum()) for i in facts.inside]
    share = [float(facts.rows[low & i].sum()) / max(n, 1.0) for i, n in zip(facts.inside, rows, strict=True)]
    gap = share[1] - share[0]
    if share[0] > 0.2 or gap < 0.005 or gap * rows[1] < 8 or share[1] < 4 * share[0]:
        return []
    marked = low & facts.inside[1]
    segment = holder(facts, dimensions, low, 1, 3)
    effect = facts.value(1) - facts.value(1, ~marked)
    if _is_flipped(facts, segment, marked):
        per = facts.rescale[1] if facts.how == "sum" else 1.0 / max(float(facts.den[facts.inside[1]].sum()), 1e-300)
        effect = 2.0 * float(facts.num[marked].sum()) * per
    return [
        Story(
            kind="data_fault",
            fault="negative_sign",
            segment=segment,
            effect=effect,
            count=float(facts.rows[marked].sum()),
            other_count=float(facts.rows[low & facts.inside[0]].sum()),
            since=int(facts.day[marked].min()),
            until=int(facts.day[marked].max()),
        )
    ]


def _is_flipped(facts: Facts, segment: Segment, marked: Mask) -> bool:
    """Whether rows below zero stand in place of others, and do not come on top of as many as there usually are."""
    mask = facts.mask(segment)
    first, last = int(facts.day[marked].min()), int(facts.day[marked].max())
    inside = mask & (facts.day >= first) & (facts.day <= last)
    usual = float(facts.rows[facts.inside[0] & mask].sum()) / facts.days[0] * (last - first + 1)
    there, low = float(facts.rows[inside].sum()), float(facts.rows[marked & mask].sum())
    return abs(there - usual) < abs(there - low - usual)


def nulls(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Rows that lost their value, or a dimension that lost its values, in one period."""
    found: list[Story] = []
    rows = [float(facts.rows[i].sum()) for i in facts.inside]
    share = [float(facts.empty[i].sum()) / max(n, 1.0) for i, n in zip(facts.inside, rows, strict=True)]
    for side in (1, 0):
        gap = share[side] - share[1 - side]
        if gap <= 0.03 or gap * rows[side] < 10 or facts.stacked:
            continue
        segment = holder(facts, dimensions, facts.empty > 0, side, 1)
        filled = facts.inside[1 - side] & facts.mask(segment) & (facts.empty == 0)
        each = float(facts.num[filled].sum() / max(facts.rows[filled].sum(), 1.0))
        hit = facts.inside[side] & (facts.empty > 0)
        found.append(
            Story(
                kind="data_fault",
                fault="nulls",
                segment=segment,
                effect=(-1.0 if side else 1.0) * gap * rows[side] * each * facts.rescale[side]
                if facts.how == "sum"
                else None,
                side=side,
                before=share[1 - side],
                after=share[side],
                count=float(facts.empty[facts.inside[side]].sum()),
                since=int(facts.day[hit].min()),
                until=int(facts.day[hit].max()),
            )
        )
    broken = {join.table for join in facts.joins if not join.matched[facts.inside[1]].all()}
    for name in dimensions:
        axis = facts.axes[name]
        code = axis.code("(none)")
        if code < 0 or facts.panel or facts.sources.get(name) in broken:
            continue
        none = axis.codes == code
        part = [float(facts.rows[none & i].sum()) / max(n, 1.0) for i, n in zip(facts.inside, rows, strict=True)]
        if part[0] < 0.002 and part[1] > 0.03:
            hit = none & facts.inside[1]
            found.append(
                Story(
                    kind="data_fault",
                    fault="nulls",
                    segment={name: "(none)"},
                    effect=0.0,
                    structural=True,
                    column=name,
                    before=part[0],
                    after=part[1],
                    count=float(facts.rows[hit].sum()),
                    since=int(facts.day[hit].min()),
                    until=int(facts.day[hit].max()),
                )
            )
    return found
