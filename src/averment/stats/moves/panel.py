"""Causes in a panel: rows are no sample there, so an entity is compared with how it moves at other times."""

from __future__ import annotations

import numpy as np

from averment.stats.moves.facts import OTHER, Facts, Floats, Mask
from averment.stats.moves.split import ChangeParts, split, sums_of
from averment.stats.moves.story import Story

LEAST_PAST = 5
_CLEAR = 3.5
_QUIET_MOVE = 0.03
_STILL_PART = 0.1
_SLIGHT, _LARGE, _HALF = 1.4, 0.1, 0.5
_WENT_OVER = 0.02


def moves_elsewhere(facts: Facts, mask: Mask | None) -> Floats:
    """The changes over the same span and distance at other times; none of them touches the comparison."""
    chosen = np.ones(len(facts.day), dtype=bool) if mask is None else mask
    stamps, at = np.unique(facts.day[chosen], return_inverse=True)
    top = np.bincount(at, facts.num[chosen], len(stamps))
    if facts.how == "ratio":
        bottom = np.bincount(at, facts.den[chosen], len(stamps))
        line = np.divide(top, bottom, out=np.full(len(top), np.nan), where=bottom != 0)
    else:
        line = top
    before, after = max(facts.dates[0], 1), max(facts.dates[1], 1)
    away = max(round((facts.periods[1][0] - facts.periods[0][0]) / max(facts.step, 1.0)), 1)
    averaged = facts.how == "ratio" or facts.level
    found: list[float] = []
    for start in range(len(line) - away - after + 1):
        touches = stamps[start + away + after - 1] >= facts.periods[1][0] and stamps[start] <= facts.periods[1][1]
        if touches:
            continue
        one, two = line[start : start + before], line[start + away : start + away + after]
        found.append(float(two.mean() - one.mean()) if averaged else float(two.sum() - one.sum()))
    kept = np.array(found)
    return kept[np.isfinite(kept)]


def usual_moves(facts: Facts, mask: Mask | None) -> float:
    """The usual size of such a change; zero where there is too little past to tell."""
    past = moves_elsewhere(facts, mask)
    return _scatter(past) if len(past) >= LEAST_PAST else 0.0


def _scatter(past: Floats) -> float:
    middle = float(np.median(past))
    return max(1.4826 * float(np.median(np.abs(past - middle))), 0.25 * float(past.std()), 1e-300)


class _Row:
    def __init__(self, facts: Facts, name: str, value: str, whole: object) -> None:
        mask = facts.mask({name: value})
        self.value = value
        self.parts: ChangeParts = split(facts, sums_of(facts, mask), whole)  # pyright: ignore[reportArgumentType]
        there = self.parts.before is not None and self.parts.after is not None
        self.effect = self.parts.rate if facts.how == "ratio" and there else self.parts.change
        past = moves_elsewhere(facts, mask)
        if facts.how == "ratio" and len(past):
            past = past * (self.parts.weight[0] + self.parts.weight[1]) / 2
        self.z: float | None = None
        if len(past) >= LEAST_PAST:
            self.z = (self.effect - float(np.median(past))) / _scatter(past)
        self.t = _between_dates(facts, mask)
        before, after = self.parts.before, self.parts.after
        self.relative = abs(after / before - 1.0) if before and after is not None else float("inf")


def panel_stories(facts: Facts, dimensions: tuple[str, ...], most: int = 3) -> list[Story]:
    """The entities that carry the change, each beyond an even part of it and beyond its own usual moves."""
    change = facts.change
    if not change:
        return []
    chosen = _sharpest(facts, dimensions)
    if chosen is None:
        return []
    name, rows = chosen
    gross = sum(abs(row.effect) for row in rows)
    quiet = _is_quiet(facts)
    counted = _counts(facts)
    fair = 1.0 / len(rows)
    found: list[Story] = []
    for row in sorted(rows, key=lambda one: (-abs(one.effect), one.value)):
        share, parts = row.effect / change, row.parts
        if row.value == OTHER:
            continue
        if share < 0 and abs(share) < 0.35:
            continue
        if share > 0 and (share < 0.1 or abs(row.effect) / gross < 1.2 * fair):
            continue
        if quiet and (row.z is None or abs(row.z) < _CLEAR or abs(share) < 0.3 or row.relative < _QUIET_MOVE):
            continue
        if not _beyond(facts, row, share, len(rows)):
            continue
        if counted and row.effect**2 < 6 * ((parts.before or 0.0) + (parts.after or 0.0)):
            continue
        if parts.before and parts.after is not None and abs(parts.after - parts.before) < 0.005 * abs(parts.before):
            continue
        segment, parts, effect = _narrowed(facts, dimensions, {name: row.value}, parts, row.effect)
        gone = min(parts.rows) == 0
        found.append(
            Story(
                kind="new_or_gone" if gone else "rate" if facts.how == "ratio" else "segment",
                segment=segment,
                effect=effect,
                before=parts.before,
                after=parts.after,
                z=row.z,
            )
        )
        if len(found) == most:
            break
    found.sort(key=lambda s: ((s.effect or 0.0) * change < 0, -abs(s.effect or 0.0)))
    return found


def _narrowed(
    facts: Facts, dimensions: tuple[str, ...], segment: dict[str, str], parts: ChangeParts, effect: float
) -> tuple[dict[str, str], ChangeParts, float]:
    """The part of a segment that carries its whole move, where the rest of it stands still."""
    if facts.how == "ratio":
        return segment, parts, effect
    own = facts.mask(segment)
    whole = sums_of(facts)
    for name in dimensions:
        if name in segment:
            continue
        axis = facts.axes[name]
        for code in np.unique(axis.codes[facts.both & own]):
            if axis.labels[code] == OTHER:
                continue
            inner = own & (axis.codes == code)
            rest = own & ~inner
            if not (facts.inside[0] & rest).any():
                continue
            mine = split(facts, sums_of(facts, inner), whole)
            left = split(facts, sums_of(facts, rest), whole)
            still = abs(left.change) <= max(_STILL_PART * abs(effect), 1.5 * usual_moves(facts, rest))
            small = (mine.before or 0.0) <= 0.8 * (parts.before or 0.0)
            if still and small and mine.change / effect >= 1.0 - 2 * _STILL_PART:
                return {**segment, name: axis.labels[code]}, mine, mine.change
    return segment, parts, effect


def _beyond(facts: Facts, row: _Row, share: float, entities: int) -> bool:
    """Whether an entity moved by more than it does at other times, or carries a large move of the whole."""
    if row.relative < 0.02:
        return False
    if row.z is None:
        if row.t is not None:
            return abs(row.t) >= 3.0 and row.relative >= 0.03
        return row.relative >= 0.05
    if row.z**2 >= 4.0 + 2.0 * float(np.log(entities)):
        return True
    usual = usual_moves(facts, None)
    large = abs(facts.change) >= 1.3 * usual and abs(facts.change) >= _LARGE * abs(facts.value(0))
    apart = row.t is None or abs(row.t) >= 2.0 or row.relative >= _HALF
    return large and share >= _HALF and abs(row.z) >= _SLIGHT and apart


def _between_dates(facts: Facts, mask: Mask) -> float | None:
    """Welch's t of an entity's dates; None where a period has fewer than two."""
    sides: list[Floats] = []
    for inside in facts.inside:
        chosen = inside & mask
        stamps, at = np.unique(facts.day[chosen], return_inverse=True)
        if len(stamps) < 2:
            return None
        top = np.bincount(at, facts.num[chosen]).astype(np.float64)
        if facts.how == "ratio":
            bottom = np.bincount(at, facts.den[chosen])
            top = np.divide(top, bottom, out=np.zeros(len(top)), where=bottom != 0)
        sides.append(np.asarray(top, dtype=np.float64))
    error = sum(float(side.var(ddof=1)) / len(side) for side in sides) ** 0.5
    moved = float(sides[1].mean() - sides[0].mean())
    return moved / error if error > 0 else (float("inf") if moved else 0.0)


def _sharpest(facts: Facts, dimensions: tuple[str, ...]) -> tuple[str, list[_Row]] | None:
    """The dimension in which the change is most concentrated, beside an even split over its values."""
    best: tuple[float, str, list[_Row]] | None = None
    whole = sums_of(facts)
    for name in dimensions:
        if _is_changed_by(facts, name):
            continue
        total = total_value(facts, name)
        axis = facts.axes[name]
        present = {axis.labels[code] for code in np.unique(axis.codes[facts.both])}
        rows = [_Row(facts, name, value, whole) for value in sorted(present) if value != total]
        if len(rows) < 2:
            continue
        gross = sum(abs(row.effect) for row in rows)
        lead = max((row.effect * np.sign(facts.change) for row in rows if row.value != OTHER), default=0.0)
        focus = abs(lead) / gross * len(rows) ** 0.5 if gross else 0.0
        if best is None or focus > best[0]:
            best = (focus, name, rows)
    return None if best is None else (best[1], best[2])


def _is_changed_by(facts: Facts, name: str) -> bool:
    """Whether entities changed their value of a dimension: its values then move because entities went over."""
    if name in (facts.entity or ()):
        return False
    key, codes = facts.entity_codes, facts.axes[name].codes
    last = [dict(zip(key[inside].tolist(), codes[inside].tolist(), strict=True)) for inside in facts.inside]
    both = last[0].keys() & last[1].keys()
    return sum(last[0][one] != last[1][one] for one in both) > _WENT_OVER * len(both)


def _is_quiet(facts: Facts) -> bool:
    """Whether the whole moved no more than it does at other times."""
    usual = usual_moves(facts, None)
    if abs(facts.change) < usual and abs(facts.change) < 0.1 * abs(facts.value(0)):
        return True
    return _counts(facts) and abs(facts.change) < 2 * float(facts.num[facts.both].sum()) ** 0.5


def _counts(facts: Facts) -> bool:
    """Whether the numbers are counts of things, which scatter by counting alone."""
    inside = facts.num[facts.both]
    return facts.how == "sum" and not facts.level and bool((inside >= 0).all()) and bool((inside % 1 == 0).all())


def total_value(facts: Facts, name: str) -> str | None:
    """The value of a dimension that is the sum of all others on nearly every date."""
    axis = facts.axes[name]
    if facts.how != "sum" or not 3 <= len(axis.labels) <= 200:
        return None
    at = np.searchsorted(facts.stamps, facts.day)
    wide = np.zeros((len(facts.stamps), len(axis.labels)))
    np.add.at(wide, (at, axis.codes), facts.num)
    whole = wide.sum(axis=1)
    for code, label in enumerate(axis.labels):
        fits = np.abs(2 * wide[:, code] - whole) <= 0.01 * np.abs(whole)
        if fits[whole != 0].mean() > 0.9 if (whole != 0).any() else False:
            return label
    return None
