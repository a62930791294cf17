"""What a question says around what it asks: steps before it, which leave fewer rows, and what its answer must tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from averment.plans.plan import Measure, Plan, Test, Value
from averment.plans.statistics import Outliers


@dataclass(frozen=True, slots=True)
class PreparationStep:
    """One step: rows left out for an outlier or a gap, in ``of``, or where nothing is named in what is figured."""

    kind: Literal["outliers", "gaps", "bands"]
    of: Value | None = None
    method: Literal["iqr", "z"] = "iqr"
    reach: float | None = None
    bands: tuple[Test, ...] = ()
    """What each band of a number holds, where figures are taken for each of them."""


@dataclass(frozen=True, slots=True)
class WantedFigure:
    """One thing that the answer must tell: its words, and the figures that they may mean, the likeliest first."""

    text: str
    figures: tuple[Measure, ...] = ()


def stepped(plan: Plan, steps: tuple[PreparationStep, ...]) -> Plan | None:
    """The plan over the rows that the steps leave; None where a step finds nothing to be taken in."""
    tests: list[Test] = []
    for step in steps:
        if step.kind == "bands":
            banded = _in_bands(plan, step.bands)
            if banded is None:
                return None
            plan = banded
            continue
        figured = [m.of for m in plan.measures if m.of is not None] if step.of is None else [step.of]
        if plan.statistic is not None and step.of is None:
            figured = list(plan.statistic.of)
        values = [value for value in dict.fromkeys(figured) if value.kind == "column"]
        if not values or any(value.table != plan.table for value in values):
            return None
        for value in values:
            known = Test(value=value, operator="null", negated=True)
            tests.append(known if step.kind == "gaps" else _usual(plan, value, step))
    more = tuple(test for test in dict.fromkeys(tests) if test not in plan.where)
    return plan.model_copy(update={"where": (*plan.where, *more)})


def _usual(plan: Plan, value: Value, step: PreparationStep) -> Test:
    """That a value is none of the outliers among the plan's own rows."""
    method = "z" if step.method == "z" else None
    reach = step.reach if step.reach not in ({3.0} if step.method == "z" else {1.5}) else None
    found = Outliers(of=(value,), method=method, reach=reach)
    own = tuple(test for test in plan.where if test.inner is None)
    inner = Plan(table=plan.table, statistic=found, where=own, expects="list")
    return Test(value=value, operator="not in", inner=inner)


def _in_bands(plan: Plan, bands: tuple[Test, ...]) -> Plan | None:
    """The plan's figures once for each band; None where it takes none, or takes them for groups already."""
    plain = not plan.by and plan.statistic is None and plan.rank is None and plan.window is None
    if not plan.measures or not plain or any(m.over is not None or m.function == "rate" for m in plan.measures):
        return None
    if any(test.value is None or test.value.table != plan.table for test in bands):
        return None
    made = tuple(m.model_copy(update={"where": (*m.where, band)}) for band in bands for m in plan.measures)
    return plan.model_copy(update={"measures": made, "expects": "row"})
