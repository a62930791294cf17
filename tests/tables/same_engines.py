"""The engines that must give the same answers, and how two answers are compared."""

from __future__ import annotations

import math
from decimal import Decimal
from pathlib import Path
from typing import Any

from averment.agents.driller.agent import queries_of
from averment.agents.driller.data_model import read_investigation
from averment.plans.compile import compile_plan
from averment.plans.plan import Plan
from averment.records.drilldown.request import DrillRequest
from averment.settings import Settings
from averment.tables.engines.engine import Engine
from averment.tables.sources.opening import open_sources

Rows = list[tuple[object, ...]]


def answer(engine: Engine, plan: Plan) -> Rows:
    """The rows an engine gives for a plan; where no order is fixed by it, in one of ours."""
    compiled = compile_plan(plan)
    composed = compiled.compose(engine.catalog.dialect)
    rows = plain_rows(engine.run(composed.sql, composed.params, timeout=120.0).table)
    ordered = compiled.query.order or compiled.query.base.args.get("order")
    return rows if ordered else sorted(rows, key=repr)


def answers(sources: list[str | Path], specs: dict[str, Plan], cache: Path) -> dict[str, Rows]:
    """Every question's rows over the sources, by its name."""
    settings = Settings()
    engine = Engine(open_sources(sources, settings=settings, cache_dir=cache), settings)
    try:
        return {name: answer(engine, spec) for name, spec in specs.items()}
    finally:
        engine.close()


def leaf_cubes(
    sources: list[str | Path], metrics: tuple[str, ...], periods: dict[str, Any], cache: Path
) -> dict[str, tuple[list[str], Rows]]:
    """For each metric the driller's dimensions, and the leaves of its cube followed by its days."""
    settings = Settings()
    engine = Engine(open_sources(sources, settings=settings, cache_dir=cache), settings)
    found: dict[str, tuple[list[str], Rows]] = {}
    try:
        for metric in metrics:
            request = DrillRequest.checked(
                data_sources=[str(source) for source in sources],
                metric_sql=metric,
                baseline_period=periods["baseline"],
                comparison_period=periods["comparison"],
            )
            reading = read_investigation(engine, request, permits=lambda table, column: True)
            tables = [engine.run(sql, timeout=120.0).table for sql in queries_of(reading)]
            found[metric] = (list(reading.names), [row for table in tables for row in plain_rows(table)])
    finally:
        engine.close()
    return found


def plain_rows(table: Any) -> Rows:
    """A result's rows with every number as one kind of number."""
    return list(zip(*([_plain(value) for value in column.to_pylist()] for column in table.columns), strict=True))


def _plain(value: object) -> object:
    if isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        # Twelve digits: an engine that adds in another order differs in the last ones.
        number = float(value)
        return number if number == 0 or not math.isfinite(number) else float(f"{number:.12g}")
    return value if value is None or isinstance(value, bool | str) else str(value)


def differences(expected: Rows, found: Rows) -> list[tuple[object, object]]:
    """The pairs of rows that are not the same, numbers compared to ten digits; and a note when there are more rows."""
    if len(expected) != len(found):
        return [(f"{len(expected)} rows", f"{len(found)} rows")]
    return [pair for pair in zip(expected, found, strict=True) if not _same(*pair)]


def _same(one: tuple[object, ...], other: tuple[object, ...]) -> bool:
    if len(one) != len(other):
        return False
    for left, right in zip(one, other, strict=True):
        numbers = isinstance(left, float) and isinstance(right, float)
        if numbers and not math.isclose(left, right, rel_tol=1e-10, abs_tol=1e-9):
            return False
        if not numbers and (left != right or type(left) is not type(right)):
            return False
    return True
