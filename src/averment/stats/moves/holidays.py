"""Public holidays: which days of a span are some, by the kept calendar of a country, and what such a day weighs."""

from __future__ import annotations

from datetime import date

import numpy as np

from averment.errors import InvalidSettings
from averment.stats.moves.facts import Codes, Facts, Floats

MOST_YEARS = 40
_LEAST = 3
"""So many holidays of the past are needed to say what one weighs; with fewer, one weighs as much as a Sunday."""
_NEAR = 28


def public_holidays(country: str, first: date, last: date) -> tuple[date, ...]:
    """The public holidays of a country, or of a region of it (``US-CA``), from one day to another; none without one.

    Raises:
        InvalidSettings: there is no calendar of that country.
    """
    if not country:
        return ()
    import holidays

    name, _, region = country.partition("-")
    years = range(max(first.year, last.year - MOST_YEARS), last.year + 1)
    try:
        found = holidays.country_holidays(name, subdiv=region or None, years=years)
    except NotImplementedError as error:
        raise InvalidSettings(f"No public holiday calendar is available for {country}.") from error
    return tuple(sorted(day for day in found if first <= day <= last))


def holiday_weight(facts: Facts, weekdays: Floats) -> float:
    """What a holiday weighs beside an ordinary day: by those outside of the comparison, else as a Sunday does."""
    past = ~facts.inside[1]
    if not facts.holidays or facts.step > 1.5 or not past.any():
        return float(weekdays[6])
    stamps, at = np.unique(facts.day[past], return_inverse=True)
    totals = np.bincount(at, facts.num[past])
    is_holiday = np.isin(stamps, np.array(sorted(facts.holidays)))
    ratios: list[float] = []
    for day, total in zip(stamps[is_holiday], totals[is_holiday], strict=True):
        near = ~is_holiday & (np.abs(stamps - day) <= _NEAR)
        usual = totals[near] / weekdays[(stamps[near] - 1) % 7]
        if len(usual) >= 7 and float(np.median(usual)) > 0:
            ratios.append(float(total) / float(np.median(usual)))
    return float(np.median(ratios)) if len(ratios) >= _LEAST else float(weekdays[6])


def day_weights(facts: Facts, days: Codes, weekdays: Floats) -> Floats:
    """The weight of each of some days, by its weekday or as a holiday."""
    weights = weekdays[(days - 1) % 7]
    if not facts.holidays or bool((weekdays == 1.0).all() and facts.step > 1.5):
        return weights
    return np.where(np.isin(days, np.array(sorted(facts.holidays))), holiday_weight(facts, weekdays), weights)


def holidays_in(facts: Facts, period: tuple[int, int]) -> int:
    """How many holidays a period has."""
    return sum(period[0] <= day <= period[1] for day in facts.holidays)
