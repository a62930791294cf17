"""Understanding questions about a series: which operation, which measure, in which steps."""

from __future__ import annotations

import re

from averment.agents.analyst.parts.draft import Draft, Unclear, day_of
from averment.agents.analyst.parts.gather import Parts, gather, measure_of, which_measure
from averment.agents.analyst.parts.nouns import Dimension, Grain, Measure
from averment.agents.analyst.parts.times import grain_named
from averment.agents.analyst.series.reading import STEPS_A_YEAR, Operation, SeriesReading

_COUNT = r"\d+|two|three|four|five|six|seven|eight|nine|ten|twelve"
_UNIT = r"d|days?|weeks?|months?|quarters?|years?|periods?|points?|rows?"
_SPAN = rf"(?P<n{{0}}>{_COUNT})[- ]?(?P<u{{0}}>{_UNIT})"
_MOVING = re.compile(
    rf"(?:\b{_SPAN.format(1)}[- ]+)?\b(?:simple |centered )?(?:moving|rolling|trailing)[- ]+(?:{_SPAN.format(2)}[- ]+)?"
    r"(?P<what>average|mean|avg|sum|total)s?\b"
)
_WINDOW = re.compile(
    rf"\b(?:with |using |and )?(?:an? )?window(?: size| length)?(?: of| =)? ?(?P<n>{_COUNT})(?:[- ](?P<u>{_UNIT}))?\b"
    rf"|\b(?:over|of|across|for|spanning) (?:the )?(?:last |past |previous |every )?(?P<n2>{_COUNT})[- ]"
    rf"(?P<u2>{_UNIT})\b"
)
_RUNNING = r"\b(?:cumulative(?:ly)?|running|accumulated|accumulating)\b(?:[- ](?:totals?|sums?))?"
_YEARLY = (
    r"\byear[- ](?:over|on|to)[- ]year\b|\byoy\b|\by/y\b|\b(?:versus|vs\.?|compared (?:to|with)|against|over) "
    r"(?:the )?(?:same (?:month|quarter|period|time) (?:of |in )?(?:the )?)?(?:last|previous|prior) year\b"
)
_CHANGE = (
    r"\b(?:growth(?: rates?)?|grew|grow|growing|(?:percent(?:age)?|pct|%|relative|absolute) "
    r"(?:change|growth|increase)s?|change[sd]?|increase[sd]?|decrease[sd]?|decline[sd]?|"
    r"(?:daily|weekly|monthly|percent(?:age)?|simple) returns?)\b"
)
_STEPWISE = (
    r"\b(?:period (?:over|on|to) period|from (?:one )?(?:period|month|quarter|year|week|day) to (?:the )?next)\b"
)
_LOG = r"\blog(?:arithmic)?[- ]returns?\b"
_TREND = r"\b(?:trend(?:s|ing)?|over time|through time|time series)\b"
_FILL = r"\b(?:forward[- ]?fill(?:ed|ing)?|ffill|carry (?:the )?last (?:known )?(?:value|observation) forward)\b"
_OTHERS = re.compile(
    r"\b(?:anal[yi][sz]e|correlat\w*|significan\w*|forecast\w*|predict\w*|regress\w*|test|season\w*|interpolat\w*)\b"
)
_SAME_DAYS = re.compile(r"\bsame (?:period|time|span|dates?|days)\b")
_NUMBERS: dict[str, int] = dict(
    zip("two three four five six seven eight nine ten twelve".split(), (*range(2, 11), 12), strict=True)
)
LONG, MIDDLE = 6 * 366, 92
"""Days from which a series without a said step goes by years, and by months."""

LONGEST_STEP: dict[Grain, int] = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}
_OF_GROWTH = re.compile(
    r"\b(?:average|mean|median|typical|compound|total|overall)(?: annual| monthly| weekly| daily| quarterly| yearly)? "
    r"(?:growth|change|increase|decrease|returns?)\b"
)


def read_series(draft: Draft) -> SeriesReading | Unclear | None:
    """The series a question asks for; None when it asks for none."""
    if _OTHERS.search(draft.folded):
        return None
    operation, window, unit = _operation(draft)
    if operation is None:
        return None
    parts = gather(draft)
    if operation == "year_over_year" and parts.times.grain is None and _SAME_DAYS.search(draft.folded):
        return None  # a period against the same days of the year before is a contrast
    if operation == "growth" and _is_contrast(parts):
        return None
    if _OF_GROWTH.search(draft.folded):
        return Unclear("Shall I show the growth of each period? An average of growth rates I do not compute.")
    if operation == "growth" and parts.times.changing == "year" and parts.times.grain not in {None, "year"}:
        operation = "year_over_year"
    if parts.times.column is None:
        return _no_time(draft)
    measure = measure_of(draft, parts)
    if measure is None:
        return Unclear(which_measure(draft, parts))
    if operation.startswith("moving") and window is None:
        return Unclear(
            f"Over how many periods shall the moving average go? For example: 3-month moving average of "
            f"{measure.column or 'the number of rows'}."
        )
    grain = _grain(draft, parts, operation, unit)
    if isinstance(grain, Unclear):
        return grain
    return _made(draft, parts, operation, measure, grain, window)


def _made(
    draft: Draft, parts: Parts, operation: Operation, measure: Measure, grain: Grain, window: int | None
) -> SeriesReading | Unclear:
    column = draft.column(parts.times.column or "")
    splits = [split for split in parts.splits if split.column != column.name]
    if len(splits) > 1 or parts.loose:
        return Unclear(f"A series can be split by one column. By which one? {_names(draft)}")
    if operation == "year_over_year" and str(column.minimum)[:4] == str(column.maximum)[:4]:
        return Unclear(f"{column.name} lies within one year, so there is no year before to compare with.")
    if operation == "running_total" and not measure.adds_up:
        return Unclear(f"A running total adds values up. Do you mean the running total of {measure.column}?")
    if operation == "filled" and measure.column is None:
        return Unclear(which_measure(draft))
    if len(parts.times.periods) > 1:
        return Unclear("For which one period? The question names several.")
    period = parts.times.period
    return SeriesReading(
        operation=operation,
        table=draft.profile.table,
        measure=measure,
        time=Dimension(column=column.name, grain=grain),
        split=splits[0] if splits else None,
        filters=parts.filters,
        period=period,
        window=window or 1,
    )


def _operation(draft: Draft) -> tuple[Operation | None, int | None, str | None]:
    moving = draft.take(_MOVING)
    if moving is not None:
        window, unit = moving["n1"] or moving["n2"], moving["u1"] or moving["u2"]
        if window is None:
            said = draft.take(_WINDOW)
            if said is not None:
                window, unit = said["n"] or said["n2"], said["u"] or said["u2"]
        kind: Operation = "moving_sum" if moving["what"] in {"sum", "total"} else "moving_average"
        return kind, _number(window), unit
    if draft.take(_LOG):
        return "log_return", None, None
    if draft.take(_FILL):
        return "filled", None, None
    if draft.take(_RUNNING):
        draft.take(r"\bover time\b")
        return "running_total", None, None
    if draft.take(_YEARLY):
        draft.take(_CHANGE)
        return "year_over_year", None, None
    changing = re.search(
        r"\b(day|week|month|quarter|year)[- ](?:over|on|to|by|after)[- ]\1\b|\b[mqwd]o[mqwd]\b", draft.folded
    )
    if draft.take(_STEPWISE) or draft.take(_CHANGE) or changing:
        draft.take(_CHANGE)
        draft.take(r"\bover time\b")
        return "growth", None, None
    if draft.take(_TREND):
        draft.take(_TREND)
        return "trend", None, None
    return None, None, None


def _number(said: str | None) -> int | None:
    if said is None:
        return None
    number = int(said) if said.isdigit() else _NUMBERS[said]
    return number if 2 <= number <= 1000 else None


def _is_contrast(parts: Parts) -> bool:
    """Whether two periods, or two values of one column, are compared, which is no series."""
    periods = parts.times.periods
    stepwise = parts.times.grain is not None or parts.times.changing is not None
    ranged = len(periods) == 1 and periods[0].bound == "range" and not stepwise
    columns = [value.column for value in parts.values]
    return len(periods) > 1 or ranged or (len(columns) == 2 and len(set(columns)) == 1 and not stepwise)


def _grain(draft: Draft, parts: Parts, operation: Operation, unit: str | None) -> Grain | Unclear:
    said = grain_named((unit or "").rstrip("s").replace("d", "day", 1) if unit == "d" else (unit or "").rstrip("s"))
    changing = parts.times.changing if operation != "year_over_year" else None
    asked = parts.times.grain or changing or _own_step(parts, operation)
    if said is not None and asked is not None and said != asked:
        return Unclear(f"Shall the window of {said}s go over values by {asked} or by {said}?")
    grain = said or asked
    if operation == "year_over_year":
        grain = grain or "year"
        if grain not in STEPS_A_YEAR:
            return Unclear("Year over year can be told by month, by quarter or by year. Which one?")
    return grain or usual_grain(draft, parts.times.column or "")


def _own_step(parts: Parts, operation: Operation) -> Grain | None:
    """The step of growth "in 2023" is the year: that year against the one before."""
    if operation not in {"growth", "log_return"} or len(parts.times.periods) != 1:
        return None
    match = parts.times.periods[0]
    grain = grain_named(match.grain)
    if grain is None or match.bound != "within" or match.start is None or match.end is None:
        return None
    days = (match.end - match.start).days + 1
    return grain if days <= LONGEST_STEP[grain] else None


def usual_grain(draft: Draft, name: str) -> Grain:
    """The step a series goes in where none is said, from how long it is."""
    column = draft.column(name)
    first, last = day_of(column.minimum), day_of(column.maximum)
    days = (last - first).days if first is not None and last is not None else 0
    return "year" if days > LONG else "month" if days > MIDDLE else "day"


def _no_time(draft: Draft) -> Unclear:
    names = [column.name for column in draft.timestamps]
    if names:
        return Unclear(f"Along which date: {' or '.join(names)}?")
    return Unclear(f"The table {draft.profile.table} has no date, so there is no series in time.")


def _names(draft: Draft) -> str:
    return f"{draft.profile.table} has: {', '.join(column.name for column in draft.dimensions)}."
