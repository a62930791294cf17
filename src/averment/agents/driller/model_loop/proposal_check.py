"""From a proposal to a spec that can be tested: names that exist, joins that repeat nothing, nothing by definition.

A refusal says why in words that the model may see; it is what it observes instead of a result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.driller.model_loop.forms import ProposedHypothesis, Spec
from averment.agents.driller.model_loop.queries import MOST_VALUES, count_sql, thresholds_of
from averment.agents.driller.reading import CUBE, InvestigationSetup, ReadColumn, ReadTable, reading_of
from averment.errors import InvalidArguments

if TYPE_CHECKING:
    from collections.abc import Collection

    from averment.runtime.run_context import RunContext

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
