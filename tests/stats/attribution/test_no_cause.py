"""Worlds without a cause: the search stays silent, whatever the noise, the weekdays, the lengths or the growth."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest

from averment.stats.attribution.attribute import attribute
from averment.stats.attribution.options import Options

from .conftest import World, forecast_world, generate

QUIET_WORLDS = {
    "plain": World(seed=0),
    "other weekdays": World(seed=0, days=(12, 9)),
    "other length": World(seed=0, days=(21, 8)),
    "growth": World(seed=0, growth=0.3),
    "noisy days": World(seed=0, day_noise=0.1),
    "noisy segments": World(seed=0, segment_noise=0.1),
    "a ratio": World(seed=0, ratio=True),
    "a ratio with growth": World(seed=0, ratio=True, growth=0.3, days=(15, 10)),
}
SEEDS = 50


@pytest.mark.parametrize("name", QUIET_WORLDS)
def test_at_most_one_of_fifty_worlds_without_a_cause_names_a_segment(name: str) -> None:
    alarms = 0
    for seed in range(SEEDS):
        world = replace(QUIET_WORLDS[name], seed=seed, first=date(2025, 3, 3) + timedelta(days=seed % 7))
        alarms += bool(attribute(*generate(world)).segments)
    assert alarms <= 1


@pytest.mark.parametrize("noise", [0.02, 0.1, 0.3])
def test_a_forecast_that_is_off_by_noise_alone_has_no_finding(noise: float) -> None:
    alarms = 0
    for seed in range(SEEDS):
        answer = attribute(forecast_world(seed, noise=noise), Options(metric="forecast"))
        alarms += answer.verdict != "no_finding"
    assert alarms <= 1


def test_different_weekdays_alone_are_the_calendars_doing() -> None:
    answer = attribute(*generate(World(seed=4, days=(12, 9))))
    assert answer.verdict == "calendar"
    assert answer.unexplained is not None and answer.change is not None
    assert abs(answer.unexplained) < 0.5 * abs(answer.change)


def test_steady_growth_through_both_periods_is_the_calendars_doing() -> None:
    answer = attribute(*generate(World(seed=4, growth=0.5)))
    assert answer.verdict == "calendar"
    assert answer.daily_growth == pytest.approx(0.5 / 27, rel=0.3)
