"""The rows of a metric, and what a row is.

Every metric followed here is ``sum(num)`` or ``sum(num) / sum(den)`` over rows. Rows are events, or one row for each
entity and date (a panel); the number of a panel may be a level, which is averaged over its dates and never summed.
A cell stands for one row or, in large tables, for all rows of a day with the same values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]
Frequency = Literal["day", "week", "month", "quarter", "year"]
Segment = dict[str, str]

NONE, OTHER = "(none)", "(other)"
_STEPS: tuple[tuple[float, Frequency], ...] = ((4, "day"), (20, "week"), (60, "month"), (200, "quarter"))
_MOST_ENTITIES = 600
_LEAST_KEYS = 8
_STILL = 0.08
_SMOOTH = 0.5


@dataclass(frozen=True, kw_only=True)
class CodedAxis:
    """One dimension: a code for each cell, and the value of each code."""

    codes: Codes
    labels: tuple[str, ...]

    def code(self, label: str) -> int:
        """The code of a value; -1 when there is none."""
        return self.labels.index(label) if label in self.labels else -1


@dataclass(frozen=True, kw_only=True)
class JoinFact:
    """A join of the metric's rows: which of them found a partner, exactly and once case, blanks and zeros are gone."""

    table: str
    column: str
    matched: Mask
    loosely: Mask


@dataclass(kw_only=True)
class Facts:
    """All that is known of a metric's rows over both periods and the time around them."""

    day: Codes
    num: Floats
    den: Floats
    rows: Floats
    empty: Floats
    squares: Floats
    cross: Floats
    weights: Floats
    axes: dict[str, CodedAxis]
    how: Literal["sum", "ratio"]
    counts_rows: bool
    counts_units: bool = False
    per_day: bool = False
    """Whether the metric is a sum divided by its dates."""
    periods: tuple[tuple[int, int], tuple[int, int]]
    hour: Codes | None = None
    repeats: Floats | None = None
    exact_repeats: bool = True
    """Whether repeated rows are alike in every column, their key included."""
    joins: Sequence[JoinFact] = ()
    siblings: Mapping[str, Floats] = field(default_factory=dict[str, Floats])
    cluster: Codes | None = None
    key: Codes | None = None
    """A key that stands once on a date, where the table has one: accounts, sensors, and whatever is no dimension."""
    inputs: frozenset[str] = frozenset()
    """Names of columns that the metric's own text reads."""
    plain_rows: bool = True
    sources: Mapping[str, str] = field(default_factory=dict[str, str])
    """The table of each dimension."""
    times_matter: bool = False
    """Whether the metric's own text reads the time of day."""
    stacked: bool = False
    """Whether numerator and denominator come from different rows, of two tables with shared dimensions."""
    holidays: frozenset[int] = frozenset()
    """Public holidays of the data's span, where a country is set."""
    grouped: bool = False
    """Whether the sides are two groups of rows and no periods; each group is a day, and time tells nothing."""
    names: Sequence[str] = ()
    """Words of the metric's text, for what they say about its kind."""

    @cached_property
    def inside(self) -> tuple[Mask, Mask]:
        """The cells of the baseline and of the comparison."""
        (a, b), (c, d) = self.periods
        return (self.day >= a) & (self.day <= b), (self.day >= c) & (self.day <= d)

    @cached_property
    def both(self) -> Mask:
        """The cells of either period."""
        return self.inside[0] | self.inside[1]

    @cached_property
    def days(self) -> tuple[int, int]:
        """The length of each period in days."""
        return tuple(b - a + 1 for a, b in self.periods)  # pyright: ignore[reportReturnType] - there are two periods

    @cached_property
    def stamps(self) -> Codes:
        """Every day that has rows, in order."""
        return np.unique(self.day)

    @property
    def first(self) -> int:
        """The first day of the data."""
        return int(self.stamps[0])

    @property
    def last(self) -> int:
        """The last day of the data."""
        return int(self.stamps[-1])

    @cached_property
    def step(self) -> float:
        """The usual number of days from one date to the next."""
        gaps = np.diff(self.stamps)
        return float(np.median(gaps)) if len(gaps) else 1.0

    @cached_property
    def frequency(self) -> Frequency:
        """How often there are rows."""
        for bound, name in _STEPS:
            if self.step < bound:
                return name
        return "year"

    @cached_property
    def entity(self) -> tuple[str, ...] | None:
        """The dimensions that with the date name each row once; None when rows are events.

        It is () for a single series, and where a key that is no dimension names the entities.
        """
        count = len(self.day)
        if not self.plain_rows or self.stacked or self.counts_units or self.counts_rows or self.grouped or count < 4:
            return None
        span = max(1, round((self.last - self.first) / max(self.step, 1.0)) + 1)
        if len(self.stamps) >= 0.99 * count:
            return () if count >= 0.7 * span and not self.joins else None
        names = sorted(
            (n for n, axis in self.axes.items() if 2 <= len(axis.labels) <= _MOST_ENTITIES),
            key=lambda n: len(self.axes[n].labels),
        )
        date = np.searchsorted(self.stamps, self.day)
        for size in (1, 2, 3):
            for chosen in _choices(names, size):
                key = np.zeros(count, dtype=np.int64)
                for name in chosen:
                    key = key * len(self.axes[name].labels) + self.axes[name].codes
                entities = len(np.unique(key))
                cells = len(np.unique(key * len(self.stamps) + date))
                if _is_panel(count, entities, cells, len(self.stamps)):
                    return chosen
        return () if self._keyed(date) else None

    def _keyed(self, date: Codes) -> bool:
        """Whether a key that is no dimension makes one row for each entity and date."""
        if self.key is None:
            return False
        entities = len(np.unique(self.key))
        cells = len(np.unique(self.key * len(self.stamps) + date))
        return entities >= _LEAST_KEYS and _is_panel(len(self.day), entities, cells, len(self.stamps))

    @property
    def panel(self) -> bool:
        """Whether there is one row for each entity and date."""
        return self.entity is not None

    @cached_property
    def level(self) -> bool:
        """Whether the number is a stock: entities whose value hardly moves from date to date beside what it is."""
        if not self.panel or self.how != "sum" or self.frequency == "year" or len(self.stamps) < 6:
            return False
        if self.num.min() < 0:
            return False
        key = self.entity_codes
        order = np.lexsort((self.day, key))
        same = key[order][1:] == key[order][:-1]
        value = self.num[order]
        if same.sum() < 5:
            return False
        steps = np.abs(np.diff(value)[same]) / np.maximum(np.abs(value[:-1][same]), 1e-300)
        rough: list[float] = []
        for one in np.unique(key):
            mine = value[key[order] == one]
            if len(mine) >= 6 and mine.var() > 0:
                rough.append(float(np.diff(mine).var() / mine.var()))
        smooth = bool(rough) and float(np.median(rough)) < _SMOOTH
        return bool(np.median(steps) < _STILL) and smooth

    @property
    def averaged(self) -> bool:
        """Whether sums are averaged over their dates."""
        return self.per_day or self.level

    @cached_property
    def entity_codes(self) -> Codes:
        """One number for each entity of a panel."""
        if not self.entity and self.key is not None and self.panel:
            return self.key
        key = np.zeros(len(self.day), dtype=np.int64)
        for name in self.entity or ():
            key = key * len(self.axes[name].labels) + self.axes[name].codes
        return key

    @cached_property
    def dates(self) -> tuple[int, int]:
        """How many dates of each period have rows."""
        return len(np.unique(self.day[self.inside[0]])), len(np.unique(self.day[self.inside[1]]))

    @cached_property
    def rescale(self) -> tuple[float, float]:
        """What a sum of each period is multiplied by: a level is averaged over its dates."""
        if not self.averaged:
            return 1.0, 1.0
        return 1.0 / max(self.dates[0], 1), 1.0 / max(self.dates[1], 1)

    @cached_property
    def clumping(self) -> float:
        """How many rows come together (the lines of one order) where chance would bring one."""
        if self.cluster is None or self.panel:
            return 1.0
        size = np.bincount(self.cluster[self.both], weights=self.rows[self.both])
        size = size[size > 0]
        return float((size**2).sum() / size.sum()) if len(size) else 1.0

    @cached_property
    def change(self) -> float:
        """What the metric moved by."""
        return self.value(1) - self.value(0)

    def value(self, side: int, mask: Mask | None = None) -> float:
        """The metric in a period, of some rows or of all; not a number where it has no value."""
        inside = self.inside[side] if mask is None else self.inside[side] & mask
        top = float(self.num[inside].sum())
        if self.how == "sum":
            return top * self.rescale[side]
        bottom = float(self.den[inside].sum())
        return top / bottom if bottom else float("nan")

    def window(self, first: int, last: int, mask: Mask | None = None) -> float:
        """The metric in any span of days; not a number where the data do not cover it."""
        slack = max(1.0, self.step) * 1.02 + 0.5
        if first < self.first - slack / 3 or last > self.last + slack:
            return float("nan")
        inside = (self.day >= first) & (self.day <= last)
        if mask is not None:
            inside = inside & mask
        if not inside.any():
            return float("nan")
        top = float(self.num[inside].sum())
        if self.how == "ratio":
            bottom = float(self.den[inside].sum())
            return top / bottom if bottom else float("nan")
        return top / max(len(np.unique(self.day[inside])), 1) if self.averaged else top

    def mask(self, segment: Mapping[str, str]) -> Mask:
        """The cells of a segment."""
        found = np.ones(len(self.day), dtype=bool)
        for name, value in segment.items():
            axis = self.axes[name]
            found &= axis.codes == axis.code(value)
        return found


def _is_panel(rows: int, entities: int, cells: int, dates: int) -> bool:
    """Whether entities have one row a date, and are there on a good part of all dates."""
    return cells >= 0.98 * rows and rows >= 0.45 * entities * dates


def _choices(names: list[str], size: int) -> list[tuple[str, ...]]:
    if size == 1:
        return [(name,) for name in names]
    if size == 2:
        return [(a, b) for i, a in enumerate(names) for b in names[i + 1 : i + 7]]
    return [
        (a, b, c)
        for i, a in enumerate(names[:6])
        for j, b in enumerate(names[i + 1 : 6], i + 1)
        for c in names[j + 1 : 7]
    ]
