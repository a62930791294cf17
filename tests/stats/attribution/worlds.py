"""Large tables with a known truth: rows by day and leaf, and the leaves of both periods, with or without a cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

import numpy as np

from averment.stats.attribution.facts import CodedAxis, Facts, Floats

SIZES = {"channel": 4, "device": 3, "country": 5, "brand": 6}
NAMES = tuple(SIZES)
FIRST = date(2025, 3, 3).toordinal()


@dataclass(frozen=True, kw_only=True)
class Plant:
    """A cause: a segment and the multiplier it puts on one figure of the comparison."""

    segment: Mapping[str, str]
    factor: float
    on: str = "volume"


@dataclass(frozen=True, kw_only=True)
class World:
    """What to make; a world without plants holds no cause."""

    seed: int
    plants: tuple[Plant, ...] = ()
    rows_a_day: float = 2_500.0
    weekend: float = 0.4
    growth: float = 0.0
    day_noise: float = 0.0
    segment_noise: float = 0.0
    days: tuple[int, int] = (14, 14)
    ratio: bool = False
    rate: float = 0.1


def facts_of(
    day: np.ndarray, codes: np.ndarray, sums: Mapping[str, Floats], world: World, labels: str = "", grain: bool = False
) -> Facts:
    """Cells of rows as facts; ``labels`` go before the values' names."""
    before, after = world.days
    axes = {
        name: CodedAxis(codes=codes[:, at], labels=tuple(f"{labels}{name[0]}{n}" for n in range(size)))
        for at, (name, size) in enumerate(SIZES.items())
    }
    rows = sums["rows"]
    return Facts(
        day=day + FIRST,
        num=sums["total"],
        den=rows if world.ratio else np.ones(len(rows)),
        rows=rows,
        empty=np.zeros(len(rows)),
        squares=sums["squares"],
        cross=sums["total"],
        weights=rows,
        axes=axes,
        how="ratio" if world.ratio else "sum",
        counts_rows=False,
        periods=((FIRST, FIRST + before - 1), (FIRST + before, FIRST + before + after - 1)),
        plain_rows=grain,
    )


def make(world: World, labels: str = "", unit: float = 1.0, order: int | None = None) -> tuple[Facts, Facts]:
    """The cells by day of a world, and the leaves of both periods."""
    random = np.random.default_rng(world.seed)
    grid = np.stack(np.meshgrid(*map(np.arange, SIZES.values()), indexing="ij"), axis=-1).reshape(-1, len(SIZES))
    chance = np.prod([random.dirichlet(np.full(n, 6.0))[grid[:, at]] for at, n in enumerate(SIZES.values())], axis=0)
    before, length = world.days[0], sum(world.days)
    weekday = (FIRST + np.arange(length) - 1) % 7
    level = np.where(weekday >= 5, world.weekend, 1.0) * np.exp(np.linspace(0.0, world.growth, length))
    level = level * np.exp(world.day_noise * random.standard_normal(length))
    rate = np.clip(world.rate * np.exp(0.4 * random.standard_normal(SIZES["device"]))[grid[:, 1]], 0.0, 0.9)
    parts: dict[str, list[Floats]] = {"rows": [], "total": [], "squares": []}
    for at in range(length):
        mean, hit, worth = world.rows_a_day * level[at] * chance / chance.sum(), rate, np.full(len(grid), 40.0)
        if world.segment_noise:
            shape = 1.0 / world.segment_noise**2
            mean = mean * random.gamma(shape, 1.0 / shape, SIZES["channel"])[grid[:, 0]]
        for plant in world.plants if at >= before else ():
            struck = np.where(inside(grid, plant.segment), plant.factor, 1.0)
            mean, hit, worth = (
                values * struck if plant.on == on else values
                for on, values in (("volume", mean), ("rate", hit), ("value", worth))
            )
        rows = random.poisson(mean)
        hits = random.binomial(rows, np.minimum(hit, 1.0))
        leaf = np.repeat(np.arange(len(grid)), hits if world.ratio else rows)
        value = np.ones(len(leaf)) if world.ratio else worth[leaf] * np.exp(0.6 * random.standard_normal(len(leaf)))
        parts["rows"].append(rows.astype(np.float64))
        for name, power in (("total", 1), ("squares", 2)):
            parts[name].append(np.bincount(leaf, (value * unit) ** power, len(grid)))
    daily = {name: np.stack(arrays) for name, arrays in parts.items()}
    shuffled = np.arange(len(grid)) if order is None else np.random.default_rng(order).permutation(len(grid))
    grid = grid[shuffled]
    daily = {name: array[:, shuffled] for name, array in daily.items()}
    cells = facts_of(
        np.repeat(np.arange(length), len(grid)),
        np.tile(grid, (length, 1)),
        {name: array.reshape(-1) for name, array in daily.items()},
        world,
        labels,
    )
    leaves = facts_of(
        np.repeat([0, before], len(grid)),
        np.tile(grid, (2, 1)),
        {
            name: np.concatenate([array[:before].sum(axis=0), array[before:].sum(axis=0)])
            for name, array in daily.items()
        },
        world,
        labels,
    )
    return cells, leaves


def inside(grid: np.ndarray, segment: Mapping[str, str]) -> np.ndarray:
    """Which leaves a segment holds."""
    hit = np.ones(len(grid), dtype=bool)
    for name, value in segment.items():
        hit &= grid[:, NAMES.index(name)] == int(value[1:])
    return hit
