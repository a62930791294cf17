"""Pivoted cubes with a forecast: one to three planted causes come back exactly."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from averment.errors import AvermentError
from averment.stats.attribution.attribute import attribute
from averment.stats.attribution.cube import forecast_cube
from averment.stats.attribution.options import Options

from .conftest import Plant, forecast_world

few = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
segments = st.sampled_from(
    [
        {"channel": "c3"},
        {"brand": "b2"},
        {"channel": "c1", "country": "c4"},
        {"device": "d5", "brand": "b0"},
        {"channel": "c7", "device": "d2", "country": "c0"},
    ]
)
OPTIONS = Options(metric="forecast", max_dimensions=4)


@few
@given(seed=st.integers(0, 10_000), segment=segments, factor=st.sampled_from([0.3, 0.6, 0.8, 1.5]))
def test_a_planted_cause_is_named_exactly(seed: int, segment: dict[str, str], factor: float) -> None:
    answer = attribute(forecast_world(seed, (Plant(segment=segment, factor=factor),)), OPTIONS)
    assert answer.segments == (segment,)


@few
@given(seed=st.integers(0, 10_000))
def test_three_planted_causes_are_named_exactly(seed: int) -> None:
    plants = (
        Plant(segment={"channel": "c3"}, factor=0.5),
        Plant(segment={"device": "d5", "brand": "b0"}, factor=0.7),
        Plant(segment={"country": "c1", "brand": "b3"}, factor=1.6),
    )
    answer = attribute(forecast_world(seed, plants), OPTIONS)
    assert {frozenset(s.items()) for s in answer.segments} == {frozenset(p.segment.items()) for p in plants}


@few
@given(seed=st.integers(0, 10_000), segment=segments)
def test_contributions_and_the_rest_sum_to_the_change(seed: int, segment: dict[str, str]) -> None:
    answer = attribute(forecast_world(seed, (Plant(segment=segment, factor=0.5),)), OPTIONS)
    assert answer.change is not None and answer.unexplained is not None
    assert sum(e.contribution for e in answer.explanations) + answer.unexplained == pytest.approx(answer.change)


def test_a_fall_of_every_leaf_is_a_global_shock() -> None:
    answer = attribute(forecast_world(1, (Plant(segment={}, factor=0.6),)), OPTIONS)
    assert [e.verdict for e in answer.explanations] == ["global_shock"]
    assert answer.segments == ()


def test_another_unit_names_the_same_causes() -> None:
    cube = forecast_world(3, (Plant(segment={"brand": "b2"}, factor=0.5),))
    columns = {n: [cube.values[j][c] for c in cube.codes[:, j]] for j, n in enumerate(cube.dimensions)}
    larger = forecast_cube(columns, expected=1000 * cube.baseline.total, observed=1000 * cube.comparison.total)
    assert attribute(larger, OPTIONS).segments == attribute(cube, OPTIONS).segments


def test_a_negative_total_is_refused() -> None:
    with pytest.raises(AvermentError) as refused:
        forecast_cube({"a": ["x", "y"]}, expected=np.array([1.0, -2.0]), observed=np.array([1.0, 1.0]))
    assert refused.value.code == "INVALID_ARGUMENTS"
