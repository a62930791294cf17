"""Large tables: causes are searched over the leaves, planted ones are found, and nothing where nothing is."""

from __future__ import annotations

import numpy as np
import pytest
from worlds import NAMES, Plant, World, facts_of, make

from averment.stats.attribution.expected import exposure
from averment.stats.attribution.split import split_mix
from averment.stats.attribution.tell import attribute

SEGMENTS = [{"channel": "c1"}, {"device": "d2"}, {"country": "c4"}, {"brand": "b0"}, {"brand": "b3", "device": "d0"}]
EXPECTED = {"calendar", "seasonal", "trend", "noise"}


@pytest.mark.parametrize("segment", SEGMENTS, ids=str)
@pytest.mark.parametrize("factor", [0.45, 1.7])
def test_one_planted_change_of_volume_is_found_alone(segment: dict[str, str], factor: float) -> None:
    answer = attribute(*make(World(seed=len(str(segment)), plants=(Plant(segment=segment, factor=factor),))))
    assert answer.segments == (segment,)
    [cause] = [one for one in answer.explanations if one.segment]
    assert cause.kind == "volume"
    assert cause.effect == pytest.approx(factor - 1.0, abs=0.2)


@pytest.mark.parametrize("seed", range(5))
def test_two_overlapping_causes_are_both_found_without_their_intersection(seed: int) -> None:
    first, second = {"channel": "c1"}, {"brand": "b2", "device": "d0"}
    plants = (Plant(segment=first, factor=0.5), Plant(segment=second, factor=0.3))
    answer = attribute(*make(World(seed=seed, plants=plants, rows_a_day=6_000)))
    assert {frozenset(one.items()) for one in answer.segments} == {frozenset(first.items()), frozenset(second.items())}


@pytest.mark.parametrize("seed", range(4))
def test_a_change_of_value_is_told_from_a_change_of_volume(seed: int) -> None:
    answer = attribute(*make(World(seed=seed, plants=(Plant(segment={"device": "d1"}, factor=1.8, on="value"),))))
    assert [(one.segment, one.kind) for one in answer.explanations if one.kind not in EXPECTED] == [
        ({"device": "d1"}, "rate")
    ]


def test_a_fall_of_everything_alike_names_no_segment() -> None:
    answer = attribute(*make(World(seed=2, plants=(Plant(segment={}, factor=0.7),))))
    assert answer.explanations and answer.segments == ()


@pytest.mark.parametrize(("factor", "side"), [(0.0, "vanished"), (None, "new")])
def test_a_value_that_came_or_went_is_named_as_such(factor: float | None, side: str) -> None:
    cells, leaves = make(World(seed=4, plants=(Plant(segment={"country": "c2"}, factor=0.0),)))
    if factor is None:  # The same told the other way round in time.
        for facts in (cells, leaves):
            facts.day = facts.periods[0][0] + facts.periods[1][1] - facts.day
            facts.day[np.isin(facts.day, [facts.periods[1][1]])] = facts.periods[1][0]
        leaves.day = np.where(leaves.day < leaves.periods[1][0], leaves.periods[0][0], leaves.periods[1][0])
    told = attribute(cells, leaves).explanations
    assert [(one.segment, one.kind, one.state) for one in told if one.segment] == [
        ({"country": "c2"}, "new_or_gone", side)
    ]


@pytest.mark.parametrize("seed", range(6))
def test_the_parts_and_the_rest_sum_to_the_change(seed: int) -> None:
    plants = (Plant(segment={"brand": "b1"}, factor=0.5), Plant(segment={"channel": "c0"}, factor=1.5))
    answer = attribute(*make(World(seed=seed, plants=plants)))
    parts = sum(one.contribution for one in answer.explanations) + answer.unexplained
    assert parts == pytest.approx(answer.comparison - answer.baseline)


@pytest.mark.parametrize("seed", range(3))
def test_order_names_and_unit_change_only_what_they_name(seed: int) -> None:
    world = World(seed=seed, plants=(Plant(segment={"country": "c1", "device": "d0"}, factor=0.4),))
    plain, shuffled, scaled, renamed = (
        attribute(*made) for made in (make(world), make(world, order=7), make(world, unit=100.0), make(world, "x"))
    )
    assert shuffled.segments == plain.segments == scaled.segments
    assert scaled.change == pytest.approx(100 * plain.change)
    assert [one.contribution for one in scaled.explanations] == pytest.approx(
        [100 * one.contribution for one in plain.explanations]
    )
    assert [{name: value[1:] for name, value in each.items()} for each in renamed.segments] == list(plain.segments)


QUIET = {
    "weekdays": {},
    "growth": {"growth": 0.3},
    "noisy days": {"day_noise": 0.1},
    "noisy segments": {"segment_noise": 0.15},
    "a rate": {"ratio": True},
    "lengths": {"days": (10, 18)},
}


@pytest.mark.parametrize("name", QUIET)
def test_at_most_one_of_thirty_worlds_without_a_cause_names_a_segment(name: str) -> None:
    named = [attribute(*make(World(seed=seed, rows_a_day=800, **QUIET[name]))).segments for seed in range(30)]
    assert sum(map(bool, named)) <= 1


def test_a_rate_that_falls_inside_a_segment_is_found() -> None:
    plant = Plant(segment={"channel": "c2"}, factor=0.5, on="rate")
    answer = attribute(*make(World(seed=3, plants=(plant,), ratio=True, rate=0.3)))
    assert [(one.segment, one.kind) for one in answer.explanations if one.segment] == [({"channel": "c2"}, "rate")]


def test_a_segment_that_grows_at_an_unchanged_rate_is_a_mix() -> None:
    plant = Plant(segment={"device": "d0"}, factor=3.0)
    answer = attribute(*make(World(seed=8, plants=(plant,), ratio=True, rate=0.3)))
    assert {one.kind for one in answer.explanations} <= {"mix", *EXPECTED}


def wards(before: dict[str, tuple[int, int]], after: dict[str, tuple[int, int]]) -> tuple[float, float, bool, float]:
    """Mix, rate, paradox and change of a quotient over the channels, given rows and total of each on both sides."""
    world = World(seed=0, ratio=True, days=(1, 1))
    sides = [(at, int(name[1:]), *counts) for at, side in enumerate((before, after)) for name, counts in side.items()]
    day, channel, rows, total = (np.array(column) for column in zip(*sides, strict=True))
    codes = np.stack([channel, *([np.zeros(len(channel), dtype=np.int64)] * (len(NAMES) - 1))], axis=1)
    sums = {"rows": rows.astype(float), "total": total.astype(float), "squares": total.astype(float)}
    facts = facts_of(day, codes, sums, world)
    split = split_mix(facts, ("channel",))
    assert split is not None
    return split.mix, split.rate, split.paradox, facts.change


def test_simpsons_paradox_is_seen() -> None:
    mix, rate, paradox, change = wards({"c0": (900, 45), "c1": (100, 40)}, {"c0": (100, 3), "c1": (900, 315)})
    assert paradox and change > 0 > rate
    assert mix + rate == pytest.approx(change)


def test_values_that_come_or_go_are_mix() -> None:
    mix, rate, _, change = wards({"c0": (100, 10), "c1": (100, 50)}, {"c0": (100, 10), "c2": (100, 80)})
    assert rate == pytest.approx(0.0, abs=1e-15)
    assert mix == pytest.approx(change)


def test_the_exposure_is_the_ratio_of_weekday_weights_whatever_the_level() -> None:
    cells, _ = make(World(seed=1, days=(14, 12), rows_a_day=50_000))
    weights = [1.0] * 5 + [0.4] * 2
    wanted = sum((weights * 2)[:12]) / sum(weights * 2)
    assert exposure(cells) == pytest.approx(wanted, rel=0.03)
