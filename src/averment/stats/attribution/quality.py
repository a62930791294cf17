"""Faults of the data that look like a change: tested on the daily series before any segment is blamed.

Missing days, days loaded twice, surges of nulls, changes of unit, and a period whose last days have not fully arrived.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Literal

import numpy as np

from averment.stats.attribution.calendar import DailySeries, DaySpan
from averment.stats.attribution.cube import Floats
from averment.stats.attribution.verdict import Fault, FaultKind

PeriodName = Literal["baseline", "comparison"]

UNITS = (100.0, 1000.0)
"""Factors between units that get mixed up: cents for units, units for thousands."""

_LEAST_ROWS = 20.0
_LATE_DAYS = 3


@dataclass(frozen=True, kw_only=True)
class _PeriodDays:
    """A period day by day: what came, and what its weekday usually brings in either period."""

    name: PeriodName
    days: tuple[date, ...]
    rows: Floats
    usual: Floats
    spread: float


def find_faults(
    series: DailySeries, baseline: DaySpan, comparison: DaySpan, *, distinct: Sequence[float] | None = None
) -> tuple[Fault, ...]:
    """Every fault found in the two periods, in a fixed order.

    ``distinct`` counts the distinct rows of each day of the series; with it, a double load is seen, not inferred.
    """
    found: list[Fault] = []
    if len(series.days) < 4:
        return ()
    periods: tuple[tuple[PeriodName, DaySpan], ...] = (("baseline", baseline), ("comparison", comparison))
    for name, period in periods:
        days = _lay_out(series, name, period, (baseline, comparison))
        late = _late(days)
        found.extend(_missing(days, excluded={day for fault in late for day in fault.days}))
        found.extend(late)
        found.extend(_doubled(days, series, distinct))
    found.extend(_null_surge(series, baseline, comparison))
    found.extend(_unit_change(series, baseline, comparison))
    return tuple(found)


def _lay_out(series: DailySeries, name: PeriodName, period: DaySpan, both: tuple[DaySpan, DaySpan]) -> _PeriodDays:
    numbers = series.numbers
    relevant = both[0].holds(numbers) | both[1].holds(numbers)
    rows = dict(zip((int(n) for n in numbers), (float(r) for r in series.rows), strict=True))
    inside = period.holds(numbers) & (series.rows > 0)
    level = float(np.median(series.rows[inside])) if inside.any() else 0.0
    weights = np.ones(7)
    overall = float(np.median(series.rows[relevant])) if relevant.any() else 0.0
    for weekday in range(7):
        same = relevant & ((numbers - 1) % 7 == weekday) & (series.rows > 0)
        # A weekday without rows in either period is closed, not missing.
        weights[weekday] = float(np.median(series.rows[same])) / overall if same.any() and overall > 0 else 0.0
    days = tuple(period.first + timedelta(days=offset) for offset in range(period.days))
    came = np.array([rows.get(day.toordinal(), 0.0) for day in days])
    usual = np.array([weights[(day.toordinal() - 1) % 7] for day in days])
    present = came > 0
    scale = float(np.median(came[present] / usual[present])) if present.any() else level
    usual = usual * scale
    off = np.abs(came[present] / usual[present] - 1.0) if present.any() else np.zeros(1)
    return _PeriodDays(name=name, days=days, rows=came, usual=usual, spread=1.4826 * float(np.median(off)))


def _missing(days: _PeriodDays, excluded: set[str]) -> list[Fault]:
    absent = [
        number
        for number, day in enumerate(days.days)
        if days.rows[number] == 0 and days.usual[number] >= _LEAST_ROWS and day.isoformat() not in excluded
    ]
    # A series with as many gaps as days is not daily; its gaps say nothing.
    if not absent or len(absent) * 2 >= len(days.days):
        return []
    factor = 1.0 - float(days.usual[absent].sum() / days.usual.sum())
    return [_fault("missing_days", days, absent, factor, "has no rows on {n} of its days where rows are usual")]


def _late(days: _PeriodDays) -> list[Fault]:
    """The last days of the comparison are short, each at least as short as the one before."""
    if days.name != "comparison" or len(days.days) < _LATE_DAYS + 2:
        return []
    share = days.rows / np.maximum(days.usual, 1e-9)
    bar = 1.0 - max(0.3, 5.0 * days.spread)
    last = len(share)
    while last > 0 and share[last - 1] < bar and days.usual[last - 1] >= _LEAST_ROWS:
        last -= 1
    short = list(range(last, len(share)))
    falling = all(share[later] <= share[earlier] for earlier, later in pairwise(short))
    if not short or len(short) > _LATE_DAYS or not falling:
        return []
    factor = 1.0 - float((days.usual - days.rows)[short].sum() / days.usual.sum())
    return [_fault("late_data", days, short, factor, "ends on {n} day(s) that have not fully arrived")]


def _doubled(days: _PeriodDays, series: DailySeries, distinct: Sequence[float] | None) -> list[Fault]:
    if distinct is not None:
        rows = dict(zip(series.days, zip(series.rows, distinct, strict=True), strict=True))
        copies = np.array([rows[day][0] / max(rows[day][1], 1.0) if day in rows else 1.0 for day in days.days])
        again = [n for n in range(len(copies)) if copies[n] >= 1.5 and days.rows[n] >= _LEAST_ROWS]
        excess = float(sum(days.rows[n] * (1.0 - 1.0 / copies[n]) for n in again))
    else:
        share = days.rows / np.maximum(days.usual, 1e-9)
        whole = np.round(share)
        # Isolated days at a whole multiple of the usual; a real rush seldom stops at exactly twice.
        tolerance = np.maximum(3.0 / np.sqrt(np.maximum(days.usual, 1.0)), 2.0 * days.spread)
        near = (whole >= 2) & (whole <= 4) & (np.abs(share / np.maximum(whole, 1) - 1.0) <= np.minimum(tolerance, 0.12))
        clear = (share - 1.0) > 8.0 * np.maximum(days.spread, 1.0 / np.sqrt(np.maximum(days.usual, 1.0)))
        again = [int(n) for n in np.flatnonzero(near & clear & (days.usual >= _LEAST_ROWS))]
        excess = float((days.rows - days.usual)[again].sum()) if again else 0.0
    if not again or len(again) * 3 > len(days.days):
        return []
    factor = float(days.rows.sum()) / max(float(days.rows.sum()) - excess, 1e-9)
    return [_fault("duplicated_load", days, again, factor, "holds {n} day(s) that look loaded more than once")]


def _null_surge(series: DailySeries, baseline: DaySpan, comparison: DaySpan) -> list[Fault]:
    numbers = series.numbers
    before, after = baseline.holds(numbers), comparison.holds(numbers)
    rows0, rows1 = float(series.rows[before].sum()), float(series.rows[after].sum())
    nulls0, nulls1 = float(series.nulls[before].sum()), float(series.nulls[after].sum())
    if min(rows0, rows1) < _LEAST_ROWS:
        return []
    share0, share1 = nulls0 / rows0, nulls1 / rows1
    pooled = (nulls0 + nulls1) / (rows0 + rows1)
    error = math.sqrt(max(pooled * (1.0 - pooled), 1e-12) * (1.0 / rows0 + 1.0 / rows1))
    if share1 - share0 < 0.05 or (share1 - share0) / error < 8.0:
        return []
    daily = series.nulls / np.maximum(series.rows, 1.0)
    surging = after & (daily > share0 + (share1 - share0) / 2.0)
    return [
        Fault(
            kind="null_surge",
            days=tuple(day.isoformat() for day, hit in zip(series.days, surging, strict=True) if hit),
            period="comparison",
            factor=(1.0 - share1) / max(1.0 - share0, 1e-9),
            sentence=f"The share of rows without a value rose from {share0:.1%} to {share1:.1%}.",
        )
    ]


def _unit_change(series: DailySeries, baseline: DaySpan, comparison: DaySpan) -> list[Fault]:
    numbers = series.numbers
    valued = series.rows - series.nulls
    usable = (valued > 0) & (series.totals > 0)
    before, after = baseline.holds(numbers) & usable, comparison.holds(numbers) & usable
    if before.sum() < 2 or not after.any():
        return []
    logs = np.log10(np.where(usable, series.totals / np.where(valued > 0, valued, 1.0), 1.0))
    centre = float(np.median(logs[before]))
    spread = 1.4826 * float(np.median(np.abs(logs[before] - centre)))
    found: list[Fault] = []
    for unit in UNITS:
        for factor in (unit, 1.0 / unit):
            step = math.log10(factor)
            hit = after & (np.abs(logs - centre - step) < max(0.12, 3.0 * spread)) & (abs(step) > 6.0 * spread)
            if hit.any():
                days = tuple(day.isoformat() for day, there in zip(series.days, hit, strict=True) if there)
                sentence = f"On {len(days)} day(s) the mean value is {factor:g} times the usual: a change of unit."
                found.append(
                    Fault(kind="unit_change", days=days, period="comparison", factor=factor, sentence=sentence)
                )
    return found


def _fault(kind: FaultKind, days: _PeriodDays, numbers: Sequence[int], factor: float, text: str) -> Fault:
    return Fault(
        kind=kind,
        days=tuple(days.days[number].isoformat() for number in numbers),
        period=days.name,
        factor=factor,
        sentence=f"The {days.name} period {text.format(n=len(numbers))}.",
    )
