"""Groups of equal size and the coming and going of members, as queries."""

from __future__ import annotations

from datetime import date, timedelta
from typing import TYPE_CHECKING, cast

from averment.errors import InvalidArguments
from averment.plans.compile_spread import SUMMARIES
from averment.plans.compiled import CompiledPlan
from averment.plans.names import headings, value_name
from averment.plans.registry import AGGREGATES
from averment.plans.terms import condition, measure_term, term
from averment.tables.compose.layer_spec import (
    Calculation,
    CalculationLayer,
    CohortLayer,
    GroupLayer,
    Layer,
    Layered,
    PeriodLayer,
    QuantileLayer,
    Sorting,
    SummaryColumn,
)
from averment.tables.compose.select_spec import Condition, Output, Select, Term
from averment.tables.compose.select_spec import Part as TermPart

if TYPE_CHECKING:
    from averment.plans.plan import Plan, Value
    from averment.plans.statistics import Cohorts, EqualGroups

GROUP, FROM, TO, SHARE = "group", "from", "to", "share in percent"
COHORT, SIZE, ACTIVE, NEW, RETURNING, RETENTION = "cohort", "size", "active", "new", "returning", "retention in percent"
_VALUE, _MEMBER, _START, _AMOUNT = "value", "member", "start", "amount"


def compile_equal_groups(plan: Plan, statistic: EqualGroups) -> CompiledPlan:
    """Rows by a value, or what the plan is ``by`` by its figure, from the lowest group to the highest."""
    where = tuple(condition(each) for each in plan.where)
    if plan.by:
        return _entities(plan, statistic, where)
    outputs = [Output(term=term(statistic.of[0]), alias=_VALUE)]
    columns = [SummaryColumn(function="rows", alias="rows")]
    figures = ["rows"]
    measure = plan.measures[0] if plan.measures else None
    if measure is not None and measure.of is not None:
        function = SUMMARIES.get(measure.function)
        if function is None or AGGREGATES[measure.function].counts or AGGREGATES[measure.function].placed:
            raise InvalidArguments(f"A {measure.function} cannot be computed for groups of equal size.")
        outputs.append(Output(term=term(measure.of), alias=_AMOUNT))
        alias = headings(plan)[1][0]
        half = 0.5 if function == "quantile" else None
        columns.append(SummaryColumn(function=function, alias=alias, of=_AMOUNT, at=half))
        figures.append(alias)
    base = Select(table=plan.table, joins=plan.joins, outputs=tuple(outputs), conditions=where)
    return _tiled(base, statistic.bins, columns, figures, ())


def _entities(plan: Plan, statistic: EqualGroups, where: tuple[Condition, ...]) -> CompiledPlan:
    keys, figures = headings(plan)
    measure = plan.measures[0]
    counted = f"number of {keys[0]}"
    terms = tuple(term(value) for value in plan.by)
    known = tuple(Condition(term=each, operator="not null") for each in terms)
    base = Select(
        table=plan.table,
        joins=plan.joins,
        outputs=(
            *(Output(term=each, alias=name) for each, name in zip(terms, keys, strict=True)),
            Output(term=measure_term(measure), alias=_VALUE),
        ),
        conditions=(*where, *known),
        groups=terms,
    )
    columns = [SummaryColumn(function="rows", alias=counted)]
    told, layers = [counted], list[Layer]()
    if AGGREGATES[measure.function].additive:
        columns.append(SummaryColumn(function="sum", alias=figures[0], of=_VALUE))
        layers.append(CalculationLayer(columns=(Calculation(kind="share", alias=SHARE, of=(figures[0],)),)))
        told += [figures[0], SHARE]
    return _tiled(base, statistic.bins, columns, told, tuple(layers))


def _tiled(
    base: Select, count: int, columns: list[SummaryColumn], figures: list[str], layers: tuple[Layer, ...]
) -> CompiledPlan:
    tiled = QuantileLayer(of=_VALUE, count=count, columns=tuple(columns))
    keys = (GROUP, FROM, TO)
    query = Layered(base=base, layers=(tiled, *layers), shown=(*keys, *figures), order=(Sorting(alias=GROUP),))
    return CompiledPlan(query=query, keys=keys, figures=tuple(figures))


def compile_members(plan: Plan, statistic: Cohorts, asked: str | None) -> CompiledPlan:
    """How many of each cohort come back, or how many members are active, new and returning in each period."""
    member, when = statistic.of[:2]
    step = statistic.period
    label, after = f"{step} of {when.column or value_name(when)}", f"{step}s after"
    known = tuple(Condition(term=term(each), operator="not null") for each in (member, when))
    outputs = [Output(term=term(member), alias=_MEMBER), Output(term=_cut(when, step), alias=label)]
    if statistic.by is not None:
        outputs.append(Output(term=_cut(statistic.by, step), alias=_START))
    base = Select(
        table=plan.table,
        joins=plan.joins,
        outputs=tuple(outputs),
        conditions=(*(condition(each) for each in plan.where), *known),
    )
    start = _START if statistic.by is not None else None
    layers: list[Layer] = [CohortLayer(member=_MEMBER, period=label, start=start, step=step, after=after)]
    if statistic.span is not None:
        # Only after all members have their beginning: who was there before is not new.
        first, last = (date.fromisoformat(each) for each in statistic.span)
        told = COHORT if asked is None else label
        layers.append(PeriodLayer(column=told, start=first.isoformat(), end=(last + timedelta(days=1)).isoformat()))
    if asked is None:
        layers += [
            GroupLayer(keys=(COHORT, SIZE, after), columns=(SummaryColumn(function="rows", alias=ACTIVE),)),
            CalculationLayer(columns=(Calculation(kind="share_of", alias=RETENTION, of=(ACTIVE, SIZE)),)),
        ]
        keys, figures = (COHORT, after), (SIZE, ACTIVE, RETENTION)
        order = (Sorting(alias=COHORT), Sorting(alias=after))
    else:
        sums = tuple(SummaryColumn(function="sum", alias=name, of=name) for name in (NEW, RETURNING))
        layers.append(GroupLayer(keys=(label,), columns=(SummaryColumn(function="rows", alias=ACTIVE), *sums)))
        keys = (label,)
        figures = (asked, *(name for name in (ACTIVE, NEW, RETURNING) if name != asked))
        order = (Sorting(alias=label),)
    query = Layered(base=base, layers=tuple(layers), shown=(*keys, *figures), order=order)
    return CompiledPlan(query=query, keys=keys, figures=figures)


def _cut(value: Value, step: str) -> Term:
    """A moment cut to its period."""
    column = Term(kind="column", table=value.table, column=value.column)
    return Term(kind="part", part=cast("TermPart", step), arguments=(column,))
