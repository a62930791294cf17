"""The queries behind a proposed hypothesis: the metric cut by one more axis, and another table's daily series."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from averment.agents.driller.reading import reading_of
from averment.tables.cubes.cube_sql import FLOAT, Axis, Rows, cube_sql, day_of, leaves_sql, text_of, within
from averment.tables.engines.backend import quote, quote_text

if TYPE_CHECKING:
    from averment.agents.driller.model_loop.forms import Spec
    from averment.runtime.run_context import RunContext

MOST_VALUES = 60
HISTORY_DAYS = 56
_PARTS = {"hour": "%H", "weekday": "%w", "month": "%m", "day_of_month": "%d"}
_FIELDS = {"hour": "hour", "weekday": "isodow", "month": "month", "day_of_month": "day"}


def axis_of(work: RunContext, spec: Spec) -> Axis:
    """The column as an axis of the cube."""
    rows = reading_of(work).parsed_rows()
    name = f"{quote(spec.table)}.{quote(spec.column)}"
    return Axis(name=spec.axis_name, sql=text_of(rows.dialect, _cut(work, rows, spec, name)), table=spec.table)


def _cut(work: RunContext, rows: Rows, spec: Spec, name: str) -> str:
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
