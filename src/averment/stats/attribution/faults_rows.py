"""Rows that are not there, are there twice, or have not yet come: for the whole and for each segment."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from averment.stats.attribution.facts import NONE, OTHER, Facts, Mask, Segment
from averment.stats.attribution.story import Story

_LATE_DAYS = 7
_LATE = 0.72
_NATURAL = 0.005
"""Where so few rows are alike by chance, repeats are no chance."""


def values_of(facts: Facts, dimensions: tuple[str, ...], least: float = 8.0) -> Iterator[Segment]:
    """Every value of every dimension that has so many rows in the two periods, the most frequent first."""
    for name in dimensions:
        axis = facts.axes[name]
        rows = np.bincount(axis.codes[facts.both], facts.rows[facts.both], len(axis.labels))
        for code in np.argsort(-rows, kind="stable")[:80]:
            if rows[code] >= least and axis.labels[code] not in (NONE, OTHER):
                yield {name: axis.labels[code]}


def empty_runs(first: int, last: int, present: set[int]) -> list[tuple[int, int]]:
    """Runs of days without rows: the first day and the length of each."""
    found: list[tuple[int, int]] = []
    for day in range(first, last + 1):
        if day in present:
            continue
        if found and found[-1][0] + found[-1][1] == day:
            found[-1] = (found[-1][0], found[-1][1] + 1)
        else:
            found.append((day, 1))
    return found


def missing_rows(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Days without rows where rows were to be expected, for the whole, then for the segment that lost most."""
    if facts.panel:
        return _missing_in_panel(facts, dimensions)
    if facts.step > 2 or facts.counts_units:
        return []
    found: list[Story] = []
    for side in (1, 0):
        found += _missing_days(facts, dimensions, side)
    return found


def _missing_days(facts: Facts, dimensions: tuple[str, ...], side: int) -> list[Story]:
    first, last = facts.periods[side]
    sign = -1.0 if side else 1.0
    everything = np.ones(len(facts.day), dtype=bool)
    present = {int(day) for day in np.unique(facts.day[facts.inside[side]])}
    holes = [run for run in empty_runs(first, last, present) if _too_long(facts, 1 - side, everything, run[1])]
    closed = _closed_weekdays(facts)
    holes = [(day, length) for day, length in holes if any((d - 1) % 7 not in closed for d in range(day, day + length))]
    hidden = {day for start, length in holes for day in range(start, start + length)}
    found: list[Story] = []
    if holes and facts.how == "sum":
        lost = len(hidden)
        effect = sign * facts.value(side) / max(facts.days[side] - lost, 1) * lost
        found.append(
            Story(
                kind="data_fault",
                fault="missing_rows",
                effect=effect,
                side=side,
                count=float(lost),
                other_count=float(facts.days[side]),
                since=holes[0][0],
                until=holes[-1][0] + holes[-1][1] - 1,
                note="ends" if holes[-1][0] + holes[-1][1] > last and facts.last <= last and side else "",
            )
        )
    best: tuple[float, Story] | None = None
    for segment in values_of(facts, dimensions):
        story = _missing_in_segment(facts, segment, side, hidden)
        if story is not None and (best is None or (story.other_count or 0.0) > best[0]):
            best = (story.other_count or 0.0, story)
    return [*found, best[1]] if best else found


def _closed_weekdays(facts: Facts) -> set[int]:
    """Weekdays on which there are hardly ever rows."""
    stamps = facts.stamps
    weeks = max((facts.last - facts.first) / 7, 1.0)
    return {d for d in range(7) if ((stamps - 1) % 7 == d).sum() < 0.15 * weeks}


def _missing_in_segment(facts: Facts, segment: Segment, side: int, hidden: set[int]) -> Story | None:
    first, last = facts.periods[side]
    other = 1 - side
    mask = facts.mask(segment)
    rate = float(facts.rows[facts.inside[other] & mask].sum()) / facts.days[other]
    if rate < 1.0:
        return None
    own = facts.inside[side] & mask
    present = {int(day) for day in np.unique(facts.day[own])}
    if not present:
        return None
    end = int(facts.day[mask].max())
    best: Story | None = None
    for start, length in empty_runs(first, last, present | hidden):
        stays_away = start + length > last and side == 1 and end <= last
        if stays_away or (side == 0 and start == first):
            continue
        usual = float(facts.rows[own].sum()) / max(facts.days[side] - length, 1)
        if usual * length < 12 or rate * length <= 12 or not _too_long(facts, other, mask, length):
            continue
        if best is not None and rate * length <= (best.other_count or 0.0):
            continue
        best = Story(
            kind="data_fault",
            fault="missing_rows",
            segment=segment,
            effect=_lost(facts, mask, side, length),
            side=side,
            count=float(length),
            other_count=rate * length,
            since=start,
            until=start + length - 1,
        )
    return best


def stays_away(facts: Facts, mask: Mask) -> int | None:
    """The day since which a segment has no rows up to the end of the comparison, where so long a gap is no chance."""
    own = facts.inside[1] & mask
    if facts.panel or facts.step > 2 or not own.any():
        return None
    last = min(facts.periods[1][1], facts.last)
    since = int(facts.day[own].max()) + 1
    later = mask & (facts.day > facts.periods[1][1])
    length = last - since + 1
    if length < 3 or later.any() or not _too_long(facts, 0, mask, length):
        return None
    return since


def _lost(facts: Facts, mask: Mask, side: int, length: int) -> float | None:
    """What the metric lost by days on which a segment has no rows."""
    other = 1 - side
    sign = -1.0 if side else 1.0
    if facts.how == "sum":
        return sign * facts.value(other, mask) / facts.days[other] * length
    weight = float(facts.den[facts.inside[other] & mask].sum()) / facts.days[other] * length
    total = float(facts.den[facts.inside[side]].sum()) + weight
    effect = sign * weight / max(total, 1e-300) * (facts.value(other, mask) - facts.value(other))
    return effect if np.isfinite(effect) else None


def _too_long(facts: Facts, other: int, mask: Mask, length: int) -> bool:
    """Whether a run of empty days is beyond what the other period's rows and its own empty days make likely."""
    first, last = facts.periods[other]
    rows = facts.inside[other] & mask
    if not rows.any():
        return False
    daily = np.bincount(facts.day[rows] - first, facts.rows[rows], last - first + 1)
    days = len(daily)
    everything = bool(mask.all())
    if days >= 7 and daily.min() >= (6 if length > 1 else 12):
        return True  # never near empty before: one empty day is enough
    if days >= 14 and length >= 3 and daily.min() >= 2 and float(daily.mean()) * length >= 20:
        return True
    busy = min(float((daily > 0).mean()), 0.98)
    longest = max((run[1] for run in empty_runs(0, days - 1, {int(d) for d in np.flatnonzero(daily)})), default=0)
    rare = 1e-4 if everything else 1e-7
    much = float(daily.sum()) / days * length > (12 if everything else 20)
    return much and (1 - busy) ** length < rare and length > (2 if everything else 3) * longest


def _missing_in_panel(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    stamps = [np.unique(facts.day[facts.inside[k]]) for k in (0, 1)]
    lack = round((facts.periods[1][1] - facts.last) / max(facts.step, 1.0) - 0.99)
    short = facts.dates[0] > facts.dates[1] and facts.frequency in ("day", "week", "month")
    if facts.how == "sum" and not facts.level and lack >= 1 and len(stamps[1]) and short:
        effect = -facts.value(1) / len(stamps[1]) * lack
        return [
            Story(
                kind="data_fault",
                fault="missing_rows",
                effect=effect,
                count=float(lack),
                other_count=float(facts.dates[0]),
                since=facts.last + 1,
                until=facts.periods[1][1],
                note="ends",
            )
        ]
    found: list[Story] = []
    for name in facts.entity or ():
        if name not in dimensions:
            continue
        for value in facts.axes[name].labels:
            story = _absent(facts, {name: value}, stamps)
            if story is not None:
                found.append(story)
    found.sort(key=lambda story: -abs(story.effect or 0.0))
    return found[:1]


def _absent(facts: Facts, segment: Segment, stamps: list[np.ndarray]) -> Story | None:
    """Dates of one period on which an entity has no rows, though it has on all others."""
    mask = facts.mask(segment)
    seen = np.unique(facts.day[mask])
    for side in (1, 0):
        other = 1 - side
        lack = stamps[side][~np.isin(stamps[side], seen)]
        rest = facts.stamps[~np.isin(facts.stamps, stamps[side])]
        if not len(lack) or not len(stamps[other]):
            continue
        kept = float(np.isin(stamps[other], seen).mean())
        usual = float(np.isin(rest, seen).mean()) if len(rest) else kept
        if kept <= 0.95 or usual <= 0.95:
            continue
        returns = bool((seen > lack[-1]).any())
        if len(lack) == len(stamps[side]) and not returns and not facts.level:
            continue  # it is gone, not missing
        sign = -1.0 if side else 1.0
        each = float(facts.num[facts.inside[other] & mask].sum()) / len(stamps[other])
        if facts.how == "sum":
            effect = sign * each * len(lack) * (1.0 / len(stamps[side]) if facts.level else 1.0)
        else:
            effect = sign * (facts.value(other) - facts.value(other, ~mask))
        return Story(
            kind="data_fault",
            fault="missing_rows",
            segment=segment,
            effect=effect,
            side=side,
            count=float(len(lack)),
            other_count=float(len(stamps[side])),
            since=int(lack[0]),
            until=int(lack[-1]),
        )
    return None


def late_rows(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """The last days of the comparison are far below their weekday, the data end there, and before it was as usual."""
    last = facts.periods[1][1]
    if facts.panel or facts.frequency != "day" or last < facts.last or facts.days[1] < 8 or facts.counts_units:
        return []
    first = min(facts.periods[0][0], facts.periods[1][0])
    inside = (facts.day >= first) & (facts.day <= last)
    daily = np.bincount(facts.day[inside] - first, facts.rows[inside], last - first + 1)
    weekday = (np.arange(first, last + 1) - 1) % 7
    early = daily[:-_LATE_DAYS]
    usual = np.array([_median(early[weekday[:-_LATE_DAYS] == d]) for d in range(7)])
    if np.median(usual) < 8:
        return []
    wanted = usual[weekday]
    tail = 0
    while tail < _LATE_DAYS and daily[-1 - tail] < _LATE * wanted[-1 - tail]:
        tail += 1
    if not tail or tail > 5:
        return []
    deficit = float((wanted - daily)[-tail:].sum())
    expected = float(wanted[-tail:].sum())
    ahead = daily[-tail - 4 : -tail] / np.maximum(wanted[-tail - 4 : -tail], 1e-9)
    if ahead.mean() < 0.82:
        return []  # it was low before as well: a step, not late rows
    shares = early / np.maximum(wanted[:-_LATE_DAYS], 1e-9)
    scatter = max(1.0, float(shares.std()) ** 2 * float(usual.mean()))
    if deficit < 5 * (expected * scatter) ** 0.5 or (tail == 1 and daily[-1] > 0.5 * usual.mean()):
        return []
    each = float(facts.num[facts.both].sum() / max(facts.rows[facts.both].sum(), 1.0))
    return [
        Story(
            kind="data_fault",
            fault="late_rows",
            effect=-deficit * each if facts.how == "sum" else None,
            count=float(tail),
            factor=1 - deficit / expected,
            since=last - tail + 1,
            until=last,
        )
    ]


def duplicates(facts: Facts, dimensions: tuple[str, ...]) -> list[Story]:
    """Rows that are there more than once in one period and hardly in the other."""
    if facts.repeats is None or facts.stacked:
        return []
    rows = [float(facts.rows[i].sum()) for i in facts.inside]
    # Rows that the metric's own condition leaves out are read beside the others, and do not count.
    repeats = np.minimum(facts.repeats, facts.rows)
    share = [float(repeats[i].sum()) / max(n, 1.0) for i, n in zip(facts.inside, rows, strict=True)]
    for side in (1, 0):
        gap = share[side] - share[1 - side]
        error = sum(s * (1 - s) / max(n, 1.0) for s, n in zip(share, rows, strict=True)) ** 0.5
        if gap <= 0.01 or gap < 5 * (error + 1e-9) or gap * rows[side] < 8:
            continue
        by_chance = share[1 - side] > _NATURAL or not facts.exact_repeats
        if by_chance and not _on_some_days(facts, side):
            continue  # rows that happen to be alike, more of them in a busier or plainer period
        again = facts.inside[side] & (repeats > 0)
        part = np.where(again, repeats / np.maximum(facts.rows, 1.0), 0.0)
        inside = facts.inside[side]
        top = float((facts.num * (1 - part))[inside].sum())
        if facts.how == "sum":
            without = top * facts.rescale[side]
        else:
            without = top / max(float((facts.den * (1 - part))[inside].sum()), 1e-300)
        effect = (facts.value(side) - without) * (1.0 if side else -1.0) * gap / share[side]
        return [
            Story(
                kind="data_fault",
                fault="duplicates",
                effect=effect,
                side=side,
                count=float(repeats[inside].sum()),
                factor=share[side],
                since=int(facts.day[again].min()),
                until=int(facts.day[again].max()),
            )
        ]
    return []


def _on_some_days(facts: Facts, side: int) -> bool:
    """Whether the repeats of a period fall on some of its days, as those of a double load do."""
    if facts.repeats is None:
        return False
    first, last = facts.periods[side]
    inside = facts.inside[side]
    at, length = facts.day[inside] - first, last - first + 1
    repeats = np.minimum(facts.repeats, facts.rows)
    again, rows = np.bincount(at, repeats[inside], length), np.bincount(at, facts.rows[inside], length)
    share = again / np.maximum(rows, 1.0)
    usual = float(np.median(share))
    struck = share > max(0.3, 3 * usual)
    excess = np.maximum(again - usual * rows, 0.0)
    return bool(struck.any()) and float(excess[struck].sum()) >= 0.7 * float(excess.sum())


def _median(values: np.ndarray) -> float:
    return float(np.median(values)) if len(values) else 0.0
