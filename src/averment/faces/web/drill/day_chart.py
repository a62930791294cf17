"""A metric day by day as a picture with two periods on it, and periods that are worth a first look."""

from __future__ import annotations

import math
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

WIDTH, HEIGHT = 1000, 220
TICKS = 5
PAIRS = ((7, "the last week against the one before"), (28, "the last four weeks against the four before"))

Period = tuple[date, date]


@dataclass(frozen=True)
class Band:
    """A period on the picture."""

    name: str
    x: float
    width: float


@dataclass(frozen=True)
class DayPicture:
    """The line of days in a box of 1000 by 220 that stretches with the page, and the words at its edges."""

    path: str
    area: str
    bands: tuple[Band, ...]
    dates: tuple[str, ...]
    values: tuple[str, ...]
    first: date
    last: date
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True)
class PeriodSuggestion:
    """Two periods under a name."""

    name: str
    baseline: Period
    comparison: Period

    @property
    def key(self) -> str:
        """The four days in one text, as a button sends them."""
        return ",".join(day.isoformat() for day in (*self.baseline, *self.comparison))


def draw_days(
    days: Sequence[tuple[date, float]], baseline: Period | None = None, comparison: Period | None = None
) -> DayPicture:
    """The days as a line; a period is drawn as far as it lies inside."""
    first, last = days[0][0], days[-1][0]
    span = max((last - first).days + 1, 1)
    low, high = _limits([value for _, value in days])
    points = [
        (
            round(WIDTH * ((day - first).days + 0.5) / span, 2),
            round(HEIGHT - HEIGHT * (value - low) / (high - low), 2),
        )
        for day, value in days
    ]
    path = "M" + "L".join(f"{x} {y}" for x, y in points)
    area = f"{path}L{points[-1][0]} {HEIGHT}L{points[0][0]} {HEIGHT}Z"
    bands = tuple(
        band
        for name, period in (("baseline", baseline), ("comparison", comparison))
        if period is not None and (band := _band(name, period, first, last, span)) is not None
    )
    steps = [first + timedelta(days=round((span - 1) * number / (TICKS - 1))) for number in range(TICKS)]
    dates = tuple(day.isoformat() for day in dict.fromkeys(steps))
    values = tuple(_compact(value) for value in (high, (high + low) / 2, low))
    return DayPicture(path, area, bands, dates, values, first, last)


def suggest(first: date, last: date) -> tuple[PeriodSuggestion, ...]:
    """Pairs of periods that lie inside the data, the later one last."""
    found: list[PeriodSuggestion] = []
    for length, name in PAIRS:
        later = (last - timedelta(days=length - 1), last)
        before = (later[0] - timedelta(days=length), later[0] - timedelta(days=1))
        if before[0] >= first:
            found.append(PeriodSuggestion(name, before, later))
    month = _whole_month(last)
    before = _whole_month(month[0] - timedelta(days=1))
    if before[0] >= first and all(one.comparison != month for one in found):
        found.append(PeriodSuggestion(f"{month[0]:%B} against {before[0]:%B}", before, month))
    half = (last - first).days + 1
    if half >= 4 and all(one.baseline[0] != first for one in found):
        middle = first + timedelta(days=half // 2)
        before = (first, middle - timedelta(days=1))
        found.append(PeriodSuggestion("the second half against the first", before, (middle, last)))
    return tuple(found)


def _whole_month(day: date) -> Period:
    """The last month that is over by that day."""
    if day.day != monthrange(day.year, day.month)[1]:
        day = day.replace(day=1) - timedelta(days=1)
    return day.replace(day=1), day


def _band(name: str, period: Period, first: date, last: date, span: int) -> Band | None:
    start, end = max(period[0], first), min(period[1], last)
    if end < start:
        return None
    return Band(name, round(WIDTH * (start - first).days / span, 2), round(WIDTH * ((end - start).days + 1) / span, 2))


def _limits(values: Sequence[float]) -> tuple[float, float]:
    """The range of the axis: down to zero where that costs no more than half of the picture."""
    low, high = min(values), max(values)
    if low == high:
        return (min(low, 0.0), max(high, 0.0)) if low else (-1.0, 1.0)
    if low >= 0 and low < high / 2:
        return 0.0, high
    room = (high - low) * 0.08
    return low - room, high + room


def _compact(value: float) -> str:
    """A value at an axis: three digits and a letter."""
    if not math.isfinite(value):
        return ""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:.3g}{letter}"
    return f"{value:.3g}"
