"""Which periods at the ends of a series the data do not cover: decided by the days on which they have rows.

An end is not whole if it begins later, or ends earlier, than the others do; where these are few, if the days it lacks
are more than ever lie between two rows. Data of few days, of business days or of one day a period are measured by
themselves, so that what is missing there every time is not missed at the ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import pairwise
from statistics import fmean
from typing import TYPE_CHECKING

from averment.claims.kinds import part_kind
from averment.claims.speech import listed
from averment.errors import PolicyError, ToolError
from averment.evidence.formats import write
from averment.plans.compile import compile_plan
from averment.plans.plan import Measure, Plan, Value, Window
from averment.plans.registry import WINDOWS

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import EndsLeftOut

MOST_DAYS = 20_000
FEW_PERIODS = 4
"""From so many other periods on an end is held against them, and not against the days between rows."""

UNUSUAL = 4
"""So many times what lies between rows on average is more than chance."""

LEAST_SHARE = 0.05
"""A period that lacks less of its time than this is as good as whole."""

Spans = Mapping[datetime, tuple[datetime, datetime]]
"""The periods that have rows: when each begins, and the first and last moment of its rows."""


def ends_left_out(work: RunContext, plan: Plan) -> EndsLeftOut | None:
    """The first and last period of a series in time that are not whole, and how that is said; None if both are."""
    keys = [value for value in plan.by if value.kind == "part" and value.part in _LENGTHS and value.number is None]
    other = plan.statistic or plan.rank or plan.asks
    if (
        len(keys) != 1
        or not plan.measures
        or other
        or (plan.window is not None and not compares_neighbours(plan.window))
    ):
        return None
    key = keys[0]
    try:
        spans, between = _covered(work, key)
    except (ToolError, PolicyError):
        return None
    if len(spans) < 2:
        return None
    first, last = min(spans), max(spans)
    part, kind = key.part or "", part_kind(key)
    begins, ends = spans[first][0], spans[last][1] - (timedelta() if part == "day" else timedelta(days=1))
    told: list[tuple[datetime, str]] = []
    if _is_short(spans, between, part, first, late=True):
        told.append((first, f"begin on {_written(begins, part)}"))
    if _is_short(spans, between, part, last):
        told.append((last, f"end on {_written(ends, part)}"))
    if not told:
        return None
    periods = [str(start.year) if part == "year" else str(start.date()) for start, _ in told]
    names = listed([write(each, kind) for each in periods])
    are = "is not whole and is" if len(told) == 1 else "are not whole and are"
    said = f"The data {' and '.join(how for _, how in told)}, so {names} {are} left out of the comparison."
    return {"periods": periods, "said": said}


def compares_neighbours(window: Window) -> bool:
    """Whether a window sets each period against an earlier one."""
    return bool(WINDOWS[window.kind].compares) and window.span is None


def _written(moment: datetime, part: str) -> str:
    return f"{moment:%Y-%m-%d %H:%M}" if part == "day" else f"{moment:%Y-%m-%d}"


def _covered(work: RunContext, key: Value) -> tuple[dict[datetime, tuple[datetime, datetime]], list[float]]:
    """The periods that have rows, and how many days lie between one day with rows and the next."""
    by = key.model_copy(update={"part": "day"})
    column = Value(table=key.table, column=key.column)
    measures = (Measure(function="min", of=column), Measure(function="max", of=column))
    composed = compile_plan(Plan(table=key.table or "", by=(by,), measures=measures)).compose(work.catalog.dialect)
    table = work.queries.probe(composed.sql, composed.params, row_limit=MOST_DAYS, timeout=10.0).table
    rows = [[_moment(value) for value in row.values()] for row in table.to_pylist()]
    known = sorted(tuple(each for each in row if each is not None) for row in rows if None not in row)
    spans: dict[datetime, tuple[datetime, datetime]] = {}
    for day, first, last in known:
        start = _start(day, key.part or "")
        begins, ends = (first, last) if key.part == "day" else (day, day + timedelta(days=1))
        spans[start] = (spans[start][0] if start in spans else begins, ends)
    return spans, [float((two[0] - one[0]).days - 1) for one, two in pairwise(known)]


def _is_short(spans: Spans, between: Sequence[float], part: str, end: datetime, *, late: bool = False) -> bool:
    """Whether the data begin too late in their first period, or end too early in their last."""

    def lacks(start: datetime) -> float:
        begins, ends = spans[start]
        return ((begins - start) if late else (_end(start, part) - ends)) / timedelta(days=1)

    missing, others = lacks(end), [lacks(start) for start in spans if start != end]
    if missing < LEAST_SHARE * ((_end(end, part) - end) / timedelta(days=1)):
        return False
    usual = others if len(others) >= FEW_PERIODS or part == "day" else between
    return len(usual) >= FEW_PERIODS and missing > max(usual) and missing >= UNUSUAL * fmean(usual)


def _start(day: datetime, part: str) -> datetime:
    match part:
        case "week":
            return day - timedelta(days=day.weekday())
        case "month":
            return day.replace(day=1)
        case "quarter":
            return day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        case "year":
            return day.replace(month=1, day=1)
        case _:
            return day


_LENGTHS = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}
"""The periods of a calendar, and how many days each has at most."""


def _end(start: datetime, part: str) -> datetime:
    """When the period ends: where the next one begins."""
    exact = part in {"day", "week"}
    return start + timedelta(days=_LENGTHS[part]) if exact else _start(start + timedelta(days=_LENGTHS[part]), part)


def _moment(value: object) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError:
            return None
    if isinstance(value, datetime):
        return value.replace(tzinfo=None)
    return datetime(value.year, value.month, value.day) if isinstance(value, date) else None
