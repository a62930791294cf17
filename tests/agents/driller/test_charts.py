"""The waterfall's axis: near enough to see small steps, and honest about where it begins."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made import BASELINE, COMPARISON, orders, write_csv
from stage import Stage

from averment.agents.driller.charts import fitting_axis, pictures, usual_band


@given(st.lists(st.floats(-1e12, 1e12, allow_subnormal=False), min_size=1, max_size=12))
def test_an_axis_that_is_cut_holds_every_level_and_never_zero(levels: list[float]) -> None:
    axis = fitting_axis(levels)
    if axis is not None:
        assert axis[0] <= min(levels) <= max(levels) <= axis[1]
        assert not axis[0] <= 0 <= axis[1]


@pytest.mark.parametrize(
    ("levels", "axis"),
    [
        ([100_000, 98_000, 99_000], (97_500, 100_500)),
        ([-100, -90], (-105, -85)),
        ([100, 10], None),
        ([5, 5], None),
        ([-1, 1], None),
    ],
)
def test_only_small_steps_far_from_zero_are_shown_near_by(
    levels: list[float], axis: tuple[float, float] | None
) -> None:
    assert fitting_axis(levels) == axis


def test_a_waterfall_of_small_steps_says_that_its_axis_does_not_begin_at_zero(stage: Stage, tmp_path: Path) -> None:
    file = write_csv(tmp_path / "orders.csv", orders())
    _, document = pictures(stage.work(stage.play([file], "SUM(amount)", BASELINE, COMPARISON)))["waterfall"]
    across = document["encoding"]["x"]
    assert "does not begin at zero" in across["title"][1]
    first, last = across["scale"]["domain"]
    assert document["mark"]["clip"] is True
    assert all(first <= bar["to"] <= last for bar in document["data"]["values"])
    assert document["data"]["values"][0]["from"] == 0.0


def test_the_usual_range_of_a_day_is_that_of_its_weekday_before_the_comparison() -> None:
    first = date(2024, 1, 1)
    points = [
        {"day": (first + timedelta(days=n)).isoformat(), "value": (10.0 if n % 7 >= 5 else 100.0) + n % 3}
        for n in range(56)
    ]
    points += [{"day": (first + timedelta(days=56 + n)).isoformat(), "value": 1_000.0} for n in range(7)]
    band = usual_band(points, (first + timedelta(days=56), first + timedelta(days=62)))
    assert len(band) == 7
    assert all(90 < each["low"] <= each["high"] < 110 for each in band[:5])
    assert all(5 < each["low"] <= each["high"] < 20 for each in band[5:])


def test_a_few_days_tell_no_usual_range() -> None:
    points = [{"day": f"2024-01-{n:02d}", "value": float(n)} for n in range(1, 11)]
    assert usual_band(points, (date(2024, 1, 8), date(2024, 1, 10))) == []
