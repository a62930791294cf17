"""Statistics of a plan as queries: what an engine computes of correlations, distributions, outliers and trends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.errors import InvalidArguments
from averment.plans.compiled import Compiled
from averment.plans.plan import Measure
from averment.plans.terms import condition, measure_term, term
from averment.tables.layers import Binned, Bounded, Correlated, Fitted, Layer, Layered, Outlying, Sorting
from averment.tables.select_spec import Condition, Order, Output, Select

if TYPE_CHECKING:
    from averment.plans.plan import Plan


def compile_statistic(plan: Plan) -> Compiled:
    """Statistics that an engine computes; a test of a difference gives the groups' figures it rests on."""
    statistic = plan.statistic
    assert statistic is not None  # only plans with a statistic come here
    names = [value.column or f"value {n}" for n, value in enumerate(statistic.of, start=1)]
    names = [name if names.index(name) == n else f"{name} {n + 1}" for n, name in enumerate(names)]
    outputs = [Output(term=term(value), alias=name) for value, name in zip(statistic.of, names, strict=True)]
    where = tuple(condition(each) for each in plan.where)
    if statistic.kind == "difference_test":
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
            conditions=(*where, known),
            groups=(term(statistic.by),),
            order=(Order(term=term(statistic.by)),),
        )
        return Compiled(query=Layered(base=base, shown=(key, *figures)), keys=(key,), figures=figures)
    base = Select(table=plan.table, joins=plan.joins, outputs=tuple(outputs), conditions=where)
    match statistic.kind:
        case "correlation":
            method = "spearman" if statistic.method == "spearman" else "pearson"
            layer: Layer = Correlated(
                columns=tuple(names), against=names[-1] if len(names) > 2 else None, method=method
            )
            order = (Sorting(alias="strength", descending=True),)
            return Compiled(
                query=Layered(base=base, layers=(layer,), shown=("first", "second", "correlation", "rows"), order=order)
                if len(names) == 2
                else Layered(
                    base=base,
                    layers=(layer,),
                    shown=("first", "second", "correlation", "rows", "strength"),
                    order=order,
                ),
                keys=("first", "second"),
                figures=("correlation", "rows"),
            )
        case "distribution":
            layer = Binned(of=names[0], count=statistic.bins)
            shown = ("from", "to", "rows")
            order = (Sorting(alias="from"),)
            return Compiled(
                query=Layered(base=base, layers=(layer,), shown=shown, order=order),
                keys=("from", "to"),
                figures=("rows",),
            )
        case "trend":
            layer = Fitted(of=names[0], along=names[1])
            shown = ("points", "slope", "r_squared")
            return Compiled(query=Layered(base=base, layers=(layer,), shown=shown), keys=(), figures=shown)
        case _:
            extra = [
                Output(term=term(value), alias=value.column or "row")
                for value in plan.show
                if value not in statistic.of
            ]
            base = base.changed(outputs=(*(each for each in extra), *outputs))
            headed = ("low", "high", "away", "distance")
            layer = Outlying(bounds=Bounded(of=names[0], method="iqr", reach=1.5), headed=headed)
            shown = (*(each.alias for each in extra), names[0], "low", "high")
            order = (Sorting(alias=names[0], descending=True),)
            return Compiled(
                query=Layered(base=base, layers=(layer,), shown=shown, order=order),
                keys=tuple(each.alias for each in extra),
                figures=(names[0], "low", "high"),
            )
