"""What a named segment lost is its own part of the change, and is not taken for a trend of the days."""

from averment.stats.attribution.attribute import attribute

from .conftest import Plant, World, generate


def test_a_segment_that_lost_rows_leaves_nothing_to_the_calendar() -> None:
    for seed in range(12):
        plant = Plant(segment={"channel": "c1", "device": "d0"}, factor=0.35)
        found = attribute(*generate(World(seed=seed, plants=(plant,), day_noise=0.05)))
        assert dict(plant.segment) in found.segments
        calendar = [one for one in found.explanations if one.verdict == "calendar"]
        assert not calendar, f"seed {seed}: {calendar}"
        assert abs(found.exposure - 1.0) < 1e-6


def test_growth_through_both_periods_stays_the_calendars() -> None:
    found = attribute(*generate(World(seed=3, growth=0.6, rows_a_day=3_000)))
    assert found.verdict == "calendar"
    assert found.exposure > 1.1
