"""Statistics of a plan as queries: what an engine computes of correlations, tests, distributions, outliers, trends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.errors import InvalidArguments
from averment.plans.compile_members import compile_equal_groups, compile_members
from averment.plans.compiled import CompiledPlan, Overview
from averment.plans.operations import compile_added
from averment.plans.plan import Measure
from averment.plans.terms import condition, measure_term, term
from averment.tables.compose.layer_spec import (
    MOST_CORRELATED,
    BinLayer,
    BoundsLayer,
    Calculation,
    CalculationLayer,
    CorrelationLayer,
    GroupLayer,
    Layer,
    Layered,
    LineLayer,
    OutlierLayer,
    Sorting,
    SummaryColumn,
)
from averment.tables.compose.select_spec import ROWS, Condition, Order, Output, Select

if TYPE_CHECKING:
    from averment.plans.plan import Plan, Statistic, Value

IQR_REACH, Z_REACH = 1.5, 3.0
"""How far from the usual an outlier lies where nobody says: in interquartile ranges, in standard deviations."""

FIRST_SHARE, SECOND_SHARE = "percent of first", "percent of second"


def compile_statistic(plan: Plan) -> CompiledPlan:
    """Statistics that an engine computes; a test gives the groups' figures it rests on.

    Raises:
        InvalidArguments: the statistic lacks what it is taken of.
    """
    statistic = plan.statistic
    assert statistic is not None  # only plans with a statistic come here
    least = {"correlation": 2, "independence": 2, "trend": 2, "retention": 2, "members": 2}.get(statistic.kind, 1)
    if (
        len(statistic.of) < least
        and not (statistic.kind == "equal_groups" and plan.by)
        and statistic.kind != "overview"
    ):
        raise InvalidArguments(f"A {statistic.kind} needs at least {least} values.")
    match statistic.kind:
        case "difference_test":
            return _difference(plan, statistic)
        case "independence":
            return _independence(plan, statistic)
        case "correlation":
            return _correlation(plan, statistic)
        case "distribution":
            layer = BinLayer(of=_names(statistic.of)[0], count=statistic.bins)
            return _layered(plan, statistic, layer, ("from", "to"), ("rows",), (Sorting(alias="from"),))
        case "trend":
            first, second = _names(statistic.of)
            shown = ("points", "slope", "r_squared")
            return _layered(plan, statistic, LineLayer(of=first, along=second), (), shown, ())
        case "outliers":
            return _outliers(plan, statistic)
        case "equal_groups":
            return compile_equal_groups(plan, statistic)
        case "overview":
            return Overview(
                query=Layered(base=_base(plan, plan.show, _names(plan.show)), shown=tuple(_names(plan.show))),
                keys=("column",),
                figures=("rows", "missing", "different", "minimum", "maximum", "mean"),
                numbers=frozenset(value.column or "" for value in statistic.of),
            )
        case "duplicates":
            return _duplicates(plan, statistic)
        case "model" | "normality" | "shape":
            return _programmed(plan, statistic)
        case "retention" | "members":
            return compile_members(plan, statistic)
        case _:
            return compile_added(plan)


def _names(values: Sequence[Value]) -> list[str]:
    names = [value.column or f"value {n}" for n, value in enumerate(values, start=1)]
    return [name if names.index(name) == n else f"{name} {n + 1}" for n, name in enumerate(names)]


def _base(plan: Plan, values: Sequence[Value], names: Sequence[str], *tests: Condition) -> Select:
    return Select(
        table=plan.table,
        joins=plan.joins,
        outputs=tuple(Output(term=term(value), alias=name) for value, name in zip(values, names, strict=True)),
        conditions=(*(condition(each) for each in plan.where), *tests),
    )


def _layered(
    plan: Plan,
    statistic: Statistic,
    layer: Layer,
    keys: tuple[str, ...],
    figures: tuple[str, ...],
    order: tuple[Sorting, ...],
) -> CompiledPlan:
    base = _base(plan, statistic.of, _names(statistic.of))
    query = Layered(base=base, layers=(layer,), shown=(*keys, *figures), order=order)
    return CompiledPlan(query=query, keys=keys, figures=figures)


def _difference(plan: Plan, statistic: Statistic) -> CompiledPlan:
    if statistic.by is None:
        raise InvalidArguments("A test of a difference needs groups.")
    key = statistic.by.column or "group"
    known = Condition(term=term(statistic.by), operator="not null")
    figures = ("count", "mean", "standard deviation")
    terms = [measure_term(Measure(function=f, of=statistic.of[0])) for f in ("count", "mean", "stddev")]
    base = Select(
        table=plan.table,
        joins=plan.joins,
        outputs=(
            Output(term=term(statistic.by), alias=key),
            *(Output(term=each, alias=name) for each, name in zip(terms, figures, strict=True)),
        ),
        conditions=(*(condition(each) for each in plan.where), known),
        groups=(term(statistic.by),),
        order=(Order(term=term(statistic.by)),),
    )
    return CompiledPlan(query=Layered(base=base, shown=(key, *figures)), keys=(key,), figures=figures)


def _independence(plan: Plan, statistic: Statistic) -> CompiledPlan:
    """How many rows each pair of values has, and how many percent that is of either value's rows."""
    values, keys = statistic.of[:2], _names(statistic.of[:2])
    known = [Condition(term=term(value), operator="not null") for value in values]
    base = _base(plan, values, keys, *known)
    terms = tuple(term(value) for value in values)
    base = base.changed(outputs=(*base.outputs, Output(term=ROWS, alias="rows")), groups=terms)
    shares = CalculationLayer(
        columns=(
            Calculation(kind="share", alias=FIRST_SHARE, of=("rows",), within=(keys[0],)),
            Calculation(kind="share", alias=SECOND_SHARE, of=("rows",), within=(keys[1],)),
        )
    )
    figures = ("rows", FIRST_SHARE, SECOND_SHARE)
    order = tuple(Sorting(alias=key) for key in keys)
    query = Layered(base=base, layers=(shares,), shown=(*keys, *figures), order=order)
    return CompiledPlan(query=query, keys=tuple(keys), figures=figures)


def _programmed(plan: Plan, statistic: Statistic) -> CompiledPlan:
    """The rows that a program needs, and what it is to compute of them."""
    values = (*statistic.of, *((statistic.against,) if statistic.against is not None else ()))
    names = _names(values)
    if statistic.kind == "model" and statistic.against is None:
        raise InvalidArguments("A model needs a target column.")
    kind = statistic.kind if statistic.kind != "model" else statistic.method or "linear"
    program: dict[str, Any] = {"kind": kind, "columns": names}
    if statistic.against is not None:
        program |= {"target": names[-1], "features": names[:-1]}
    query = Layered(base=_base(plan, values, names), shown=tuple(names))
    return CompiledPlan(query=query, keys=("figure",), figures=("value",), program=program)


def _correlation(plan: Plan, statistic: Statistic) -> CompiledPlan:
    if statistic.method == "kendall":
        names = _names(statistic.of[:2])
        query = Layered(base=_base(plan, statistic.of[:2], names), shown=tuple(names))
        program: dict[str, Any] = {"kind": "correlation", "columns": names}
        return CompiledPlan(query=query, keys=("first", "second"), figures=("correlation", "rows"), program=program)
    values = list(statistic.of)
    if len(values) > MOST_CORRELATED:
        raise InvalidArguments(f"At most {MOST_CORRELATED} columns can be correlated at once.")
    names = _names(values)
    against = names[values.index(statistic.against)] if statistic.against in values else None
    method = "spearman" if statistic.method == "spearman" else "pearson"
    layer = CorrelationLayer(columns=tuple(names), against=against, method=method)
    order = (Sorting(alias="strength", descending=True), Sorting(alias="first"), Sorting(alias="second"))
    shown = ("first", "second", "correlation", "rows") + (("strength",) if len(names) > 2 else ())
    query = Layered(base=_base(plan, values, names), layers=(layer,), shown=shown, order=order)
    return CompiledPlan(query=query, keys=("first", "second"), figures=("correlation", "rows"))


def _duplicates(plan: Plan, statistic: Statistic) -> CompiledPlan:
    """All rows, how many of them are different, and how many repeat an earlier one."""
    base = _base(plan, statistic.of, _names(statistic.of))
    base = base.changed(
        outputs=(*base.outputs, Output(term=ROWS, alias="alike")), groups=tuple(term(value) for value in statistic.of)
    )
    summed = GroupLayer(
        columns=(
            SummaryColumn(function="sum", alias="rows", of="alike"),
            SummaryColumn(function="rows", alias="different"),
        )
    )
    left = CalculationLayer(columns=(Calculation(kind="difference", alias="repeated", of=("rows", "different")),))
    figures = ("rows", "different", "repeated")
    return CompiledPlan(query=Layered(base=base, layers=(summed, left), shown=figures), keys=(), figures=figures)


def _outliers(plan: Plan, statistic: Statistic) -> CompiledPlan:
    """The rows themselves, with the bounds they lie beyond."""
    of = statistic.of[0]
    shown = tuple(dict.fromkeys(value for value in (*plan.show, *statistic.within) if value != of))
    names = _names((*shown, of))
    method = "z" if statistic.method == "z" else "iqr"
    reach = statistic.reach or (Z_REACH if method == "z" else IQR_REACH)
    within = tuple(names[shown.index(value)] for value in statistic.within)
    bounds = BoundsLayer(of=names[-1], method=method, reach=reach, within=within)
    layer = OutlierLayer(bounds=bounds, headed=("low", "high", "away", "distance"))
    order = (Sorting(alias=names[-1], descending=True), *(Sorting(alias=name) for name in names[:-1]))
    base = _base(plan, (*shown, of), names)
    query = Layered(base=base, layers=(layer,), shown=(*names, "low", "high"), order=order)
    return CompiledPlan(query=query, keys=tuple(names[:-1]), figures=(names[-1], "low", "high"))
