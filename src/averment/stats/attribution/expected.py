"""What was to be expected: the same span in other years, the calendar with its holidays, the trend before.

A baseline is not an expectation. A change that other years show as well is a season; one that the number of days,
weekdays and public holidays gives is the calendar; one that goes on as before is a trend. None of them is fitted
through the comparison.
"""

from __future__ import annotations

from datetime import date

import numpy as np

from averment.errors import InvalidSettings
from averment.stats.attribution.facts import Codes, Facts, Floats, Mask
from averment.stats.attribution.story import Story

_YEAR = 365.25
_NEAR_YEARS = 8
_SAME_DAYS = 6
_SHORT_STEP = 100
_GROWING_DAYS, _SURE_SLOPE = 12, 2.5
_LEAST_STEPS, _ALWAYS = 6, 0.9


def expectations(facts: Facts) -> list[Story]:
    """What other years, the calendar and the trend say of the change, as far as they say it."""
    return [story for story in (season(facts), calendar(facts), trend(facts)) if story is not None]


def same_season(facts: Facts) -> bool:
    """Whether both periods lie at the same time of the year, or are years themselves."""
    gap = (facts.periods[1][0] - facts.periods[0][0]) / _YEAR
    aligned = abs(gap - round(gap)) * _YEAR < _SAME_DAYS and abs(round(gap)) >= 1
    return aligned or (facts.days[0] > 360 and facts.days[1] > 360)


def season(facts: Facts, mask: Mask | None = None) -> Story | None:
    """The change as other years show it, of the whole or of some rows; None where they do not."""
    before, after = facts.value(0, mask), facts.value(1, mask)
    change = after - before
    if same_season(facts) or not change or not before or not np.isfinite(change):
        return None
    moves = _other_years(facts, mask, before)
    if not moves:
        return _drift(facts, change) if mask is None else None
    if mask is None and _steady(facts) is not None:
        return None  # it moves so at any time of the year
    near = np.array([move for _, move in sorted(moves, key=lambda pair: abs(pair[0]))[:_NEAR_YEARS]])
    mean = float(near.mean())
    scatter = float(near.std(ddof=1)) if len(near) > 1 else 0.4 * abs(mean)
    agree = float((np.sign(near) == np.sign(change)).mean())
    if agree < (0.8 if len(near) > 2 else 1.0) or mean / change < 0.45:
        return None
    if abs(change - mean) > max(2.5 * scatter, 0.4 * abs(mean)):
        return None
    if len(near) > 1 and abs(mean) < 1.5 * scatter / len(near) ** 0.5:
        return None
    return Story(
        kind="seasonal",
        effect=mean,
        before=before,
        after=after,
        low=mean - 2 * scatter,
        high=mean + 2 * scatter,
        count=float(len(near)),
    )


def _other_years(facts: Facts, mask: Mask | None, before: float) -> list[tuple[int, float]]:
    years = int((facts.last - facts.first) / _YEAR) + 1
    found: list[tuple[int, float]] = []
    for away in range(-years, years + 1):
        if away == 0:
            continue
        (a, b), (c, d) = ((_shift(first, away), _shift(last, away)) for first, last in facts.periods)
        one, two = facts.window(a, b, mask), facts.window(c, d, mask)
        if not (np.isfinite(one) and np.isfinite(two)):
            continue
        if facts.how == "sum" and (one <= 0 or before <= 0):
            continue
        found.append((away, (two - one) / one * before if facts.how == "sum" else two - one))
    return found


def _shift(ordinal: int, years: int) -> int:
    day = date.fromordinal(ordinal)
    try:
        return day.replace(year=day.year + years).toordinal()
    except ValueError:  # 29 February, or a year that no calendar has
        try:
            return day.replace(year=day.year + years, day=28).toordinal()
        except ValueError:
            return -(10**6)


def _drift(facts: Facts, change: float) -> Story | None:
    """With no other year at hand, only a slow one-way drift of a mean, alike in all entities, is called a season."""
    gap = facts.periods[1][0] - facts.periods[0][1]
    fits = facts.how == "ratio" and facts.panel and facts.frequency in ("day", "week", "month")
    if not fits or not 50 <= gap <= 300:
        return None
    inside = (facts.day >= facts.periods[0][0]) & (facts.day <= facts.periods[1][1])
    months = (facts.day[inside] - facts.periods[0][0]) // 30
    top, bottom = np.bincount(months, facts.num[inside]), np.bincount(months, facts.den[inside])
    path = top[bottom > 0] / bottom[bottom > 0]
    steps = np.diff(path)
    if len(path) < 4 or (np.sign(steps) == np.sign(change)).mean() < 0.66 or np.abs(steps).max() > 0.6 * abs(change):
        return None
    for name in facts.entity or ():
        for value in facts.axes[name].labels:
            mask = facts.mask({name: value})
            own = facts.value(1, mask) - facts.value(0, mask)
            if np.isfinite(own) and np.sign(own) != np.sign(change):
                return None
    return Story(kind="seasonal", effect=change, before=facts.value(0), after=facts.value(1), count=0.0)


def weekday_weights(facts: Facts) -> Floats:
    """The usual weight of each weekday from all days but those of the comparison; ones where there are too few."""
    near = ~facts.inside[1] & (np.abs(facts.day - facts.periods[0][0]) < 200)
    if facts.holidays:
        near &= ~np.isin(facts.day, np.array(sorted(facts.holidays)))
    if facts.step > 1.5 or not near.any():
        return np.ones(7)
    stamps, at = np.unique(facts.day[near], return_inverse=True)
    daily = np.bincount(at, facts.num[near])
    weekday = (stamps - 1) % 7
    if len(daily) < 14 or len(np.unique(weekday)) < 7:
        return np.ones(7)
    mean = np.array([daily[weekday == d].mean() for d in range(7)])
    scatter = float(np.mean([daily[weekday == d].std() for d in range(7)])) / (len(daily) / 7) ** 0.5
    if mean.std() < 2 * scatter or mean.mean() <= 0 or (mean < 0).any():
        return np.ones(7)
    return mean / mean.mean()


def calendar(facts: Facts) -> Story | None:
    """What days and weekdays alone give, where that is most of the change."""
    change = facts.change
    if facts.how != "sum" or facts.averaged or not change:
        return None
    expected = calendar_part(facts)
    if facts.days[0] == facts.days[1] and abs(expected) < 0.02 * abs(facts.value(0)):
        return None
    if not 0.5 <= expected / change <= 1.8:
        return None
    return Story(
        kind="calendar",
        effect=expected,
        before=float(facts.days[0]),
        after=float(facts.days[1]),
        count=float(facts.days[1]),
        low=float(holidays_in(facts, facts.periods[0])) if facts.holidays else None,
        high=float(holidays_in(facts, facts.periods[1])) if facts.holidays else None,
    )


def calendar_part(facts: Facts) -> float:
    """What a sum gains by the days of the comparison alone."""
    if facts.how != "sum" or facts.averaged or facts.counts_units:
        return 0.0
    if facts.panel and facts.frequency != "day":
        before, after = facts.dates
        return facts.value(0) * (after / before - 1) if before and before != after else 0.0
    return facts.value(0) * (exposure(facts) - 1)


def exposure(facts: Facts) -> float:
    """How many baselines the comparison is worth by its days, weekdays and holidays."""
    usual = weekday_weights(facts)
    weight = [float(day_weights(facts, np.arange(a, b + 1), usual).sum()) for a, b in facts.periods]
    return weight[1] / weight[0] if weight[0] else 1.0


def trend(facts: Facts) -> Story | None:
    """The change where the steps of the same length before it were as large: it goes on as it did."""
    change = facts.change
    gap = facts.periods[1][0] - facts.periods[0][0]
    if not change or gap <= 0:
        return None
    if not same_season(facts) and (always := _steady(facts)) is not None:
        return always
    if not same_season(facts) and facts.last - facts.first > 600 and gap > 25:
        return None
    years = gap / _YEAR
    whole = round(years) >= 1 and abs(years - round(years)) * _YEAR < _SAME_DAYS
    steps, levels = _steps_before(facts, gap, round(years) if whole else 0)
    enough = len(steps) >= 3 or (len(steps) == 2 and whole and min(np.sign(steps) * np.sign(change)) > 0)
    if not enough:
        return _line(facts, change, gap) or _growth(facts, change, gap)
    relative = facts.how == "sum" and min(levels) > 0
    near = np.array([s / level * facts.value(0) if relative else s for s, level in zip(steps, levels, strict=True)][:6])
    mean, scatter = float(near.mean()), float(near.std(ddof=1))
    agree = float((np.sign(near) == np.sign(change)).mean())
    fits = 0.4 <= mean / change <= 2.6 and abs(change - mean) <= max(2.5 * scatter, 0.5 * abs(mean))
    if agree < (0.8 if len(near) > 4 else 1.0) or not fits or abs(mean) < scatter:
        return None
    return _going_on(facts, near)


def _steady(facts: Facts) -> Story | None:
    """A trend that goes on all year: steps of this length went the same way at nearly every time of more than a year.

    What a season gives comes and goes within the year, so its steps do not keep their sign.
    """
    change, gap = facts.change, facts.periods[1][0] - facts.periods[0][0]
    if not change or gap <= 0 or gap > _SHORT_STEP:
        return None
    steps, levels = _steps_before(facts, gap, 0)
    if len(steps) < _LEAST_STEPS or len(steps) * gap < _YEAR:
        return None
    relative = facts.how == "sum" and min(levels) > 0
    all_steps = np.array([s / lv * facts.value(0) if relative else s for s, lv in zip(steps, levels, strict=True)])
    agree = float((np.sign(all_steps) == np.sign(change)).mean())
    mean, scatter = float(all_steps.mean()), float(all_steps.std(ddof=1))
    if agree < _ALWAYS or not 0.4 <= mean / change <= 2.6 or abs(change - mean) > max(2.5 * scatter, 0.5 * abs(mean)):
        return None
    return _going_on(facts, all_steps)


def _going_on(facts: Facts, steps: Floats) -> Story:
    """The change as one more of such steps: their mean, and twice their scatter around it."""
    mean, scatter = float(steps.mean()), float(steps.std(ddof=1))
    return Story(
        kind="trend",
        effect=mean,
        before=facts.value(0),
        after=facts.value(1),
        low=mean - 2 * scatter,
        high=mean + 2 * scatter,
        count=float(len(steps)),
    )


def _steps_before(facts: Facts, gap: int, years: int) -> tuple[list[float], list[float]]:
    steps: list[float] = []
    levels: list[float] = []
    for back in range(1, 40):
        spans = _earlier(facts, gap, years, back)
        if spans is None:
            break
        (a, b), (c, d) = spans
        one, two = facts.window(a, b), facts.window(c, d)
        if not (np.isfinite(one) and np.isfinite(two)):
            break
        steps.append(two - one)
        levels.append(one)
    return steps, levels


def _earlier(facts: Facts, gap: int, years: int, back: int) -> tuple[tuple[int, int], tuple[int, int]] | None:
    """Both periods so many steps earlier: by years, by days, or by dates where months and quarters differ in days."""
    if years or facts.frequency in ("day", "week"):
        before, after = (
            tuple(_shift(day, -years * back) if years else day - gap * back for day in period)
            for period in facts.periods
        )
        return (before[0], before[1]), (after[0], after[1])
    stamps = facts.stamps
    ends = [(int(np.searchsorted(stamps, a)), int(np.searchsorted(stamps, b, "right")) - 1) for a, b in facts.periods]
    away = (ends[1][0] - ends[0][0]) * back
    if away <= 0 or ends[0][0] < away:
        return None
    (a, b), (c, d) = ends
    return (
        (int(stamps[a - away]), int(stamps[b - away])),
        (int(stamps[c - away]), int(stamps[d - away])),
    )


def _line(facts: Facts, change: float, gap: int) -> Story | None:
    """A straight line through the time before, where it tells most of that time's scatter."""
    past = facts.day < facts.periods[1][0]
    stamps, at = np.unique(facts.day[past], return_inverse=True)
    if len(stamps) < 12 or stamps[-1] - stamps[0] < 2.5 * gap:
        return None
    line = np.bincount(at, facts.num[past])
    if facts.how == "ratio":
        bottom = np.bincount(at, facts.den[past])
        if (bottom == 0).any():
            return None
        line = line / bottom
    at_days = (stamps - stamps[0]).astype(np.float64)
    slope, start = np.polyfit(at_days, line, 1)
    rest = line - slope * at_days - start
    fit = 1.0 - float(rest.var() / line.var()) if line.var() else 0.0
    expected = float(slope) * gap * (1.0 if facts.how == "ratio" or facts.averaged else facts.dates[1])
    if fit <= 0.6 or not 0.5 <= expected / change <= 1.8:
        return None
    return Story(kind="trend", effect=expected, before=facts.value(0), after=facts.value(1), count=0.0)


def _growth(facts: Facts, change: float, gap: int) -> Story | None:
    """With little time before: the slope of the days before the comparison, weekdays taken out, where it is sure.

    A period as long as the baseline alone shows whether a sum, or the number of its rows, was growing through it
    already.
    """
    if facts.how != "sum" or facts.averaged or facts.counts_units or facts.step > 1.5:
        return None
    first = max(facts.first, facts.periods[0][0] - 2 * gap)
    length = facts.periods[1][0] - first
    past = (facts.day >= first) & (facts.day < facts.periods[1][0])
    if length < _GROWING_DAYS:
        return None
    for values in (facts.rows, facts.num):
        daily = np.bincount(facts.day[past] - first, values[past], length).astype(np.float64)
        slope = _slope(daily, first)
        expected = facts.value(0) * float(np.expm1(slope * gap))
        if slope and 0.5 <= expected / change <= 1.8:
            return Story(kind="trend", effect=expected, before=facts.value(0), after=facts.value(1), count=0.0)
    return None


def _slope(daily: Floats, first: int) -> float:
    """The growth of a series by the day, weekdays taken out; zero where it is not sure."""
    length = len(daily)
    if (daily <= 0).any():
        return 0.0
    days = np.arange(length, dtype=np.float64)
    weekday = (first + np.arange(length) - 1) % 7
    columns = [days - days.mean(), *((weekday == d).astype(np.float64) for d in np.unique(weekday))]
    matrix = np.stack(columns, axis=1)
    line = np.log(daily)
    fitted, *_ = np.linalg.lstsq(matrix, line, rcond=None)
    rest = line - matrix @ fitted
    free = length - matrix.shape[1]
    error = (float((rest**2).sum()) / max(free, 1) / float((columns[0] ** 2).sum())) ** 0.5
    slope = float(fitted[0])
    return slope if free >= 4 and abs(slope) >= _SURE_SLOPE * error else 0.0


def expected_range(facts: Facts) -> tuple[str, float, float, float] | None:
    """What the comparison was expected to be: the ground of it, the value, and the ends of an interval."""
    before = facts.value(0)
    if facts.grouped or not np.isfinite(before):
        return None
    if not same_season(facts):
        moves = _other_years(facts, None, before)
        if len(moves) >= 2:
            near = np.array([m for _, m in sorted(moves, key=lambda pair: abs(pair[0]))[:_NEAR_YEARS]])
            middle, width = before + float(near.mean()), 2 * float(near.std(ddof=1))
            return "season", middle, middle - width, middle + width
    gap = facts.periods[1][0] - facts.periods[0][0]
    years = gap / _YEAR
    whole = round(years) >= 1 and abs(years - round(years)) * _YEAR < _SAME_DAYS
    steps, _ = _steps_before(facts, gap, round(years) if whole else 0) if gap > 0 else ([], [])
    if len(steps) >= 3:
        near = np.array(steps[:_NEAR_YEARS])
        middle, width = before + float(np.median(near)), 2 * float(near.std(ddof=1))
        return "trend", middle, middle - width, middle + width
    return None


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
