"""The series that an analysis gave, as something whose movement can be asked about: a metric and its two periods.

"Why did this drop?" names neither. The metric is the measure of the last plan with its conditions, the periods are the
points between which the series moved: those that the question names, or else the largest move in its direction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, get_args

from averment.language.periods import find_periods
from averment.language.word_lists import patterns
from averment.plans.plan import Plan, Test, Value
from averment.records.base import utc_now

if TYPE_CHECKING:
    import pyarrow as pa

Grain = Literal["year", "quarter", "month", "week", "day"]
Days = tuple[date, date]

_PATTERNS = patterns("series", "averment.agents.assistant")
_DOWN = re.compile(_PATTERNS["down"], re.IGNORECASE)
_UP = re.compile(_PATTERNS["up"], re.IGNORECASE)
_OF_ANY_METRIC = re.compile(_PATTERNS["of_any_metric"], re.IGNORECASE)
_AGGREGATES = {"sum": "SUM({})", "mean": "AVG({})", "count": "COUNT({})", "distinct": "COUNT(DISTINCT {})"}
_OPERATORS = frozenset({"=", "!=", "<", "<=", ">", ">="})


@dataclass(frozen=True, slots=True)
class Series:
    """A measure over time: its SQL, the grain of its points, and the points in their order."""

    metric: str
    grain: Grain
    points: tuple[tuple[date, float], ...]

    def period(self, at: int) -> Days:
        """The first and the last day of a point."""
        first = self.points[at][0]
        return first, _after(first, self.grain) - timedelta(days=1)

    def is_meant_by(self, words: str) -> bool:
        """Whether the metric of a question is this one: it shares a word with it, or says nothing of its own."""
        own = set(re.findall(r"[a-z]+", _OF_ANY_METRIC.sub(" ", _UP.sub(" ", _DOWN.sub(" ", words.casefold())))))
        here = set(re.findall(r"[a-z]+", self.metric.casefold().replace("_", " ")))
        return not own or any(_one_word(word, other) for word in own for other in here)


def _one_word(word: str, other: str) -> bool:
    return word.rstrip("s") == other.rstrip("s")


def series_of(plan: dict[str, Any] | None, table: pa.Table | None) -> Series | None:
    """The series that a plan gave; None where its result is no single measure over time that can be followed."""
    if plan is None or table is None or "version" not in plan or "table" not in plan:
        return None
    read = Plan.model_validate(plan)
    if len(read.by) != 1 or len(read.measures) != 1 or read.joins or read.window is not None or table.num_columns != 2:
        return None
    grain, metric = _grain(read.by[0]), _metric(read)
    if grain is None or metric is None:
        return None
    points = [_point(row) for row in zip(*(column.to_pylist() for column in table.columns), strict=True)]
    known = sorted(point for point in points if point is not None)
    return Series(metric, grain, tuple(known)) if len(known) > 1 else None


def movement(series: Series, question: str) -> tuple[Days, Days]:
    """The two periods that a question about a series compares: before, and after."""
    stretches = _stretches(series, question)
    if stretches is not None:
        return stretches
    named = _named(series, question)
    if len(named) > 1:
        return series.period(named[0]), series.period(named[-1])
    if named:
        return series.period(named[0] - 1), series.period(named[0])
    moves = [after[1] - before[1] for before, after in zip(series.points, series.points[1:], strict=False)]
    down, up = bool(_DOWN.search(question)), bool(_UP.search(question))
    # The newest of equal moves: it is the one that is asked about.
    newest = range(len(moves) - 1, -1, -1)
    if down != up:
        at = (min if down else max)(newest, key=lambda place: moves[place])
    else:
        at = max(newest, key=lambda place: abs(moves[place]))
    return series.period(at), series.period(at + 1)


def break_in(series: Series) -> tuple[Days, Days, bool] | None:
    """Where a series changed its level the most: equally long stretches before and after, and whether it rose.

    The cut is the one that leaves the least spread on both of its sides together, as least squares have it. None for a
    series that never moves.
    """
    values = [value for _, value in series.points]
    count = len(values)
    shortest = min(3, count // 2)
    best, at = 0.0, 0
    for cut in range(shortest, count - shortest + 1):
        before, after = values[:cut], values[cut:]
        step = sum(after) / len(after) - sum(before) / len(before)
        weight = abs(step) * (len(before) * len(after) / count) ** 0.5
        if weight > best:
            best, at = weight, cut
    if not at:
        return None
    length = min(at, count - at)
    rose = sum(values[at : at + length]) > sum(values[at - length : at])
    return _stretch(series, at - length, at - 1), _stretch(series, at, at + length - 1), rose


def _stretch(series: Series, first: int, last: int) -> Days:
    return series.period(first)[0], series.period(last)[1]


def _stretches(series: Series, question: str) -> tuple[Days, Days] | None:
    """The two stretches of a series that a question names in full, the earlier first; None where it does not."""
    found: list[tuple[int, int]] = []
    for match in find_periods(question, anchor=series.points[-1][0]):
        if match.context or match.ambiguity or match.start is None or match.end is None:
            continue
        inside = [at for at, (day, _) in enumerate(series.points) if match.start <= day <= match.end]
        if inside:
            found.append((inside[0], inside[-1]))
    found.sort()
    if len(found) != 2 or found[0][1] >= found[1][0]:
        return None
    return _stretch(series, *found[0]), _stretch(series, *found[1])


def _named(series: Series, question: str) -> list[int]:
    """The points that a question names, by their places; the first has none before it."""
    last = series.points[-1][0]
    found: set[int] = set()
    for match in find_periods(question, anchor=last):
        if match.context or match.start is None or match.end is None:
            continue
        inside = [at for at, (day, _) in enumerate(series.points) if match.start <= day <= match.end]
        if not inside and match.ambiguity == "year_missing":
            inside = [at for at, (day, _) in enumerate(series.points) if day.month == match.start.month][-1:]
        found |= set(inside[:1] if len(inside) > 1 and match.ambiguity == "year_missing" else inside)
    named = sorted(found)
    return named if len(named) > 1 else [at for at in named if at > 0]


def _grain(value: Value) -> Grain | None:
    if value.kind == "part" and value.part in get_args(Grain):
        return value.part  # pyright: ignore[reportReturnType] - narrowed to a grain just above
    return "day" if value.kind == "column" else None


def _metric(plan: Plan) -> str | None:
    measure = plan.measures[0]
    if measure.where or (measure.of is not None and (measure.of.kind != "column" or measure.of.column is None)):
        return None
    if measure.function == "rows":
        figure = "COUNT(*)"
    elif measure.function in _AGGREGATES and measure.of is not None:
        figure = _AGGREGATES[measure.function].format(_quoted(str(measure.of.column)))
    else:
        return None
    time = {column for _, column in plan.by[0].columns()}
    tests = [test for test in plan.where if not {column for _, column in test.columns()} <= time]
    if not tests:
        return figure
    conditions = [_condition(test) for test in tests]
    if None in conditions:
        return None
    return f"SELECT {figure} FROM {_quoted(plan.table)} WHERE {' AND '.join(str(each) for each in conditions)}"


def _condition(test: Test) -> str | None:
    """A condition as SQL; None for one that is more than a column and its values."""
    plain = test.value is not None and test.value.kind == "column" and test.value.column is not None
    if not plain or test.other or test.inner or test.any_of or test.all_of or test.negated or not test.to:
        return None
    assert test.value is not None  # It is plain.
    column, values = _quoted(str(test.value.column)), [_literal(value) for value in test.to]
    if test.operator in {"in", "not in"} or (test.operator == "=" and len(values) > 1):
        return f"{column} {'NOT IN' if test.operator == 'not in' else 'IN'} ({', '.join(values)})"
    if test.operator == "between" and len(values) == 2:
        return f"{column} BETWEEN {values[0]} AND {values[1]}"
    return f"{column} {test.operator} {values[0]}" if test.operator in _OPERATORS and len(values) == 1 else None


def _literal(value: Any) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return str(value) if isinstance(value, int | float) else "'" + str(value).replace("'", "''") + "'"


def _quoted(name: str) -> str:
    if re.fullmatch(r"[a-z_][a-z0-9_]*", name):
        return name
    return '"' + name.replace('"', '""') + '"'


def _point(row: Sequence[Any]) -> tuple[date, float] | None:
    when, value = row
    if when is None or value is None:
        return None
    if isinstance(when, int):
        return (date(when, 1, 1), float(value)) if 1 <= when <= utc_now().year + 100 else None
    day = when.date() if isinstance(when, datetime) else when
    return (day, float(value)) if isinstance(day, date) else None


def _after(first: date, grain: Grain) -> date:
    """The first day of the next period."""
    if grain in {"day", "week"}:
        return first + timedelta(days=1 if grain == "day" else 7)
    months = {"month": 1, "quarter": 3, "year": 12}[grain]
    month = first.month - 1 + months
    return date(first.year + month // 12, month % 12 + 1, 1)
