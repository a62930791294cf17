"""What the columns of a plan's result are, as the plan alone says it: the compiler's word, which nobody guesses again.

Sentences, charts, formats and the rows behind a cell are made from it. What only the values tell, such as whether whole
numbers are years, is told from ``value`` and the column by those who have the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from averment.plans.names import headings
from averment.plans.registry import AGGREGATES, WINDOWS

if TYPE_CHECKING:
    from averment.plans.plan import Measure, Plan, Value

Origin = Literal["value", "measure", "window", "change", "groups", "statistic"]
"""Where a column comes from: a value of rows, a figure over rows, a figure over groups and what kind of one."""

DURATIONS = frozenset({"days", "hours", "minutes", "seconds"})
PERIODS = {
    "year": "year",
    "quarter": "quarter",
    "month": "month",
    "week": "week",
    "day": "date",
    "hour": "hour",
    "decade": "decade",
}
"""The kinds of the parts of dates that are periods."""


def part_kind(value: Value) -> str:
    """The kind of a period that a plan names: a decade, a month, a year; a plain name where it is no part of a date."""
    return PERIODS.get(value.part or "", "label")


def fixed_kind(value: Value | None) -> str:
    """The kind that a value has whatever its column holds: a period, a length of time, a number; nothing else."""
    if value is None:
        return ""
    if value.kind in DURATIONS:
        return value.kind
    return PERIODS.get(value.part or "", "number" if value.kind == "arithmetic" else "")


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultColumn:
    """A column of a result."""

    name: str
    role: Literal["key", "figure"]
    origin: Origin
    value: Value | None = None
    """What it shows, or what its figures are taken of."""
    measure: Measure | None = None
    """The figure that it holds, or that it is computed of."""
    kind: str = ""
    """The kind of its values, where the plan fixes it; nothing where it is that of ``value``."""
    unit: Literal["same", "squared", "count", "percent", "none"] = "none"
    """What its unit is, seen from that of ``value``."""
    among: bool = True
    """Whether its values lie among those that they are taken of: a median of years is a year, a sum is none."""
    additive: bool = False
    """Whether the figures of parts add up to that of the whole."""


def measure_column(name: str, measure: Measure) -> ResultColumn:
    """The column of a figure over rows."""
    record, plain = AGGREGATES[measure.function], measure.over is None and not measure.percent
    kind = "percentage" if measure.percent or record.unit == "percent" else "" if plain else "number"
    return ResultColumn(
        name=name,
        role="figure",
        origin="measure",
        value=measure.of,
        measure=measure,
        kind="count" if plain and record.counts else kind,
        unit=record.unit if plain else "percent" if measure.percent else "none",
        among=record.among or measure.of is None,
        additive=plain and record.additive,
    )


def result_columns(plan: Plan, keys: tuple[str, ...], figures: tuple[str, ...]) -> tuple[ResultColumn, ...]:
    """The columns of a plan's result, the keys first."""
    return (*_keys(plan, keys), *_figures(plan, figures))


def _keys(plan: Plan, keys: tuple[str, ...]) -> Iterator[ResultColumn]:
    values = dict(zip(headings(plan)[0], plan.by or plan.show, strict=True))
    for name in keys:
        value = plan.statistic.key_value(name) if plan.statistic is not None else values.get(name)
        yield ResultColumn(name=name, role="key", origin="value", value=value)


def _figures(plan: Plan, figures: tuple[str, ...]) -> Iterator[ResultColumn]:
    if plan.statistic is not None:
        for name in figures:
            kind = plan.statistic.figure_kind(name)
            yield ResultColumn(name=name, role="figure", origin="statistic", kind=kind)
    elif not plan.measures:
        value = plan.rank.by if plan.rank is not None else None
        for name in figures:
            yield ResultColumn(name=name, role="figure", origin="value", value=value, unit="same")
    elif plan.over_groups is not None:
        kind = "count" if plan.over_groups == "count" else "number"
        for name in figures:
            made = measure_column(name, plan.measures[0])
            unit = made.unit if kind == "number" else "none"
            yield replace(made, origin="groups", kind=kind, unit=unit, additive=False)
    else:
        yield from _measured(plan, figures)


def _measured(plan: Plan, figures: tuple[str, ...]) -> Iterator[ResultColumn]:
    first, window = plan.measures[0], plan.window
    between = window is not None and window.span is not None
    for at, name in enumerate(figures):
        if window is not None and (at == len(figures) - 1 or plan.across is not None):
            yield _over_groups(measure_column(name, first), window.kind)
        elif at < len(plan.measures) and plan.across is None and not between:
            yield measure_column(name, plan.measures[at])
        elif plan.across is not None or window is not None:
            yield measure_column(name, first)
        else:  # What the first few make up of the whole.
            yield ResultColumn(name=name, role="figure", origin="groups", measure=first, kind="percentage")


def _over_groups(of: ResultColumn, window: str) -> ResultColumn:
    """The column of a figure over the groups of a result."""
    record = WINDOWS[window]
    return replace(
        of,
        origin="change" if record.compares == "difference" else "window",
        kind=record.kind or ("number" if record.unitless else of.kind),
        unit="none" if record.unitless else of.unit,
        additive=of.additive and window == "share",
    )
