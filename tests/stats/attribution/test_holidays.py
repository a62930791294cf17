"""Public holidays as part of the calendar: which days they are, what they weigh, and that nobody guesses a country."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from averment.errors import InvalidSettings
from averment.stats.attribution.expected import calendar, holiday_weight, public_holidays
from averment.stats.attribution.facts import CodedAxis, Facts

FIRST, LAST = date(2022, 6, 1), date(2024, 5, 31)


def sales(holidays: tuple[date, ...]) -> Facts:
    """Two years of rows, fewer at weekends, hardly any on holidays; May 2024 has two of them, March none."""
    rng = np.random.default_rng(3)
    days: list[int] = []
    day = FIRST
    while day <= LAST:
        count = 12 if day in holidays else 60 if day.weekday() < 5 else 25
        days += [day.toordinal()] * int(rng.poisson(count))
        day += timedelta(days=1)
    stamps = np.array(days)
    ones = np.ones(len(stamps))
    return Facts(
        day=stamps,
        num=ones,
        den=ones,
        rows=ones,
        empty=0 * ones,
        squares=ones,
        cross=ones,
        weights=ones,
        axes={"shop": CodedAxis(codes=np.arange(len(stamps)) % 3, labels=("a", "b", "c"))},
        how="sum",
        counts_rows=True,
        periods=(
            (date(2024, 3, 4).toordinal(), date(2024, 3, 24).toordinal()),
            (date(2024, 4, 29).toordinal(), date(2024, 5, 19).toordinal()),
        ),
        holidays=frozenset(day.toordinal() for day in holidays),
    )


def test_the_days_are_those_of_the_country_and_region() -> None:
    german = public_holidays("DE", FIRST, LAST)
    assert date(2024, 5, 1) in german and date(2023, 12, 25) in german
    assert date(2023, 11, 1) not in german
    assert date(2023, 11, 1) in public_holidays("DE-BY", FIRST, LAST)


def test_no_country_is_guessed_and_an_unknown_one_is_refused() -> None:
    assert public_holidays("", FIRST, LAST) == ()
    with pytest.raises(InvalidSettings):
        public_holidays("ZZ", FIRST, LAST)


def test_a_drop_that_holidays_make_is_the_calendar() -> None:
    facts = sales(public_holidays("DE", FIRST, LAST))
    assert holiday_weight(facts, np.ones(7)) < 0.5
    story = calendar(facts)
    assert story is not None
    assert (story.low, story.high) == (0.0, 2.0)
    assert 0.6 < (story.effect or 0.0) / facts.change < 1.4
    assert calendar(replace(facts, holidays=frozenset())) is None
