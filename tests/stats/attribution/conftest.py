"""Worlds with a known truth: counts, hits and values by leaf and day, with or without a planted cause."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import numpy as np

from averment.stats.attribution.calendar import DailySeries, DaySpan
from averment.stats.attribution.cube import LeafCube, Side, build_cube, forecast_cube
from averment.stats.attribution.options import Options

CARDINALITIES = (4, 3, 5, 6)
NAMES = ("channel", "device", "country", "brand")


@dataclass(frozen=True, kw_only=True)
class Plant:
    """A cause: a segment and the multiplier it puts on one factor of the comparison period."""

    segment: Mapping[str, str]
    factor: float
    on: str = "volume"


@dataclass(frozen=True, kw_only=True)
class World:
    """What to generate; a world without plants holds no cause at all."""

    seed: int
    plants: tuple[Plant, ...] = ()
    days: tuple[int, int] = (14, 14)
    rows_a_day: float = 800.0
    weekend: float = 0.4
    growth: float = 0.0
    day_noise: float = 0.0
    segment_noise: float = 0.0
    first: date = date(2025, 3, 3)
    ratio: bool = False
    rate: float = 0.1


def generate(world: World) -> tuple[LeafCube, Options]:
    """The cube of a world and the options to attribute it with."""
    random = np.random.default_rng(world.seed)
    codes = np.stack(np.meshgrid(*[np.arange(size) for size in CARDINALITIES], indexing="ij"), axis=-1).reshape(
        -1, len(CARDINALITIES)
    )
    chance = np.ones(len(codes))
    for column, size in enumerate(CARDINALITIES):
        chance = chance * random.dirichlet(np.full(size, 6.0))[codes[:, column]]
    chance /= chance.sum()
    before, after = world.days
    days = [world.first + timedelta(days=number) for number in range(before + after)]
    weights = np.array([world.weekend if day.weekday() >= 5 else 1.0 for day in days])
    weights = weights * np.exp(np.linspace(0.0, world.growth, len(days)))
    weights = weights * np.exp(world.day_noise * random.standard_normal(len(days)))
    rate = np.clip(world.rate * np.exp(0.4 * random.standard_normal(CARDINALITIES[1]))[codes[:, 1]], 0.0, 0.9)
    rows, hits = np.zeros((len(days), len(codes))), np.zeros((len(days), len(codes)))
    for number in range(len(days)):
        mean, chance_of_hit = world.rows_a_day * weights[number] * chance, rate
        if world.segment_noise:
            shape = 1.0 / world.segment_noise**2
            mean = mean * random.gamma(shape, 1.0 / shape, CARDINALITIES[0])[codes[:, 0]]
        if number >= before:
            mean, chance_of_hit = _planted(world, codes, mean, "volume"), _planted(world, codes, rate, "rate")
        rows[number] = random.poisson(mean)
        hits[number] = random.binomial(rows[number].astype(np.int64), np.minimum(chance_of_hit, 1.0))
    level = np.full(len(codes), 40.0)
    sides = (
        _side(random, world, rows[:before], hits[:before], level),
        _side(random, world, rows[before:], hits[before:], _planted(world, codes, level, "value")),
    )
    cube = build_cube(columns(codes), baseline=sides[0], comparison=sides[1])
    options = Options(
        metric="ratio" if world.ratio else "sum",
        scale=(1.0 / before, 1.0 / after),
        daily=DailySeries(
            days=tuple(days), rows=rows.sum(axis=1), totals=40.0 * hits.sum(axis=1), nulls=np.zeros(len(days))
        ),
        baseline=DaySpan(first=days[0], last=days[before - 1]),
        comparison=DaySpan(first=days[before], last=days[-1]),
    )
    return cube, options


def forecast_world(seed: int, plants: tuple[Plant, ...] = (), noise: float = 0.05) -> LeafCube:
    """A pivoted cube whose observed leaves wobble around the forecast, but for what is planted."""
    random = np.random.default_rng(seed)
    codes = np.stack(np.meshgrid(*[np.arange(n) for n in (10, 8, 6, 5)], indexing="ij"), axis=-1).reshape(-1, 4)
    expected = np.exp(random.normal(4.0, 1.0, len(codes)))
    observed = expected * np.exp(noise * random.standard_normal(len(codes)))
    for plant in plants:
        observed = np.where(inside(codes, plant.segment), observed * plant.factor, observed)
    return forecast_cube(columns(codes), expected=expected, observed=observed)


def columns(codes: np.ndarray) -> dict[str, list[str]]:
    """Codes as leaf columns of text."""
    return {name: [f"{name[0]}{code}" for code in codes[:, column]] for column, name in enumerate(NAMES)}


def inside(codes: np.ndarray, segment: Mapping[str, str]) -> np.ndarray:
    """Which leaves a segment holds."""
    hit = np.ones(len(codes), dtype=bool)
    for name, value in segment.items():
        hit &= codes[:, NAMES.index(name)] == int(value[1:])
    return hit


def _planted(world: World, codes: np.ndarray, values: np.ndarray, on: str) -> np.ndarray:
    for plant in world.plants:
        if plant.on == on:
            values = np.where(inside(codes, plant.segment), values * plant.factor, values)
    return values


def _side(random: np.random.Generator, world: World, rows: np.ndarray, hits: np.ndarray, level: np.ndarray) -> Side:
    count, hit = rows.sum(axis=0), hits.sum(axis=0)
    if world.ratio:
        return Side.of(rows=count, total=hit, hits=hit)
    leaf = np.repeat(np.arange(len(count)), hit.astype(np.int64))
    value = level[leaf] * np.exp(0.6 * random.standard_normal(len(leaf)))
    size = len(count)
    total, squares = (np.bincount(leaf, weights=value**power, minlength=size) for power in (1, 2))
    return Side.of(rows=count, hits=hit, total=total, squares=squares)
