"""Box plots: which plan gives the lowest value, the quartiles and the highest value of what a result is about.

A result holds one figure a group, and a box shows how the values behind it lie. So a box has a query of its own, which
the engine computes and the proof covers like every other; no value is summed up in the picture.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.plans.compile import compile_plan
from averment.plans.names import value_name
from averment.plans.plan import Measure, Plan
from averment.plans.registry import AGGREGATES

if TYPE_CHECKING:
    from averment.plans.compiled import CompiledPlan
    from averment.plans.plan import Value


@dataclass(frozen=True)
class Behind:
    """A kind of chart that shows the values behind a result: their query, what that is told as, and how it is drawn."""

    query: Callable[[Plan], CompiledPlan | None]
    told: str
    chart: Callable[[Plan], dict[str, Any] | None]


def behind_values(kind: str) -> Behind | None:
    """How a kind takes the values behind a result; None for kinds that are drawn from the result itself."""
    return {"box": Behind(spread_query, "Compute the quartiles to draw", box_chart)}.get(kind)


def spread_query(plan: Plan) -> CompiledPlan | None:
    """The query for the boxes of a plan: five figures for each group; none where it is about no values of one column.

    A ranking shows some groups alone, and a window or a figure over groups is about figures: those have no box.
    """
    found = _spread(plan)
    return None if found is None else compile_plan(found)


def box_chart(plan: Plan) -> dict[str, Any] | None:
    """How the boxes are drawn, as arguments of ``plot.render`` over what ``spread_query`` gives."""
    found = _spread(plan)
    if found is None:
        return None
    compiled = compile_plan(found)
    lowest, lower, median, upper, highest = compiled.figures
    key = compiled.keys[0] if compiled.keys else median
    name = _named(found)
    made = {"type": "box", "x_col": key, "y_col": median, "box_cols": [lowest, lower, upper, highest], "y_title": name}
    if found.by:
        return {**made, "x_title": key, "title": f"{name} by {key}: lowest, quartiles and highest"}
    return {**made, "title": f"{name}: lowest, quartiles and highest"}


def _spread(plan: Plan) -> Plan | None:
    chosen = (plan.window, plan.across, plan.combine, plan.over_groups, plan.rank, plan.query)
    if any(each is not None for each in chosen) or plan.having or plan.beside or len(plan.by) > 1:
        return None
    value, tests = _value(plan)
    if value is None:
        return None
    points: tuple[tuple[Any, float | None], ...] = (
        *(("min", None), ("quantile", 0.25), ("median", None), ("quantile", 0.75), ("max", None)),
    )
    measures = tuple(Measure(function=name, at=at, of=value, where=tests) for name, at in points)
    return Plan(table=plan.table, joins=plan.joins, where=plan.where, by=plan.by, measures=measures)


def _value(plan: Plan) -> tuple[Value | None, tuple[Any, ...]]:
    """What a plan's figures are taken of, with the conditions of the figure itself."""
    if plan.statistic is not None:
        one = plan.statistic.kind == "distribution" and len(plan.statistic.of) == 1
        return (plan.statistic.of[0] if one else None), ()
    if len(plan.measures) == 1 and not plan.show:
        measure = plan.measures[0]
        plain = (
            AGGREGATES[measure.function].of in {"number", "ordered"} and measure.over is None and measure.weight is None
        )
        return (measure.of if plain else None), measure.where
    one = len(plan.show) == 1 and not plan.measures and not plan.by and not plan.distinct
    return (plan.show[0] if one else None), ()


def _named(plan: Plan) -> str:
    of = plan.measures[0].of
    return "" if of is None else value_name(of)
