"""Ratios: a rate that changes inside a segment is told from a mere shift of the mix, and paradoxes are shown."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from averment.errors import AvermentError
from averment.stats.attribution.attribute import attribute
from averment.stats.attribution.cube import Side, build_cube
from averment.stats.attribution.mix_split import split_mix
from averment.stats.attribution.options import Options

from .conftest import Plant, World, generate

counts = st.lists(st.tuples(st.integers(0, 500), st.integers(500, 5000)), min_size=2, max_size=8)


@pytest.mark.parametrize("seed", range(6))
def test_a_rate_that_falls_inside_a_segment_is_a_rate_effect(seed: int) -> None:
    plant = Plant(segment={"country": "c3"}, factor=0.4, on="rate")
    answer = attribute(*generate(World(seed=seed, plants=(plant,), ratio=True, rate=0.2)))
    assert [(e.segment, e.verdict) for e in answer.explanations] == [({"country": "c3"}, "rate")]
    assert answer.explanations[0].share_of_change == pytest.approx(1.0, abs=0.5)


@pytest.mark.parametrize("device", ["d0", "d1", "d2"])
def test_a_segment_that_grows_at_an_unchanged_rate_is_a_mix_effect(device: str) -> None:
    plant = Plant(segment={"device": device}, factor=4.0)
    answer = attribute(*generate(World(seed=11, plants=(plant,), ratio=True, rate=0.2)))
    assert {(tuple(e.segment.items()), e.verdict) for e in answer.explanations} <= {((("device", device),), "mix")}


def test_a_growing_weak_segment_explains_the_fall_of_the_ratio() -> None:
    cube = build_cube(
        {"plan": ["free", "paid", "free", "paid"], "land": ["x", "x", "y", "y"]},
        baseline=Side.of(rows=[5000, 5000, 5000, 5000], total=[250, 1000, 240, 1010]),
        comparison=Side.of(rows=[20000, 5000, 20000, 5000], total=[1010, 990, 1000, 1000]),
    )
    answer = attribute(cube, Options(metric="ratio"))
    assert [(e.segment, e.verdict) for e in answer.explanations] == [({"plan": "free"}, "mix")]
    assert answer.explanations[0].share_of_change == pytest.approx(1.0, abs=0.05)


def test_a_rate_that_falls_everywhere_alike_is_a_global_shock() -> None:
    plant = Plant(segment={}, factor=0.6, on="rate")
    answer = attribute(*generate(World(seed=6, plants=(plant,), ratio=True, rate=0.2)))
    assert answer.verdict == "global_shock"
    assert answer.segments == ()


def test_simpsons_paradox_is_shown_with_its_dimension() -> None:
    cube = build_cube(
        {"ward": ["mild", "severe"], "site": ["a", "a"]},
        baseline=Side.of(rows=[900, 100], total=[45, 40]),
        comparison=Side.of(rows=[100, 900], total=[3, 315]),
    )
    split = attribute(cube, Options(metric="ratio")).mix
    assert split is not None
    assert split.paradox and split.dimension == "ward"
    assert split.change > 0 > split.rate


@settings(max_examples=100, deadline=None, derandomize=True)
@given(before=counts, after=counts)
def test_mix_and_rate_sum_to_the_change_and_so_do_their_groups(
    before: list[tuple[int, int]], after: list[tuple[int, int]]
) -> None:
    size = min(len(before), len(after))
    split = split_mix(
        totals_before=[t for t, _ in before[:size]],
        weights_before=[w for _, w in before[:size]],
        totals_after=[t for t, _ in after[:size]],
        weights_after=[w for _, w in after[:size]],
        groups=[str(number) for number in range(size)],
    )
    assert split.mix + split.rate == pytest.approx(split.change, abs=1e-12)
    assert sum(g.mix for g in split.groups) == pytest.approx(split.mix, abs=1e-12)
    assert sum(g.rate for g in split.groups) == pytest.approx(split.rate, abs=1e-12)


def test_groups_that_come_or_go_count_as_mix() -> None:
    split = split_mix(
        totals_before=[10, 50, 0],
        weights_before=[100, 100, 0],
        totals_after=[10, 0, 80],
        weights_after=[100, 0, 100],
        groups=["stays", "goes", "comes"],
    )
    assert split.rate == pytest.approx(0.0, abs=1e-15)
    assert split.mix == pytest.approx(split.change)


def test_a_ratio_without_weight_on_one_side_has_no_change_and_no_finding() -> None:
    cube = build_cube(
        {"a": ["x", "y"]}, baseline=Side.of(rows=[0, 0], total=[0, 0]), comparison=Side.of(rows=[9, 9], total=[1, 2])
    )
    answer = attribute(cube, Options(metric="ratio"))
    assert (answer.baseline, answer.change, answer.verdict) == (None, None, "no_finding")


def test_a_split_of_an_empty_side_is_refused() -> None:
    with pytest.raises(AvermentError) as refused:
        split_mix(totals_before=[0], weights_before=[0], totals_after=[1], weights_after=[2], groups=["a"])
    assert refused.value.code == "INVALID_ARGUMENTS"
