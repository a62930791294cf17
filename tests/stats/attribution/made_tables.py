"""Random tables as people keep them, with or without something that moved: events and panels of many shapes.

Each is made as rows of plain arrays; what was planted stands beside it. Nothing here is taken from any data set.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from averment.stats.attribution.facts import CodedAxis, Facts, JoinFact

START = date(2021, 1, 4).toordinal()
WORDS = (
    "north south east west alpha beta gamma delta red blue green mobile web shop phone gold silver basic plus pro"
).split()


@dataclass
class Rows:
    """A table before it is read: columns of equal length, and what was done to it."""

    day: np.ndarray
    value: np.ndarray
    dims: dict[str, np.ndarray]
    periods: tuple[tuple[int, int], tuple[int, int]]
    how: str = "sum"
    counts_rows: bool = False
    hour: np.ndarray | None = None
    matched: np.ndarray | None = None
    again: np.ndarray | None = None
    siblings: dict[str, np.ndarray] = field(default_factory=dict)
    planted: str = "none"
    kinds: tuple[str, ...] = ("noise",)
    fault: str | None = None
    segments: tuple[dict[str, str], ...] = ({},)
    inputs: frozenset[str] = frozenset()

    def keep(self, chosen: np.ndarray) -> None:
        """Only the chosen rows, or rows by their place, perhaps several times."""
        self.day, self.value = self.day[chosen], self.value[chosen]
        self.dims = {name: column[chosen] for name, column in self.dims.items()}
        self.siblings = {name: column[chosen] for name, column in self.siblings.items()}
        for name in ("hour", "matched", "again"):
            column = getattr(self, name)
            if column is not None:
                setattr(self, name, column[chosen])

    def after(self) -> np.ndarray:
        """The rows of the comparison."""
        return (self.day >= self.periods[1][0]) & (self.day <= self.periods[1][1])

    def facts(self) -> Facts:
        """The table as it is read."""
        empty = np.isnan(self.value)
        num = np.nan_to_num(self.value) if not self.counts_rows else np.ones(len(self.value))
        den = (~empty).astype(float) if self.how == "ratio" else np.ones(len(num))
        axes: dict[str, CodedAxis] = {}
        for name, column in self.dims.items():
            labels, codes = np.unique(column.astype(str), return_inverse=True)
            axes[name] = CodedAxis(codes=codes.astype(np.int64), labels=tuple(str(label) for label in labels))
        joins = ()
        if self.matched is not None:
            joins = (JoinFact(table="customers", column="customer_id", matched=self.matched, loosely=self.matched),)
        return Facts(
            day=self.day.astype(np.int64),
            num=num,
            den=den,
            rows=np.ones(len(num)),
            empty=np.zeros(len(num)) if self.counts_rows else empty.astype(float),
            squares=num**2,
            cross=num * den,
            weights=den**2,
            axes=axes,
            how=self.how,  # pyright: ignore[reportArgumentType]
            counts_rows=self.counts_rows,
            periods=self.periods,
            hour=None if self.hour is None else self.hour.astype(np.int64),
            repeats=None if self.again is None else self.again.astype(float),
            joins=joins,
            siblings=self.siblings,
            inputs=self.inputs,
        )


def make_events(rng: np.random.Generator) -> Rows:
    """Rows that happen: skewed dimensions, weekdays, bursty days, heavy-tailed values."""
    span = int(rng.choice([7, 14, 21, 28, 30]))
    gap = int(rng.choice([0, 0, 0, 7]))
    lead = int(rng.choice([0, 14, 60]))
    first = START + lead + int(rng.integers(0, 300))
    periods = ((first, first + span - 1), (first + span + gap, first + 2 * span + gap - 1))
    days = np.arange(first - lead, periods[1][1] + 1)
    rate = float(rng.choice([20, 50, 120, 300]))
    weekday = 1 + rng.uniform(0, 0.5) * np.sin(np.arange(7))
    burst = rng.gamma(40, 1 / 40, len(days)) if rng.random() < 0.5 else np.ones(len(days))
    counts = rng.poisson(rate * weekday[(days - 1) % 7] * burst)
    day = np.repeat(days, counts)
    count = len(day)
    dims: dict[str, np.ndarray] = {}
    names = list(rng.permutation(["channel", "store", "product", "plan", "region"]))[: int(rng.integers(1, 5))]
    for name in names:
        size = int(rng.choice([2, 3, 5, 8, 15]))
        weights = 1 / np.arange(1, size + 1) ** rng.uniform(0.2, 1.2)
        labels = np.array([f"{WORDS[(at * 7 + len(name)) % len(WORDS)]} {at}" for at in range(size)])
        dims[name] = labels[rng.choice(size, count, p=weights / weights.sum())]
    level = np.ones(count)
    for column in dims.values():
        if rng.random() < 0.6:
            for label in np.unique(column):
                level[column == label] *= rng.uniform(0.7, 1.6)
    value = np.round(level * rng.lognormal(3, rng.choice([0.2, 0.5, 0.9]), count), 2)
    kind = str(rng.choice(["sum", "sum", "ratio", "count"]))
    hour = np.clip(np.round(rng.normal(14, 3.5, count)), 0, 23)
    return Rows(
        day=day,
        value=value,
        dims=dims,
        periods=periods,
        how="ratio" if kind == "ratio" else "sum",
        counts_rows=kind == "count",
        hour=hour,
        matched=rng.random(count) < 0.985,
        again=np.zeros(count),
    )


def make_panel(rng: np.random.Generator) -> Rows:
    """One row for each entity and date: flows with noise, or levels that creep."""
    step = int(rng.choice([1, 7, 30]))
    entities = int(rng.choice([3, 6, 12, 25]))
    dates = START + step * np.arange(int(rng.choice([40, 70, 110])))
    size = np.exp(rng.normal(5, 1.2, entities))
    level = bool(rng.random() < 0.4)
    names = np.array([f"{WORDS[at % len(WORDS)]} {at}" for at in range(entities)])
    if level:
        path = size * np.exp(np.cumsum(rng.normal(0, 0.004, (len(dates), entities)), axis=0))
    else:
        path = size * np.exp(rng.normal(0, rng.choice([0.05, 0.15, 0.3]), (len(dates), entities)))
    width = int(rng.choice([3, 6, 12]))
    cut = len(dates) - width - int(rng.integers(0, 6))
    periods = (
        (int(dates[cut - width]), int(dates[cut]) - 1),
        (int(dates[cut]), int(dates[cut + width - 1]) + step - 1),
    )
    return Rows(
        day=np.repeat(dates, entities),
        value=np.round(path.ravel(), 2 if not level else 0),
        dims={"entity": np.tile(names, len(dates))},
        periods=periods,
        how="sum" if rng.random() < 0.7 else "ratio",
    )


def _pick(rng: np.random.Generator, rows: Rows, *, least: int, most_share: float = 0.6) -> dict[str, str] | None:
    """A segment with enough rows in both periods that is not nearly all of them."""
    for _ in range(30):
        names = list(rng.permutation(sorted(rows.dims)))[: int(rng.choice([1, 1, 2]))]
        at = int(rng.integers(0, len(rows.day)))
        segment = {name: str(rows.dims[name][at]) for name in names}
        mask = inside(rows, segment)
        before = (rows.day >= rows.periods[0][0]) & (rows.day <= rows.periods[0][1])
        if min((mask & before).sum(), (mask & rows.after()).sum()) >= least and mask.mean() <= most_share:
            return segment
    return None


def inside(rows: Rows, segment: dict[str, str]) -> np.ndarray:
    """The rows of a segment."""
    found = np.ones(len(rows.day), dtype=bool)
    for name, value in segment.items():
        found &= rows.dims[name] == value
    return found


def _told(rows: Rows, planted: str, kinds: tuple[str, ...], fault: str | None, *segments: dict[str, str]) -> Rows:
    rows.planted, rows.kinds, rows.fault, rows.segments = planted, kinds, fault, segments or ({},)
    return rows


def plant_volume(rng: np.random.Generator, rows: Rows) -> Rows | None:
    segment = _pick(rng, rows, least=120)
    if segment is None or rows.how == "ratio":
        return None
    hit = inside(rows, segment) & rows.after()
    rows.keep(~(hit & (rng.random(len(hit)) < rng.uniform(0.5, 0.85))))
    return _told(rows, "volume", ("volume", "segment"), None, segment)


def plant_value(rng: np.random.Generator, rows: Rows) -> Rows | None:
    segment = _pick(rng, rows, least=150)
    if segment is None or rows.counts_rows:
        return None
    hit = inside(rows, segment) & rows.after()
    rows.value = np.where(hit, np.round(rows.value * rng.choice([0.5, 0.6, 1.6, 2.0]), 2), rows.value)
    return _told(rows, "value", ("rate", "segment"), None, segment)


def plant_gone(rng: np.random.Generator, rows: Rows) -> Rows | None:
    segment = _pick(rng, rows, least=60)
    if segment is None or len(segment) > 1 or rows.how == "ratio":
        return None
    side = rows.after() if rng.random() < 0.5 else ~rows.after()
    rows.keep(~(inside(rows, segment) & side))
    return _told(rows, "gone", ("new_or_gone", "volume", "segment"), None, segment)


def plant_unit(rng: np.random.Generator, rows: Rows) -> Rows | None:
    segment = {} if rng.random() < 0.3 else _pick(rng, rows, least=40)
    if segment is None or rows.counts_rows:
        return None
    start = rows.periods[1][0] + int(rng.integers(0, max((rows.periods[1][1] - rows.periods[1][0]) // 2, 1)))
    hit = inside(rows, segment) & rows.after() & (rows.day >= start)
    if len(np.unique(rows.day[hit])) < 3:
        return None
    rows.value = np.where(hit, rows.value * rng.choice([100.0, 1000.0, 10.0, 0.01, 0.001]), rows.value)
    return _told(rows, "unit", ("data_fault",), "unit_factor", segment)


def plant_gap(rng: np.random.Generator, rows: Rows) -> Rows | None:
    segment = {} if rng.random() < 0.5 else _pick(rng, rows, least=140)
    span = rows.periods[1][1] - rows.periods[1][0] + 1
    if segment is None or span < 10 or (rows.how == "ratio"):
        return None
    length = int(rng.integers(3, 6))
    start = rows.periods[1][0] + int(rng.integers(1, span - length - 1))
    hit = inside(rows, segment) & (rows.day >= start) & (rows.day < start + length)
    if inside(rows, segment)[rows.after()].sum() / span < 5:
        return None
    rows.keep(~hit)
    return _told(rows, "gap", ("data_fault",), "missing_rows", segment)


def plant_twice(rng: np.random.Generator, rows: Rows) -> Rows | None:
    start = rows.periods[1][0] + int(rng.integers(0, 3))
    hit = np.flatnonzero((rows.day >= start) & (rows.day < start + int(rng.integers(2, 4))))
    if len(hit) < 40 or rows.how == "ratio" or rows.again is None:
        return None
    count = len(rows.day)
    rows.keep(np.concatenate([np.arange(count), hit]))
    rows.again = np.concatenate([np.zeros(count), np.ones(len(hit))])
    return _told(rows, "twice", ("data_fault",), "duplicates")


def plant_late(rng: np.random.Generator, rows: Rows) -> Rows | None:
    if rows.periods[1][1] - rows.periods[1][0] + 1 < 14 or len(rows.day) / len(np.unique(rows.day)) < 30:
        return None
    if rows.how == "ratio":
        return None
    last = rows.periods[1][1]
    share = {last - 2: 0.5, last - 1: 0.7, last: 0.9}
    lost = np.array([share.get(int(day), 0.0) for day in rows.day]) > rng.random(len(rows.day))
    rows.keep(~lost)
    return _told(rows, "late", ("data_fault",), "late_rows")


def plant_nulls(rng: np.random.Generator, rows: Rows) -> Rows | None:
    if rows.counts_rows or rows.how == "ratio":
        return None
    segment = {} if rng.random() < 0.5 else _pick(rng, rows, least=80)
    if segment is None or len(segment) > 1:
        return None
    hit = inside(rows, segment) & rows.after() & (rng.random(len(rows.day)) < rng.uniform(0.3, 0.8))
    rows.value = np.where(hit, np.nan, rows.value)
    return _told(rows, "nulls", ("data_fault",), "nulls", segment)


def plant_negative(rng: np.random.Generator, rows: Rows) -> Rows | None:
    segment = _pick(rng, rows, least=100)
    if rows.counts_rows or segment is None or len(segment) > 1:
        return None
    hit = inside(rows, segment) & rows.after() & (rng.random(len(rows.day)) < rng.uniform(0.2, 0.5))
    rows.value = np.where(hit, -rows.value, rows.value)
    return _told(rows, "negative", ("data_fault",), "negative_sign", segment)


def plant_rename(rng: np.random.Generator, rows: Rows) -> Rows | None:
    segment = _pick(rng, rows, least=150)
    if segment is None or len(segment) > 1:
        return None
    ((name, old),) = segment.items()
    new = str(rng.choice([old.upper(), old.title() + " ", "Class 7"]))
    start = rows.periods[1][0] + int(rng.choice([0, 3]))
    column = rows.dims[name].astype(object)
    column[inside(rows, segment) & (rows.day >= start)] = new
    rows.dims[name] = column
    return _told(rows, "rename", ("data_fault",), "rename", {name: new}, {name: old}, {})


def plant_keys(rng: np.random.Generator, rows: Rows) -> Rows | None:
    if rows.matched is None:
        return None
    rows.matched = rows.matched & ~(rows.after() & (rng.random(len(rows.day)) < rng.uniform(0.3, 1.0)))
    return _told(rows, "keys", ("data_fault",), "key_format")


def plant_clock(rng: np.random.Generator, rows: Rows) -> Rows | None:
    if rows.hour is None or rows.after().sum() < 200:
        return None
    rows.hour = np.where(rows.after(), (rows.hour + int(rng.choice([5, 7, 9]))) % 24, rows.hour)
    return _told(rows, "clock", ("data_fault",), "timezone")


def plant_outlier(rng: np.random.Generator, rows: Rows) -> Rows | None:
    if rows.counts_rows or rows.after().sum() < 40:
        return None
    at = int(rng.choice(np.flatnonzero(rows.after())))
    rows.value = rows.value.copy()
    rows.value[at] = max(0.4 * rows.value[rows.after()].sum(), 30 * np.nanmax(rows.value))
    return _told(rows, "outlier", ("outlier", "data_fault"), "outlier")


def plant_entity(rng: np.random.Generator, rows: Rows) -> Rows | None:
    """In a panel, one entity moves far beyond its own past."""
    names, counts = np.unique(rows.dims["entity"], return_counts=True)
    _ = counts
    totals = np.array([rows.value[(rows.dims["entity"] == name) & rows.after()].sum() for name in names])
    big = names[totals >= 0.12 * totals.sum()]
    if not len(big) or (rows.how == "ratio" and len(names) > 12):
        return None
    segment = {"entity": str(rng.choice(big))}
    hit = inside(rows, segment) & rows.after()
    rows.value = np.where(hit, rows.value * rng.choice([0.4, 0.5, 2.0, 2.5]), rows.value)
    return _told(rows, "entity", ("segment", "rate"), None, segment)


def plant_absent(rng: np.random.Generator, rows: Rows) -> Rows | None:
    """In a panel, an entity has no rows on some dates of the comparison."""
    if rows.how == "ratio":
        return None
    totals = {n: rows.value[(rows.dims["entity"] == n) & rows.after()].sum() for n in np.unique(rows.dims["entity"])}
    name = max(totals, key=lambda n: totals[n])
    segment = {"entity": str(name)}
    dates = np.unique(rows.day[rows.after()])
    rows.keep(~(inside(rows, segment) & np.isin(rows.day, dates[: max(len(dates) // 2, 1)])))
    return _told(rows, "absent", ("data_fault",), "missing_rows", segment)


def plant_season(rng: np.random.Generator, rows: Rows) -> Rows | None:
    """In a panel, every year has the same swing, and the periods lie at its ends."""
    step = int(np.median(np.diff(np.unique(rows.day))))
    if step != 30 or len(np.unique(rows.day)) < 60:
        return None
    months = np.unique(rows.day)
    new = {int(day): date(2012 + at // 12, at % 12 + 1, 1).toordinal() for at, day in enumerate(months)}
    rows.day = np.array([new[int(day)] for day in rows.day])
    year = 2012 + (len(months) // 12) - 1
    rows.periods = (
        (date(year, 1, 1).toordinal(), date(year, 2, 28).toordinal()),
        (date(year, 7, 1).toordinal(), date(year, 8, 31).toordinal()),
    )
    month = np.array([date.fromordinal(int(day)).month for day in rows.day])
    rows.value = rows.value * (1 - 0.5 * np.cos((month - 1) / 12 * 2 * np.pi))
    return _told(rows, "season", ("seasonal",), None)


EVENT_PLANTS: tuple[Callable[[np.random.Generator, Rows], Rows | None], ...] = (
    plant_volume,
    plant_value,
    plant_gone,
    plant_unit,
    plant_gap,
    plant_twice,
    plant_late,
    plant_nulls,
    plant_negative,
    plant_rename,
    plant_keys,
    plant_clock,
    plant_outlier,
)
PANEL_PLANTS = (plant_entity, plant_absent, plant_season)


def make_table(seed: int) -> Rows:
    """One random table; about a quarter of them hold nothing but noise."""
    rng = np.random.default_rng(seed)
    for _ in range(40):
        panel = rng.random() < 0.35
        rows = make_panel(rng) if panel else make_events(rng)
        if rng.random() < 0.25:
            return rows
        plants = PANEL_PLANTS if panel else EVENT_PLANTS
        planted = plants[int(rng.integers(0, len(plants)))](rng, rows)
        if planted is not None:
            return planted
    return make_events(rng)
