"""What kind of value a column of a result holds: read off the plan first, then its heading, then its values."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from averment.claims.units import column_unit
from averment.errors import AvermentError
from averment.evidence.formats import IN, MEASURED, write
from averment.evidence.values import Scalar, as_decimal
from averment.plans.columns import DURATIONS, fixed_kind
from averment.plans.names import MODELS_LABEL

if TYPE_CHECKING:
    import pyarrow as pa

    from averment.plans.columns import ResultColumn
    from averment.plans.plan import Value

_YEAR = re.compile(r"(?:^|[_\s.])(?:years?|yr|fiscal year|fy)$|^(?:years?|yr)(?:$|[_\s](?!s?old|ly))", re.IGNORECASE)
_PERCENT = re.compile(r"(?:^|[_\s(])(?:percent|percentage|pct|perc)(?:$|[_\s)])|%", re.IGNORECASE)
_MONEY = re.compile(
    r"(?:^|[_\s])(?:price|cost|costs|revenue|revenues|sales|salary|salaries|wage|wages|income|fare|fares|amount|profit"
    r"|budget|payment|payments|fee|fees|premium|spend|spending|gross|usd|eur|gbp|dollars|euros)(?:$|[_\s])",
    re.IGNORECASE,
)
_SPELT = re.compile(r"(?<=[a-z])(?=[A-Z])")
MOST_PLACES = 15


def key_kind(value: Value | None, heading: str, column: pa.ChunkedArray) -> str:
    """The kind of a key: a period, a year, or a name."""
    if (fixed := fixed_kind(value)) not in {"", "number"}:
        return fixed
    if is_year(heading, column):
        return "year"
    if value is not None and value.kind in {"length", "place"}:
        return "label"
    return "date" if _is_date(column) else "label"


def figure_kind(column: ResultColumn, values: pa.ChunkedArray) -> str:
    """The kind of a figure: what the plan fixes, else what its function makes of what it is taken of."""
    of = column.value
    kind = column.kind or value_kind(of, (of.column if of is not None else None) or column.name, values)
    if not column.kind and not column.among:
        # A sum and a spread of years or dates is none.
        kind = kind if kind in {"money", "percentage", *DURATIONS} and column.unit == "same" else "number"
    return "points" if column.origin == "change" and kind == "percentage" else kind


def result_kinds(
    columns: Sequence[ResultColumn], table: pa.Table, notes: Mapping[str, Any] | None = None
) -> dict[str, str]:
    """The kind of each column of a result; with ``notes`` of the columns of its tables, in their units."""
    known, kinds = {column.name: column for column in columns}, dict[str, str]()
    for name in table.column_names:
        column, values = known.get(name), table.column(name)
        if column is None:
            kinds[name] = value_kind(None, name, values)
        elif column.role == "key":
            kinds[name] = key_kind(column.value, name, values)
        else:
            kind = figure_kind(column, values)
            kinds[name] = kind if notes is None else in_unit(kind, column_unit(column, notes))
    return kinds


def kinds_by_plan(plan: Mapping[str, Any] | None, table: pa.Table) -> dict[str, str]:
    """The kind of each column of a result, by the JSON of the plan that it was computed of, where there is one."""
    from averment.plans.compile import compile_plan
    from averment.plans.plan import stored_plan

    columns: tuple[ResultColumn, ...] = ()
    if plan and "version" in plan:
        # What a plugin computed that is gone, or an earlier version composed, is told by its values alone.
        with contextlib.suppress(AvermentError):
            columns = compile_plan(stored_plan(plan)).columns
    return result_kinds(columns, table)


def value_kind(value: Value | None, heading: str, column: pa.ChunkedArray) -> str:
    """The kind of a value of rows: a year, a date, money, a percentage, a length of time, a plain number, a label."""
    if fixed := fixed_kind(value):
        return fixed
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
