"""What kind of value a column of a result holds: read off the plan first, then its heading, then its values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from averment.evidence.formats import IN, MEASURED, write
from averment.evidence.values import Scalar, as_decimal
from averment.plans.names import MODELS_LABEL
from averment.plans.registry import AGGREGATES

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.plans.plan import Measure, Value

_PARTS = {
    "year": "year",
    "quarter": "quarter",
    "month": "month",
    "week": "week",
    "day": "date",
    "hour": "hour",
    "decade": "decade",
}
_DURATIONS = frozenset({"days", "hours", "minutes", "seconds"})
_YEAR = re.compile(r"(?:^|[_\s.])(?:years?|yr|fiscal year|fy)$|^(?:years?|yr)(?:$|[_\s](?!s?old|ly))", re.IGNORECASE)
_PERCENT = re.compile(r"(?:^|[_\s(])(?:percent|percentage|pct|perc)(?:$|[_\s)])|%", re.IGNORECASE)
_MONEY = re.compile(
    r"(?:^|[_\s])(?:price|cost|costs|revenue|revenues|sales|salary|salaries|wage|wages|income|fare|fares|amount|profit"
    r"|budget|payment|payments|fee|fees|premium|spend|spending|gross|usd|eur|gbp|dollars|euros)(?:$|[_\s])",
    re.IGNORECASE,
)
_SPELT = re.compile(r"(?<=[a-z])(?=[A-Z])")
MOST_PLACES = 15


def part_kind(value: Value) -> str:
    """The kind of a period that a plan names: a decade, a month, a year; a plain name where it is no part of a date."""
    return _PARTS.get(value.part or "", "label")


def key_kind(value: Value | None, heading: str, column: pa.ChunkedArray) -> str:
    """The kind of a key: a period, a year, or a name."""
    part = getattr(value, "part", None)
    if part in _PARTS:
        return _PARTS[part]
    if value is not None and value.kind in _DURATIONS:
        return value.kind
    if is_year(heading, column):
        return "year"
    if value is not None and value.kind in {"length", "place"}:
        return "label"
    return "date" if _is_date(column) else "label"


def figure_kind(measure: Measure | None, heading: str, column: pa.ChunkedArray) -> str:
    """The kind of a figure: what its function makes of what it is taken of."""
    if measure is None:
        return value_kind(None, heading, column)
    aggregate = AGGREGATES[measure.function]
    if measure.percent or aggregate.unit == "percent":
        return "percentage"
    if measure.over is not None:
        return "number"
    if aggregate.counts:
        return "count"
    if not aggregate.among and measure.of is not None:
        # A sum and a spread of years or dates is none.
        kind = value_kind(measure.of, measure.of.column or heading, column)
        return kind if kind in {"money", "percentage", *_DURATIONS} and aggregate.unit == "same" else "number"
    return value_kind(measure.of, (measure.of.column if measure.of is not None else None) or heading, column)


def value_kind(value: Value | None, heading: str, column: pa.ChunkedArray) -> str:
    """The kind of a value of rows: a year, a date, money, a percentage, a length of time, a plain number, a label."""
    if value is not None:
        if value.kind in _DURATIONS:
            return value.kind
        if value.part in _PARTS:
            return _PARTS[value.part]
        if value.kind == "arithmetic":
            return "number"
    if heading.startswith(MODELS_LABEL):
        return "model label"
    if is_year(heading, column):
        return "year"
    if _is_date(column):
        return "date"
    spelt = _SPELT.sub("_", heading)
    if not _is_numeric(column):
        return "label"
    if _PERCENT.search(spelt):
        return "percentage"
    return "money" if _MONEY.search(spelt) else "number"


def in_unit(kind: str, unit: str) -> str:
    """The kind of a number that is in a unit; other kinds stay as they are."""
    if not unit or kind not in MEASURED:
        return kind
    return "percentage" if unit in {"%", "percent"} else f"{kind}{IN}{unit}"


def is_year(heading: str, column: pa.ChunkedArray) -> bool:
    """Whether a column holds years: its name says so and its numbers do not speak against it."""
    if not _YEAR.search(_SPELT.sub("_", heading)):
        return False
    numbers = [as_decimal(value) for value in _sample(column) if value is not None]
    known = [number for number in numbers if number is not None]
    whole = bool(known) and all(0 <= number <= 9999 for number in known)
    return whole and (all(number >= 1000 for number in known) or all(number < 100 for number in known))


def apart(values: Sequence[Scalar], kind: str) -> str:
    """The kind with as many decimals as it takes to tell values apart that are not the same."""
    known = {value for value in values if value is not None}
    if len({write(value, kind) for value in known}) == len(known) or len(known) > 50:
        return kind
    for places in range(2, MOST_PLACES):
        finer = f"{kind}:{places}"
        if len({write(value, finer) for value in known}) == len(known):
            return finer
    return kind


def _sample(column: pa.ChunkedArray) -> list[Scalar]:
    from averment.evidence.values import scalar

    return [scalar(value) for value in column.slice(0, 200).to_pylist()]


def _is_date(column: pa.ChunkedArray) -> bool:
    import pyarrow.types as pat

    return pat.is_date(column.type) or pat.is_timestamp(column.type)


def _is_numeric(column: pa.ChunkedArray) -> bool:
    import pyarrow.types as pat

    return pat.is_integer(column.type) or pat.is_floating(column.type) or pat.is_decimal(column.type)
