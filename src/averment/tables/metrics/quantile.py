"""Medians and percentiles as means, so that their change can be shared out over segments.

A percentile moves because rows cross it. Between its values in the two periods lies a threshold; each row counts by
whether it is above. Scaled so that the whole gives the percentile itself in both periods, the mean of that is followed
like any other mean, and its parts sum to the change. A segment's figure is its share of rows above the threshold on
that scale, not its own percentile.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from averment.errors import MetricUnreadable
from averment.tables.cubes.cube_sql import FLOAT, Rows, select_rows, within

if TYPE_CHECKING:
    from averment.tables.engines.engine import Engine


def at_quantile(engine: Engine, rows: Rows, place: float) -> Rows:
    """The rows of a mean whose value is the percentile in both periods.

    Raises:
        MetricUnreadable: the engine computes no percentiles.
    """
    before, after = (quantile_of(engine, rows, place, period) for period in (rows.baseline, rows.comparison))
    if before is None or after is None:
        return rows
    middle = (before + after) / 2
    above = [_share_above(engine, rows, period, middle) for period in (rows.baseline, rows.comparison)]
    moved = above[1] - above[0]
    slope = (after - before) / moved if moved and after != before else 0.0
    start = before - slope * above[0]
    value = rows.source.numerator.value
    scaled = f"CASE WHEN {value} IS NULL THEN NULL WHEN {value} > {middle!r} THEN {start + slope!r} ELSE {start!r} END"
    part = replace(rows.source.numerator, value=scaled)
    return replace(rows, source=replace(rows.source, numerator=part))


def quantile_of(engine: Engine, rows: Rows, place: float, period: tuple[date, date]) -> float | None:
    """A percentile of the metric's rows in a period; None where it has none.

    Raises:
        MetricUnreadable: the engine computes no percentiles.
    """
    if rows.dialect == "sqlite":
        raise MetricUnreadable(
            "SQLite cannot compute percentiles.", hint="Export the table as a file, or use the mean instead."
        )
    inner = select_rows(rows, [], conditions=[within(rows, rows.day_sql, period)])
    value = f"CAST(v AS {FLOAT[rows.dialect]})"
    found = f"quantile_cont({value}, {place!r})"
    if rows.dialect == "postgres":
        found = f"percentile_cont({place!r}) WITHIN GROUP (ORDER BY {value})"
    return _number(engine, f"SELECT {found} AS q FROM ({inner}) AS each_row WHERE v IS NOT NULL")


def _share_above(engine: Engine, rows: Rows, period: tuple[date, date], middle: float) -> float:
    inner = select_rows(rows, [], conditions=[within(rows, rows.day_sql, period)])
    counted = f"avg(CASE WHEN v > {middle!r} THEN 1.0 ELSE 0.0 END)"
    return _number(engine, f"SELECT {counted} AS p FROM ({inner}) AS each_row WHERE v IS NOT NULL") or 0.0


def _number(engine: Engine, sql: str) -> float | None:
    found = engine.run(sql, timeout=120.0).table.column(0)[0].as_py()
    return None if found is None else float(found)
