"""What a row is decides how a change is read: keyed panels, steady growth, and the part of a segment that moved."""

from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from averment.stats.attribution.facts import CodedAxis, Facts
from averment.stats.attribution.tell import read_moves

MONTHS = [date(2022 + n // 12, n % 12 + 1, 1).toordinal() for n in range(30)]


def months(values: np.ndarray, dims: dict[str, np.ndarray], day: np.ndarray, key: np.ndarray | None = None) -> Facts:
    """Rows of a table by the month; the last two months are compared."""
    axes: dict[str, CodedAxis] = {}
    for name, column in dims.items():
        labels, codes = np.unique(column, return_inverse=True)
        axes[name] = CodedAxis(codes=codes.astype(np.int64), labels=tuple(str(label) for label in labels))
    ones = np.ones(len(values))
    return Facts(
        day=day,
        num=values,
        den=ones,
        rows=ones,
        empty=np.zeros(len(values)),
        squares=values**2,
        cross=values,
        weights=ones,
        axes=axes,
        how="sum",
        counts_rows=False,
        periods=((MONTHS[-2], MONTHS[-1] - 1), (MONTHS[-1], MONTHS[-1] + 30)),
        key=key,
    )


def accounts(leaving: bool, seed: int = 4) -> Facts:
    """Two hundred accounts by the month, some of which leave in the last one: all large ones of one region."""
    random = np.random.default_rng(seed)
    plan = np.where(random.random(200) < 0.2, "large", "small")
    region = np.array(["north", "south"])[random.integers(0, 2, 200)]
    fee = np.where(plan == "large", 900.0, 50.0) * random.uniform(0.9, 1.1, 200)
    rows: list[tuple[int, int]] = []
    for number in range(200):
        for month, day in enumerate(MONTHS):
            gone = leaving and month == len(MONTHS) - 1 and plan[number] == "large" and region[number] == "north"
            if not (gone and number % 2):
                rows.append((number, day))
    at = np.array([number for number, _ in rows], dtype=np.int64)
    day = np.array([day for _, day in rows], dtype=np.int64)
    value = fee[at] * np.random.default_rng(seed + 1).normal(1.0, 0.01, len(at))
    return months(value, {"plan": plan[at], "region": region[at]}, day, at)


def test_accounts_that_leave_are_told_by_where_they_were() -> None:
    facts = accounts(leaving=True)
    assert facts.panel
    stories = read_moves(facts).stories
    assert stories[0].segment == {"plan": "large", "region": "north"}


def test_accounts_that_stay_tell_nothing() -> None:
    assert not [story for story in read_moves(accounts(leaving=False)).stories if story.segment]


@pytest.mark.parametrize("seed", range(4))
def test_growth_at_any_time_of_the_year_is_a_trend_and_no_season(seed: int) -> None:
    random = np.random.default_rng(seed)
    regions = np.tile(np.array(["north", "south", "west"]), len(MONTHS))
    day = np.repeat(np.array(MONTHS, dtype=np.int64), 3)
    grown = 1.03 ** np.repeat(np.arange(len(MONTHS)), 3)
    value = 500.0 * grown * random.normal(1.0, 0.01, len(day))
    stories = read_moves(months(value, {"region": regions}, day)).stories
    assert stories[0].kind == "trend"
