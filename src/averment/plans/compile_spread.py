"""Figures by a value's place among the others: percentiles, the range between quartiles, and what goes with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.errors import InvalidArguments
from averment.plans.terms import condition, term
from averment.tables.compose.layer_spec import Calculation, CalculationLayer, GroupLayer, Layer, SummaryColumn
from averment.tables.compose.select_spec import Output, Select

if TYPE_CHECKING:
    from averment.plans.plan import Measure, Plan
    from averment.tables.compose.layer_spec import Summary
    from averment.tables.compose.select_spec import Condition

SUMMARIES: dict[str, Summary] = {
    "rows": "rows",
    "count": "count",
    "distinct": "distinct",
    "sum": "sum",
    "mean": "avg",
    "min": "min",
    "max": "max",
    "median": "quantile",
    "quantile": "quantile",
}
"""How a layer sums up its rows for an aggregate."""


def compile_spread(
    plan: Plan, keys: tuple[str, ...], figures: tuple[str, ...], where: list[Condition]
) -> tuple[Select, list[Layer]]:
    """The rows with their keys and values, and what is taken of them for each combination of the keys.

    Raises:
        InvalidArguments: a figure beside a percentile is one that cannot stand there.
    """
    if plan.having:
        raise InvalidArguments("Groups cannot be selected by a percentile.")
    outputs = [Output(term=term(value), alias=name) for value, name in zip(plan.by, keys, strict=True)]
    values: dict[str, str] = {}
    columns: list[SummaryColumn] = []
    ranges: list[Calculation] = []
    tests = [each for measure in plan.measures for each in measure.where]
    if any(measure.where != plan.measures[0].where for measure in plan.measures):
        raise InvalidArguments("Percentiles shown together must use the same rows.")
    for place, (measure, alias) in enumerate(zip(plan.measures, figures, strict=True)):
        of = _value(measure, values, outputs)
        if measure.function == "iqr":
            low, high = f"lower {place}", f"upper {place}"
            columns += [_summary("quantile", each, of, at) for each, at in ((low, 0.25), (high, 0.75))]
            ranges.append(Calculation(kind="difference", alias=alias, of=(high, low)))
            continue
        at = 0.5 if measure.function == "median" else measure.at if measure.function == "quantile" else None
        columns.append(_summary(SUMMARIES[measure.function], alias, of, at))
    base = Select(
        table=plan.table,
        joins=plan.joins,
        outputs=tuple(outputs),
        conditions=(*where, *(condition(each) for each in dict.fromkeys(tests))),
    )
    layers: list[Layer] = [GroupLayer(keys=keys, columns=tuple(columns))]
    return base, [*layers, CalculationLayer(columns=tuple(ranges))] if ranges else layers


def _summary(function: Summary, alias: str, of: str | None, at: float | None = None) -> SummaryColumn:
    return SummaryColumn(function=function, alias=alias, of=None if function == "rows" else of, at=at)


def _value(measure: Measure, values: dict[str, str], outputs: list[Output]) -> str | None:
    """The heading of what a figure is taken of, as one more column of the rows."""
    if measure.function not in {*SUMMARIES, "iqr"} or measure.over is not None or measure.weight is not None:
        raise InvalidArguments(f"A percentile and a {measure.function} cannot be shown together.")
    if measure.of is None:
        if measure.function != "rows":
            raise InvalidArguments(f"A {measure.function} needs a column or an expression.")
        return None
    known = measure.of.model_dump_json()
    if known not in values:
        values[known] = f"value {len(values) + 1}"
        outputs.append(Output(term=term(measure.of), alias=values[known]))
    return values[known]
