"""Faults of the data are found on the daily series, and an ordinary series has none."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from averment.stats.attribution.attribute import attribute
from averment.stats.attribution.calendar import DailySeries, DaySpan
from averment.stats.attribution.quality import find_faults

from .conftest import World, generate

FIRST = date(2025, 3, 3)
BASELINE = DaySpan(first=FIRST, last=FIRST + timedelta(days=13))
COMPARISON = DaySpan(first=FIRST + timedelta(days=14), last=FIRST + timedelta(days=27))


def series(seed: int = 0, rows_a_day: float = 1000.0) -> DailySeries:
    random = np.random.default_rng(seed)
    days = tuple(FIRST + timedelta(days=number) for number in range(28))
    rows = random.poisson([rows_a_day * (0.4 if day.weekday() >= 5 else 1.0) for day in days]).astype(float)
    totals = rows * 25.0 * np.exp(0.03 * random.standard_normal(28))
    return DailySeries(days=days, rows=rows, totals=totals, nulls=np.round(0.01 * rows))


def without(plain: DailySeries, dropped: set[int]) -> DailySeries:
    kept = [number for number in range(len(plain.days)) if number not in dropped]
    return DailySeries(
        days=tuple(plain.days[number] for number in kept),
        rows=plain.rows[kept],
        totals=plain.totals[kept],
        nulls=plain.nulls[kept],
    )


def scaled(array: np.ndarray, numbers: list[int], factor: float) -> np.ndarray:
    changed = array.copy()
    changed[numbers] *= factor
    return changed


def kinds(given: DailySeries) -> list[str]:
    return [fault.kind for fault in find_faults(given, BASELINE, COMPARISON)]


@pytest.mark.parametrize("seed", range(60))
def test_an_ordinary_series_has_no_fault(seed: int) -> None:
    assert kinds(series(seed)) == []


@pytest.mark.parametrize("seed", range(5))
def test_missing_days_are_found_and_named(seed: int) -> None:
    [fault] = find_faults(without(series(seed), {17, 18}), BASELINE, COMPARISON)
    assert fault.kind == "missing_days"
    assert fault.days == ("2025-03-20", "2025-03-21")
    assert fault.factor == pytest.approx(1 - 2 / 11.6, abs=0.03)


def test_a_weekday_that_never_has_rows_is_not_missing() -> None:
    assert kinds(without(series(), {5, 6, 12, 13, 19, 20, 26, 27})) == []
    assert kinds(without(series(), {6, 13, 20, 27})) == []


@pytest.mark.parametrize("seed", range(5))
def test_a_day_loaded_twice_is_found(seed: int) -> None:
    plain = series(seed)
    doubled = replace(plain, rows=scaled(plain.rows, [16], 2.0), totals=scaled(plain.totals, [16], 2.0))
    [fault] = find_faults(doubled, BASELINE, COMPARISON)
    assert (fault.kind, fault.days) == ("duplicated_load", ("2025-03-19",))


def test_a_day_loaded_twice_is_seen_by_its_distinct_rows() -> None:
    plain = series(3)
    doubled = replace(plain, rows=scaled(plain.rows, [16], 2.0))
    [fault] = find_faults(doubled, BASELINE, COMPARISON, distinct=plain.rows.tolist())
    assert (fault.kind, fault.days) == ("duplicated_load", ("2025-03-19",))


def test_a_surge_of_nulls_is_found() -> None:
    plain = series(1)
    assert kinds(replace(plain, nulls=np.where(np.arange(28) >= 20, 0.4 * plain.rows, plain.nulls))) == ["null_surge"]


@pytest.mark.parametrize("factor", [100.0, 1000.0, 0.01, 0.001])
def test_a_change_of_unit_is_found_with_its_factor(factor: float) -> None:
    plain = series(2)
    [fault] = find_faults(
        replace(plain, totals=scaled(plain.totals, list(range(21, 28)), factor)), BASELINE, COMPARISON
    )
    assert (fault.kind, fault.factor, len(fault.days)) == ("unit_change", factor, 7)


def test_last_days_that_have_not_arrived_are_late_data() -> None:
    plain = series(4)
    late = replace(plain, rows=plain.rows * np.where(np.arange(28) == 27, 0.1, np.where(np.arange(28) == 26, 0.5, 1.0)))
    assert kinds(late) == ["late_data"]


def test_a_missing_day_is_blamed_before_any_segment() -> None:
    cube, options = generate(World(seed=3))
    assert options.daily is not None
    lost = 17
    share = 1.0 - float(options.daily.rows[lost] / options.daily.rows[14:].sum())
    after = replace(
        cube.comparison,
        **{name: share * getattr(cube.comparison, name) for name in ("rows", "total", "squares", "hits", "weight")},
    )
    answer = attribute(replace(cube, comparison=after), replace(options, daily=without(options.daily, {lost})))
    assert answer.verdict == "data_fault"
    assert answer.segments == ()
    assert answer.explanations[0].contribution < 0
    assert answer.faults[0].kind == "missing_days"
