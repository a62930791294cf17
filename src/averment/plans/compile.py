"""The one compiler: a plan becomes a select with layers on it, and from there each engine's own text.

What a result holds is fixed: first the keys (``by``, or ``show`` for rows), then one figure for each measure, then the
window's column. Rankings keep ties and never let a missing value win.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from averment.errors import InvalidArguments
from averment.plans.compile_across import across
from averment.plans.compile_spread import SUMMARIES, compile_spread
from averment.plans.compiled import CompiledPlan
from averment.plans.names import headings, sets_apart
from averment.plans.registry import AGGREGATES, WINDOWS
from averment.plans.terms import condition, measure_term, only_where, order_term, term
from averment.tables.compose.layer_spec import (
    Calculation,
    CalculationLayer,
    ChosenLayer,
    GroupLayer,
    Layer,
    Layered,
    RunningShareLayer,
    Sorting,
    SummaryColumn,
    TopLayer,
)
from averment.tables.compose.select_spec import Condition, Order, Output, Select, aggregate

if TYPE_CHECKING:
    from averment.plans.plan import GroupTest, Plan
    from averment.tables.compose.layer_spec import CalculationKind, Step

NUMBER = "period number"
SHARE, RUNNING = "share in percent", "running share in percent"


def compile_plan(plan: Plan) -> CompiledPlan:
    """The plan as a query.

    Raises:
        InvalidArguments: the plan asks for something no query gives, such as a growth without a time to grow along.
    """
    if plan.statistic is not None:
        return plan.statistic.compile(plan)
    if plan.query is not None:
        return _composed(plan.query)
    if plan.measures or (plan.by and not plan.show):
        return _figures(plan)
    return _rows(plan)


def _composed(select: Select) -> CompiledPlan:
    """A query as it was composed: its columns are keys, and what it computes are figures."""
    computed = tuple(o.alias for o in select.outputs if o.term.kind not in {"column", "part", "extract"})
    keys = tuple(o.alias for o in select.outputs if o.alias not in computed)
    return CompiledPlan(
        query=Layered(base=select, shown=tuple(o.alias for o in select.outputs)), keys=keys, figures=computed
    )


def _rows(plan: Plan) -> CompiledPlan:
    """Rows as they are, each combination once if distinct, the first few by a value if ranked."""
    keys, _ = headings(plan)
    outputs = [Output(term=term(value), alias=name) for value, name in zip(plan.show, keys, strict=True)]
    tests = [condition(each) for each in plan.where]
    figures: tuple[str, ...] = ()
    layers: list[Layer] = []
    _check_order(plan, len(keys))
    order = tuple(Sorting(alias=keys[sort.at], descending=sort.descending) for sort in plan.order)
    if plan.rank is not None and plan.rank.by is not None:
        by = next((name for value, name in zip(plan.show, keys, strict=True) if value == plan.rank.by), None)
        if by is None:
            by = plan.rank.by.column or "ranked by"
            by = by if by not in keys else f"{by} ranked"
            outputs.append(Output(term=term(plan.rank.by), alias=by))
        figures = (by,)
        layers += _picked(plan, by, tuple(keys[at] for at in plan.rank.within))
        order = order or (
            Sorting(alias=by, descending=plan.rank.descending),
            *(Sorting(alias=k) for k in keys if k != by),
        )
    elif plan.distinct and not order:
        order = tuple(Sorting(alias=name) for name in keys)
    if plan.distinct:
        tests += [Condition(term=term(value), operator="not null") for value in plan.show[:1]]
    base = Select(
        table=plan.table,
        joins=plan.joins,
        outputs=tuple(outputs),
        conditions=tuple(tests),
        distinct=plan.distinct,
        **_combined(plan),
    )
    shown = (*keys, *(each for each in figures if each not in keys))
    kept = tuple(key for key in keys if key not in figures)
    return CompiledPlan(
        query=Layered(base=base, layers=tuple(layers), shown=shown, order=order), keys=kept, figures=figures
    )


def _combined(plan: Plan) -> dict[str, Any]:
    if plan.combine is None:
        return {}
    other = compile_plan(plan.combine.other).query
    if other.layers:
        raise InvalidArguments("A ranked or layered plan cannot be combined with another.")
    return {"set_operation": plan.combine.operation, "other": other.base}


def _figures(plan: Plan) -> CompiledPlan:
    keys, figures = headings(plan)
    if plan.window is not None and plan.window.kind in {"growth", "change"} and plan.window.span is not None:
        return _between(plan, keys, figures)
    base, layers = _grouped(plan, keys, figures)
    shown = [*keys, *figures]
    told = list(figures)
    if plan.over_groups is not None:
        function = "rows" if plan.over_groups == "count" else SUMMARIES[plan.over_groups]
        alias = f"{plan.over_groups} of {figures[0]}"
        summary = SummaryColumn(
            function=function,
            alias=alias,
            of=None if function == "rows" else figures[0],
            at=0.5 if function == "quantile" else None,
        )
        layers.append(GroupLayer(columns=(summary,)))
        return CompiledPlan(query=Layered(base=base, layers=tuple(layers), shown=(alias,)), keys=(), figures=(alias,))
    if plan.window is not None:
        added = _window(plan, keys, figures)
        layers += added[0]
        shown += [name for name in added[1] if name not in shown]
        told += added[1]
    order = _order(plan, keys, told)
    if plan.rank is not None:
        by = told[-1] if plan.window is not None else figures[0]
        if plan.rank.by is not None:
            by = _key_of(plan, keys, plan.rank.by)
        if plan.rank.until is not None:
            added = _until(figures[0], plan.rank.until)
            layers += added
            shown += [SHARE, RUNNING]
            told += [SHARE, RUNNING]
        else:
            layers += _picked(plan, by, tuple(keys[at] for at in plan.rank.within))
        within = tuple(Sorting(alias=keys[at]) for at in plan.rank.within)
        order = (*within, Sorting(alias=by, descending=plan.rank.descending), *(Sorting(alias=key) for key in keys))
    query = Layered(base=base, layers=tuple(layers), shown=tuple(shown), order=order)
    if not layers and not plan.by:
        query = Layered(base=base, shown=tuple(shown))
    if plan.across is not None:
        return across(plan, query, keys, told[-1])
    return CompiledPlan(query=query, keys=keys, figures=tuple(told))


def _key_of(plan: Plan, keys: tuple[str, ...], wanted: object) -> str:
    return next((name for value, name in zip(plan.by, keys, strict=True) if value == wanted), keys[0])


def _grouped(plan: Plan, keys: tuple[str, ...], figures: tuple[str, ...]) -> tuple[Select, list[Layer]]:
    """One row for each combination of the keys, with its figures."""
    where = [condition(each) for each in plan.where]
    if plan.rank is not None or plan.window is not None or plan.over_groups is not None or plan.asks is not None:
        # What belongs to no group is ranked, compared and shared in none.
        where += [Condition(term=term(value), operator="not null") for value in plan.by]
    elif plan.having:
        # Nor does it pass a bar: rows without a manager are nobody's.
        where += [Condition(term=term(value), operator="not null") for value in plan.by[:1]]
    groups = tuple(term(value) for value in plan.by)
    outputs = [Output(term=each, alias=name) for each, name in zip(groups, keys, strict=True)]
    if any(AGGREGATES[measure.function].placed for measure in plan.measures):
        return compile_spread(plan, keys, figures, where)
    outputs += [Output(term=measure_term(each), alias=name) for each, name in zip(plan.measures, figures, strict=True)]
    base = Select(
        table=plan.table,
        joins=plan.joins,
        outputs=tuple(outputs),
        conditions=tuple(where),
        groups=groups,
        having=tuple(_having(each) for each in plan.having),
        order=_base_order(plan),
    )
    return base, []


def _base_order(plan: Plan) -> tuple[Order, ...]:
    """Months and weekdays come in their own order, which their names do not have."""
    if plan.rank is not None or plan.window is not None or plan.over_groups is not None or plan.order:
        return ()
    named = [order_term(value) for value in plan.by]
    if not any(named):
        return ()
    return tuple(
        Order(term=aggregate("min", by) if by is not None else term(value))
        for value, by in zip(plan.by, named, strict=True)
    )


def _having(test: GroupTest) -> Condition:
    operator = "<>" if test.operator == "!=" else test.operator
    if operator in {"null", "contains", "starts", "ends", "in", "not in"}:
        raise InvalidArguments("A group's figure must be compared with a number.")
    nested = compile_plan(test.inner).query.model_dump(mode="json") if test.inner is not None else None
    if not test.to and nested is None and test.other is None:
        raise InvalidArguments("A group's figure must be compared with something.")
    return Condition(
        term=measure_term(test.measure),
        operator=operator,  # pyright: ignore[reportArgumentType] - the others were refused above
        values=test.to,
        nested=nested,
        # All rows of the group hold the same value, so that any of them may stand for it.
        other=aggregate("max", term(test.other)) if test.other is not None else None,
    )


def _order(plan: Plan, keys: tuple[str, ...], figures: list[str]) -> tuple[Sorting, ...]:
    if plan.order:
        every = [*keys, *figures]
        _check_order(plan, len(every))
        return tuple(Sorting(alias=every[sort.at], descending=sort.descending) for sort in plan.order)
    if not keys or _base_order(plan):
        return ()
    if any(is_time(value) or value.kind == "bucket" for value in plan.by):
        return tuple(Sorting(alias=key) for key in keys)
    return (Sorting(alias=figures[0], descending=True), *(Sorting(alias=key) for key in keys)) if figures else ()


def _check_order(plan: Plan, headings: int) -> None:
    if any(sort.at >= headings for sort in plan.order):
        raise InvalidArguments("A plan must be sorted by one of its own columns.")


def is_time(value: object) -> bool:
    """Whether a key is a period of time, so that its groups have an order of their own."""
    part = getattr(value, "part", None)
    return part is not None or _says_year(getattr(value, "column", None))


def _says_year(name: str | None) -> bool:
    lowered = (name or "").casefold()
    return lowered in {"year", "yr", "decade", "date", "month", "quarter", "week"} or lowered.endswith(
        ("_year", " year")
    )


def _picked(plan: Plan, by: str, within: tuple[str, ...]) -> list[Layer]:
    rank = plan.rank
    assert rank is not None  # only ranked plans come here
    most = rank.limit + rank.skip
    layers: list[Layer] = [TopLayer(by=by, descending=rank.descending, within=within, most=most)]
    if rank.skip:
        # Of the first two the lower one is the second.
        second = TopLayer(by=by, descending=not rank.descending, within=within, most=rank.limit, among=rank.skip + 1)
        layers.append(second)
    return layers


def _until(figure: str, percent: float) -> list[Layer]:
    """The greatest groups until they make up so many percent of the whole."""
    shares = Calculation(kind="share", alias=SHARE, of=(figure,))
    running = Calculation(kind="running_share", alias=RUNNING, of=(figure,))
    return [
        CalculationLayer(columns=(shares, running)),
        RunningShareLayer(share=SHARE, running=RUNNING, percent=percent),
    ]


def _window(plan: Plan, keys: tuple[str, ...], figures: tuple[str, ...]) -> tuple[list[Layer], list[str]]:
    window = plan.window
    assert window is not None  # only plans with a window come here
    value, alias = figures[0], WINDOWS[window.kind].words
    within = tuple(keys[at] for at in window.within)
    if window.kind == "share":
        return [CalculationLayer(columns=(Calculation(kind="share", alias=alias, of=(value,), within=within),))], [
            alias
        ]
    if sql := WINDOWS[window.kind].sql:
        places = CalculationLayer(columns=(Calculation(kind="rank", alias=alias, of=(value,), within=within, sql=sql),))
        # Places are taken over all groups before some of them are told.
        told = [ChosenLayer(column=keys[-1], values=window.only)] if window.only else []
        return [places, *told], [alias]
    at = window.along if window.along is not None else next((n for n, v in enumerate(plan.by) if is_time(v)), None)
    if at is None:
        raise InvalidArguments("The plan does not name the time column for this calculation.")
    others = tuple(key for place, key in enumerate(keys) if place != at)
    layers: list[Layer] = []
    along = keys[at]
    part = plan.by[at].part
    if part in {"year", "decade"} or part is None:
        step = 10 if part == "decade" else 1
    else:
        if part not in {"quarter", "month", "week", "day"}:
            raise InvalidArguments(f"Changes along {part} are not supported.")
        number = Calculation(kind="period_number", alias=NUMBER, of=(along,), within=others, step=cast("Step", part))
        layers.append(CalculationLayer(columns=(number,)))
        along, step = NUMBER, 1
    if window.kind == "running":
        one = Calculation(kind="running_total", alias=alias, of=(value,), along=along, within=others)
        return [*layers, CalculationLayer(columns=(one,))], [alias]
    if window.kind in {"moving", "moving_total"}:
        one = Calculation(
            kind="moving_average" if window.kind == "moving" else "moving_sum",
            alias=alias,
            of=(value,),
            along=along,
            within=others,
            steps=window.steps * step,
        )
        return [*layers, CalculationLayer(columns=(one,))], [alias]
    before = "before"
    earlier = Calculation(
        kind="earlier", alias=before, of=(value,), along=along, within=others, steps=window.steps * step
    )
    compares = cast("CalculationKind", WINDOWS[window.kind].compares)
    compared = Calculation(kind=compares, alias=alias, of=(value, before))
    return [*layers, CalculationLayer(columns=(earlier,)), CalculationLayer(columns=(compared,))], [before, alias]


def _between(plan: Plan, keys: tuple[str, ...], figures: tuple[str, ...]) -> CompiledPlan:
    """A figure in two periods side by side, and how it changed from the first to the second."""
    from averment.plans.plan import Test

    window = plan.window
    assert window is not None and window.span is not None  # only plans with a span come here
    if window.along is None:
        raise InvalidArguments("The plan does not name the time column of the two periods.")
    time = plan.by[window.along]
    others = [n for n in range(len(plan.by)) if n != window.along]
    names = tuple(keys[n] for n in others)
    sides = [
        measure_term(only_where(plan.measures[0], Test(value=time, operator="=", to=(period,))))
        for period in window.span
    ]
    first, last = (f"{figures[0]} {period}" for period in window.span)
    alias = "difference" if window.kind == "change" and sets_apart(plan) else WINDOWS[window.kind].words
    columns = [Calculation(kind="difference", alias=alias, of=(last, first))]
    if window.kind == "growth":
        columns = [Calculation(kind="percent_change", alias=alias, of=(last, first))]
    base = Select(
        table=plan.table,
        joins=plan.joins,
        outputs=(
            *(Output(term=term(plan.by[n]), alias=keys[n]) for n in others),
            Output(term=sides[0], alias=first),
            Output(term=sides[1], alias=last),
        ),
        conditions=(
            *(condition(each) for each in plan.where),
            *(Condition(term=term(plan.by[n]), operator="not null") for n in others),
        ),
        groups=tuple(term(plan.by[n]) for n in others),
    )
    layers: list[Layer] = [CalculationLayer(columns=tuple(columns))]
    order: tuple[Sorting, ...] = ()
    if plan.rank is not None:
        layers += _picked(plan, alias, ())
    if names:
        down = plan.rank.descending if plan.rank is not None else True
        order = (Sorting(alias=alias, descending=down), *(Sorting(alias=name) for name in names))
    query = Layered(base=base, layers=tuple(layers), shown=(*names, first, last, alias), order=order)
    return CompiledPlan(query=query, keys=names, figures=(first, last, alias))
