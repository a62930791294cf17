"""Hypotheses that a model proposes: closed kinds made of names that exist, their tests, and what a result means.

``segment``: rows with these values. ``derived``: a column of the metric's own rows cut in a way of our own.
``other_table``: a column of a joined table. ``lag``: another daily series some days before. ``calendar``: some days.
A refusal says why in words that the model may see; it is what it observes instead of a result.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from averment.agents.driller.reading import (
    CUBE,
    InvestigationSetup,
    ReadColumn,
    ReadTable,
    reading_of,
)
from averment.errors import InvalidArguments
from averment.llm.toolsets import Form, ToolCall
from averment.records.base import Record
from averment.tables.cubes.cube_sql import FLOAT, Axis, Rows, cube_sql, day_of, leaves_sql, text_of, within
from averment.tables.engines.backend import quote, quote_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from averment.runtime.run_context import RunContext

Kind = Literal["segment", "derived", "other_table", "lag", "calendar"]
Derive = Literal["as_is", "bins", "hour", "weekday", "month", "day_of_month", "first_word", "empty"]
Function = Literal["sum", "mean", "rows"]

MOST_AT_ONCE = 3
MOST_DAYS = 60


class Place(Form, frozen=True):
    """One value of one dimension."""

    dimension: str = Field(max_length=200)
    value: str = Field(max_length=400)


class ProposedHypothesis(Form, frozen=True):
    """A hypothesis as it is proposed, before anything was checked."""

    kind: Kind
    segment: list[Place] = Field(default_factory=list[Place], max_length=3, description="For segment.")
    table: str | None = Field(default=None, description="For derived, other_table and lag.")
    column: str | None = Field(default=None, description="For derived, other_table and lag.")
    derive: Derive = Field(default="as_is", description="For derived and other_table: how the column is cut.")
    function: Function = Field(default="sum", description="For lag: the other series.")
    days: int = Field(default=0, ge=0, le=MOST_DAYS, description="For lag: how many days earlier.")
    first: date | None = Field(default=None, description="For calendar: the first day.")
    last: date | None = Field(default=None, description="For calendar: the last day.")


class Propose(ToolCall, frozen=True):
    """Propose up to three hypotheses to be tested, or none when there are no more."""

    OWN: ClassVar[tuple[str, ...]] = ("hypotheses",)

    tool: Literal["hypotheses"] = "hypotheses"
    hypotheses: list[ProposedHypothesis] = Field(default_factory=list[ProposedHypothesis], max_length=MOST_AT_ONCE)


class Spec(Record):
    """A hypothesis that can be tested: every name in it exists."""

    kind: Kind
    segment: dict[str, str] = Field(default_factory=dict)
    table: str = ""
    column: str = ""
    derive: Derive = "as_is"
    function: Function = "sum"
    days: int = 0
    first: date | None = None
    last: date | None = None

    @property
    def axis_name(self) -> str:
        """What a cut by this spec's column is called."""
        named = self.column if self.kind == "derived" else f"{self.table}.{self.column}"
        return named if self.derive == "as_is" else f"{self.derive.replace('_', ' ')} of {named}"

    @property
    def title(self) -> str:
        """The hypothesis in words of our own."""
        match self.kind:
            case "segment":
                said = ", ".join(f"{name} = {value}" for name, value in sorted(self.segment.items()))
            case "derived" | "other_table":
                said = f"Some {self.axis_name} moved differently from the rest"
            case "lag":
                what = f"rows of {self.table}" if self.function == "rows" else f"{self.function} of {self.axis_name}"
                said = f"The metric follows the {what}"
            case "calendar":
                said = "Some days stand out"
        return f"{said}, as a model asks"


MOST_VALUES = 60
HISTORY_DAYS = 56
_PARTS = {"hour": "%H", "weekday": "%w", "month": "%m", "day_of_month": "%d"}
_FIELDS = {"hour": "hour", "weekday": "isodow", "month": "month", "day_of_month": "day"}


def axis_of(work: RunContext, spec: Spec) -> Axis:
    """The column as an axis of the cube."""
    rows = reading_of(work).parsed_rows()
    name = f"{quote(spec.table)}.{quote(spec.column)}"
    return Axis(name=spec.axis_name, sql=text_of(rows.dialect, _derived_sql(work, rows, spec, name)), table=spec.table)


def _derived_sql(work: RunContext, rows: Rows, spec: Spec, name: str) -> str:
    match spec.derive:
        case "hour" | "weekday" | "month" | "day_of_month":
            if rows.dialect == "sqlite":
                return f"strftime('{_PARTS[spec.derive]}', {name})"
            return f"CAST(EXTRACT({_FIELDS[spec.derive]} FROM {name}) AS INTEGER)"
        case "first_word":
            if rows.dialect == "sqlite":
                return f"substr({name}, 1, instr({name} || ' ', ' ') - 1)"
            return f"split_part({name}, ' ', 1)"
        case "empty":
            return f"CASE WHEN {name} IS NULL THEN 'empty' ELSE 'filled' END"
        case "bins":
            edges = thresholds_of(work, spec)
            below = "".join(f" WHEN {name} < {edge} THEN {quote_text(f'below {edge}')}" for edge in edges)
            return f"CASE WHEN {name} IS NULL THEN NULL{below} ELSE {quote_text(f'{edges[-1]} or more')} END"
        case "as_is":
            return name


def thresholds_of(work: RunContext, spec: Spec) -> list[str]:
    """The quarters of a column of numbers, as the engine orders them; fewer where they fall together."""
    name, table = quote(spec.column), quote(spec.table)
    count = int(work.queries.probe(f"SELECT count({name}) AS n FROM {table}").table.column(0)[0].as_py())
    found: list[str] = []
    for quarter in (1, 2, 3):
        asked = f"SELECT {name} AS x FROM {table} WHERE {name} IS NOT NULL ORDER BY {name} LIMIT 1"
        result = work.queries.probe(f"{asked} OFFSET {count * quarter // 4}").table
        if result.num_rows:
            found.append(str(result.column(0)[0].as_py()))
    return list(dict.fromkeys(found)) if len(set(found)) > 1 else []


def count_sql(work: RunContext, spec: Spec) -> str:
    """How many values the axis has in both periods."""
    return leaves_sql(reading_of(work).parsed_rows(), [axis_of(work, spec)])


def cut_sql(work: RunContext, spec: Spec) -> str:
    """The metric of both periods, cut by the axis."""
    return cube_sql(reading_of(work).parsed_rows(), [axis_of(work, spec)])


def series_sql(work: RunContext, spec: Spec) -> str:
    """Another daily series, over both periods and the weeks before."""
    reading = reading_of(work)
    rows = reading.parsed_rows()
    table = next(one for one in reading.tables if one.name == spec.table)
    dated = next(one.name for one in table.columns if one.data_type in {"date", "datetime"})
    if spec.table == reading.day_table:
        dated = reading.day_column
    day = day_of(rows.dialect, spec.table, dated)
    value = f"{quote(spec.table)}.{quote(spec.column)}"
    figure = {"rows": "count(*)", "sum": f"sum({value})", "mean": f"avg({value})"}[spec.function]
    first = min(rows.baseline[0], rows.comparison[0]) - timedelta(days=HISTORY_DAYS)
    last = max(rows.baseline[1], rows.comparison[1])
    return (
        f"SELECT {day} AS day, CAST({figure} AS {FLOAT[rows.dialect]}) AS x FROM {quote(spec.table)} "
        f"WHERE {within(rows, day, (first, last))} GROUP BY {day} ORDER BY day"
    )


_DATES = frozenset({"date", "datetime"})
_NUMBERS = frozenset({"integer", "float"})


def accept(work: RunContext, wanted: ProposedHypothesis, known: Collection[Spec]) -> Spec:
    """The spec of a proposal.

    Raises:
        AvermentError: it cannot be tested, or was proposed already.
    """
    reading = reading_of(work)
    if reading.groups is not None and wanted.kind in {"lag", "calendar"}:
        raise InvalidArguments("This investigation compares two groups, so days cannot explain the difference.")
    match wanted.kind:
        case "segment":
            spec = _segment(work, reading, wanted)
        case "derived" | "other_table":
            spec = _cut(work, reading, wanted)
        case "lag":
            spec = _lag(reading, wanted)
        case "calendar":
            spec = _calendar(reading, wanted)
    if spec in known:
        raise InvalidArguments("That hypothesis was already proposed.")
    return spec


def _segment(work: RunContext, reading: InvestigationSetup, wanted: ProposedHypothesis) -> Spec:
    if not wanted.segment:
        raise InvalidArguments("A segment must name at least one dimension and value.")
    cube = work.table(CUBE)
    for place in wanted.segment:
        if place.dimension not in reading.names:
            raise InvalidArguments(f"The dimensions are {', '.join(reading.names)}.")
        if place.value not in cube.column(place.dimension).unique().to_pylist():
            # The value is not repeated: it is a model's word, and stands in no source.
            raise InvalidArguments(f"The dimension {place.dimension} has no such value.")
    return Spec(kind="segment", segment={place.dimension: place.value for place in wanted.segment})


def _column(reading: InvestigationSetup, wanted: ProposedHypothesis) -> tuple[ReadTable, ReadColumn]:
    table = next((one for one in reading.tables if one.name == wanted.table), None)
    if table is None:
        raise InvalidArguments(f"The tables are {', '.join(one.name for one in reading.tables)}.")
    column = next((one for one in table.columns if one.name == wanted.column), None)
    if column is None:
        raise InvalidArguments(f"The columns of {table.name} are {', '.join(one.name for one in table.columns)}.")
    return table, column


def _cut(work: RunContext, reading: InvestigationSetup, wanted: ProposedHypothesis) -> Spec:
    table, column = _column(reading, wanted)
    rows = reading.parsed_rows()
    if not rows.source.reaches(table.name):
        raise InvalidArguments(
            f"{table.name} cannot be joined without repeating rows of the metric.", hint="Use kind lag for it."
        )
    if column.name in reading.inputs and table.name == reading.base:
        raise InvalidArguments(f"The metric itself is made of {column.name}.")
    needs = {"bins": _NUMBERS, "hour": _DATES, "weekday": _DATES, "month": _DATES, "day_of_month": _DATES}
    if wanted.derive in needs and column.data_type not in needs[wanted.derive]:
        raise InvalidArguments(f"{column.name} is {column.data_type}; it has no {wanted.derive}.")
    kind = "derived" if table.name == reading.base else "other_table"
    spec = Spec(kind=kind, table=table.name, column=column.name, derive=wanted.derive)
    if spec.derive == "as_is" and spec.column in {d.column for d in reading.dimensions if d.table == spec.table}:
        raise InvalidArguments(f"Every value of {column.name} was already examined; derive something from it.")
    if spec.derive == "bins" and not thresholds_of(work, spec):
        raise InvalidArguments(f"{column.name} has too few different values for bins.")
    values = int(work.queries.probe(count_sql(work, spec)).table.column(0)[0].as_py())
    if not 2 <= values <= MOST_VALUES:
        raise InvalidArguments(f"{spec.axis_name} has {values} values; between 2 and {MOST_VALUES} can be compared.")
    return spec


def _lag(reading: InvestigationSetup, wanted: ProposedHypothesis) -> Spec:
    table, column = _column(reading, wanted)
    if not any(one.data_type in _DATES for one in table.columns):
        raise InvalidArguments(f"{table.name} has no date, so it gives no series by day.")
    if wanted.function != "rows" and column.data_type not in _NUMBERS:
        raise InvalidArguments(f"{column.name} is not a number.")
    if table.name == reading.base and wanted.days == 0 and (wanted.function == "rows" or column.name in reading.inputs):
        raise InvalidArguments("On the same day, this is the metric itself or a part of it.")
    return Spec(kind="lag", table=table.name, column=column.name, function=wanted.function, days=wanted.days)


def _calendar(reading: InvestigationSetup, wanted: ProposedHypothesis) -> Spec:
    first, last = wanted.first, wanted.last or wanted.first
    rows = reading.parsed_rows()
    if first is None or last is None or last < first:
        raise InvalidArguments("Give the first and the last day.")
    inside = [period for period in (rows.baseline, rows.comparison) if first >= period[0] and last <= period[1]]
    if not inside or (first, last) in inside:
        raise InvalidArguments("The days must fall within one of the two periods.")
    return Spec(kind="calendar", first=first, last=last)
