"""The one compiler: a plan becomes a query in DuckDB's dialect, and at the edge each engine's own text.

What a result holds is fixed: first the keys (``by``, or ``show`` for rows), then one figure for each measure, then the
window's column. Rankings keep ties and never let a missing value win.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from averment.errors import InvalidArguments
from averment.plans import steps
from averment.plans.columns import ResultColumn, result_columns
from averment.plans.expressions import (
    combined,
    compared,
    compared_with,
    condition_sql,
    inner_sql,
    known_sql,
    measure_sql,
    only_where,
    order_sql,
    select,
    value_sql,
)
from averment.plans.names import headings, sets_apart
from averment.plans.query import ComposedQuery, Query, Sorting, Step
from averment.plans.readback import say_scalar
from averment.plans.registry import AGGREGATES, WINDOWS

if TYPE_CHECKING:
    from averment.plans.plan import GroupTest, Measure, Plan
    from averment.tables.catalog import Dialect

NUMBER, ORDER = "period number", "key order"
SHARE, RUNNING = "share in percent", "running share in percent"


@dataclass(frozen=True, kw_only=True)
class CompiledPlan:
    """A plan's query, and which headings of its result are keys and which are figures."""

    query: Query
    keys: tuple[str, ...]
    figures: tuple[str, ...]
    columns: tuple[ResultColumn, ...] = ()
    """What each column of the result is."""
    program: dict[str, Any] | None = None
    """What a program is to compute of the query's rows, where no engine does; the headings are then its result's."""
    tool: str | None = None
    """The tool that computes of the query's rows, its ``input``; the headings are then its result's."""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    """What else the tool is given."""

    def column(self, name: str) -> ResultColumn | None:
        """What the column of that heading is."""
        return next((each for each in self.columns if each.name == name), None)

    def compose(self, dialect: Dialect) -> ComposedQuery:
        """The query's text and parameters for a dialect."""
        return self.query.write(dialect)


def compile_plan(plan: Plan) -> CompiledPlan:
    """The plan as a query.

    Raises:
        InvalidArguments: the plan asks for something no query gives, such as a growth without a time to grow along.
    """
    if plan.query is not None:
        raise InvalidArguments("This plan was composed by an earlier version, which recorded its query.")
    if plan.statistic is not None:
        compiled = plan.statistic.compile(plan)
    else:
        compiled = _figures(plan) if plan.measures or (plan.by and not plan.show) else _rows(plan)
    return replace(compiled, columns=result_columns(plan, compiled.keys, compiled.figures))


def _rows(plan: Plan) -> CompiledPlan:
    """Rows as they are, each combination once if distinct, the first few by a value if ranked."""
    keys, _ = headings(plan)
    outputs = {name: value_sql(value) for value, name in zip(plan.show, keys, strict=True)}
    figures: tuple[str, ...] = ()
    picked: list[Step] = []
    _check_order(plan, len(keys))
    order = tuple(Sorting(keys[sort.at], sort.descending) for sort in plan.order)
    if plan.rank is not None and plan.rank.by is not None:
        by = next((name for value, name in zip(plan.show, keys, strict=True) if value == plan.rank.by), None)
        if by is None:
            by = plan.rank.by.column or "ranked by"
            by = by if by not in keys else f"{by} ranked"
            outputs[by] = value_sql(plan.rank.by)
        figures = (by,)
        picked = _picked(plan, by, tuple(keys[at] for at in plan.rank.within))
        order = order or (Sorting(by, plan.rank.descending), *(Sorting(key) for key in keys if key != by))
    elif plan.distinct and not order:
        order = tuple(Sorting(name) for name in keys)
    known = [known_sql(value) for value in plan.show[:1]] if plan.distinct else []
    base = _combined(plan, select(plan, outputs, where=known, distinct=plan.distinct))
    shown = (*keys, *(each for each in figures if each not in keys))
    kept = tuple(key for key in keys if key not in figures)
    return CompiledPlan(query=Query(base=base, shown=shown, order=order).then(*picked), keys=kept, figures=figures)


def _combined(plan: Plan, base: exp.Query) -> exp.Query:
    if plan.combine is None:
        return base
    other = compile_plan(plan.combine.other).query
    if other.steps:
        raise InvalidArguments("A ranked or layered plan cannot be combined with another.")
    return combined(plan.combine.operation, base, other.base)


def _figures(plan: Plan) -> CompiledPlan:
    keys, figures = headings(plan)
    if plan.window is not None and plan.window.kind in {"growth", "change"} and plan.window.span is not None:
        return _between(plan, keys, figures)
    query = _grouped(plan, keys, figures)
    told = list(figures)
    if plan.over_groups is not None:
        function = "rows" if plan.over_groups == "count" else plan.over_groups
        heading = f"{plan.over_groups} of {figures[0]}"
        query = query.then(steps.grouping((), {heading: steps.summary_of(function, figures[0])}))
        return CompiledPlan(query=replace(query, shown=(heading,)), keys=(), figures=(heading,))
    if plan.window is not None:
        added, names = _window(plan, keys, figures[0])
        query = query.then(*added)
        told += names
    order = _order(plan, keys, told)
    if plan.rank is not None:
        by = told[-1] if plan.window is not None else figures[0]
        if plan.rank.by is not None:
            by = _key_of(plan, keys, plan.rank.by)
        within = tuple(keys[at] for at in plan.rank.within)
        if plan.rank.until is not None:
            shares = {SHARE: steps.share_of(figures[0]), RUNNING: steps.running_share_of(figures[0])}
            query = query.then(steps.adding(shares), steps.reaching(SHARE, RUNNING, plan.rank.until))
            told += shares
        else:
            query = query.then(*_picked(plan, by, within))
        order = (*map(Sorting, within), Sorting(by, plan.rank.descending), *map(Sorting, keys))
    query = replace(query, shown=tuple(dict.fromkeys((*keys, *told))), order=order if plan.by or query.steps else ())
    if plan.across is not None:
        return _across(plan, query, keys, told[-1])
    return CompiledPlan(query=query, keys=keys, figures=tuple(told))


def _key_of(plan: Plan, keys: tuple[str, ...], wanted: object) -> str:
    return next((name for value, name in zip(plan.by, keys, strict=True) if value == wanted), keys[0])


def _grouped(plan: Plan, keys: tuple[str, ...], figures: tuple[str, ...]) -> Query:
    """One row for each combination of the keys, with its figures."""
    known: list[exp.Expr] = []
    if plan.rank is not None or plan.window is not None or plan.over_groups is not None or plan.asks is not None:
        # What belongs to no group is ranked, compared and shared in none.
        known = [known_sql(value) for value in plan.by]
    elif plan.having:
        # Nor does it pass a bar: rows without a manager are nobody's.
        known = [known_sql(value) for value in plan.by[:1]]
    if any(AGGREGATES[measure.function].placed for measure in plan.measures):
        return _by_place(plan, keys, figures, known)
    groups = [value_sql(value) for value in plan.by]
    outputs = dict(zip(keys, groups, strict=True))
    outputs |= {name: measure_sql(each) for each, name in zip(plan.measures, figures, strict=True)}
    outputs |= {f"{ORDER} {at}": exp.Min(this=by) for at, by in enumerate(map(order_sql, plan.by)) if by is not None}
    base = select(plan, outputs, where=known, group=groups, having=map(_having, plan.having))
    return Query(base=base, shown=(*keys, *figures))


def _by_place(plan: Plan, keys: tuple[str, ...], figures: tuple[str, ...], known: Iterable[exp.Expr]) -> Query:
    """Figures by a value's place among the others: the rows with their values, and what is taken of them."""
    if plan.having:
        raise InvalidArguments("Groups cannot be selected by a percentile.")
    first = plan.measures[0]
    if any(measure.where != first.where for measure in plan.measures):
        raise InvalidArguments("Percentiles shown together must use the same rows.")
    outputs = {name: value_sql(value) for value, name in zip(plan.by, keys, strict=True)}
    values: dict[str, str] = {}
    columns: dict[str, str] = {}
    ranges: dict[str, str] = {}
    for place, (measure, name) in enumerate(zip(plan.measures, figures, strict=True)):
        of = _placed_value(measure, values, outputs)
        if measure.function == "iqr" and of is not None:
            low, high = f"lower {place}", f"upper {place}"
            columns |= {low: steps.quantile_of(of, 0.25), high: steps.quantile_of(of, 0.75)}
            ranges[name] = steps.difference_of(high, low)
        else:
            columns[name] = steps.summary_of(measure.function, of, measure.at)
    base = select(plan, outputs, where=[*known, *map(condition_sql, first.where)])
    query = Query(base=base, shown=(*keys, *figures)).then(steps.grouping(keys, columns))
    return query.then(steps.adding(ranges)) if ranges else query


def _placed_value(measure: Measure, values: dict[str, str], outputs: dict[str, exp.Expr]) -> str | None:
    """The heading of what a figure is taken of, as one more column of the rows."""
    if measure.function == "rate" or measure.over is not None or measure.weight is not None:
        raise InvalidArguments(f"A percentile and a {measure.function} cannot be shown together.")
    if measure.of is None:
        if measure.function != "rows":
            raise InvalidArguments(f"A {measure.function} needs a column or an expression.")
        return None
    written = measure.of.model_dump_json()
    if written not in values:
        values[written] = f"value {len(values) + 1}"
        outputs[values[written]] = value_sql(measure.of)
    return values[written]


def _having(test: GroupTest) -> exp.Expr:
    if test.operator in {"null", "contains", "starts", "ends", "in", "not in"}:
        raise InvalidArguments("A group's figure must be compared with a number.")
    figure = measure_sql(test.measure)
    if test.inner is not None:
        return compared(figure, test.operator, inner_sql(test.inner))
    if test.other is not None:
        # All rows of the group hold the same value, so that any of them may stand for it.
        return compared(figure, test.operator, exp.Max(this=value_sql(test.other)))
    if not test.to:
        raise InvalidArguments("A group's figure must be compared with something.")
    return compared_with(figure, test.operator, test.to)


def _order(plan: Plan, keys: tuple[str, ...], figures: Sequence[str]) -> tuple[Sorting, ...]:
    if plan.order:
        every = [*keys, *figures]
        _check_order(plan, len(every))
        return tuple(Sorting(every[sort.at], sort.descending) for sort in plan.order)
    named = [order_sql(value) is not None for value in plan.by]
    if any(named) and plan.rank is None and plan.window is None:
        # Months and weekdays come in their own order, which their names do not have.
        return tuple(Sorting(f"{ORDER} {at}" if named[at] else key) for at, key in enumerate(keys))
    if not keys:
        return ()
    if any(is_time(value) or value.kind == "bucket" for value in plan.by):
        return tuple(map(Sorting, keys))
    return (Sorting(figures[0], descending=True), *map(Sorting, keys)) if figures else ()


def _check_order(plan: Plan, count: int) -> None:
    if any(sort.at >= count for sort in plan.order):
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


def _picked(plan: Plan, by: str, within: tuple[str, ...]) -> list[Step]:
    rank = plan.rank
    assert rank is not None  # only ranked plans come here
    first = steps.picking(by, within, descending=rank.descending, most=rank.limit + rank.skip)
    if not rank.skip:
        return [first]
    # Of the first two the lower one is the second.
    return [first, steps.picking(by, within, descending=not rank.descending, most=rank.limit, among=rank.skip + 1)]


def _window(plan: Plan, keys: tuple[str, ...], value: str) -> tuple[list[Step], list[str]]:
    """The steps of a figure over the groups, and the headings of what they add."""
    window = plan.window
    assert window is not None  # only plans with a window come here
    record = WINDOWS[window.kind]
    heading, within = record.words, tuple(keys[at] for at in window.within)
    if window.kind == "share":
        return [steps.adding({heading: steps.share_of(value, within)})], [heading]
    if record.sql:
        places = steps.adding({heading: steps.written_of(record.sql, value, within)})
        # Places are taken over all groups before some of them are told.
        return [places, *([steps.choosing(keys[-1], window.only)] if window.only else [])], [heading]
    at = window.along if window.along is not None else next((n for n, v in enumerate(plan.by) if is_time(v)), None)
    if at is None:
        raise InvalidArguments("The plan does not name the time column for this calculation.")
    others = tuple(key for place, key in enumerate(keys) if place != at)
    along, part, numbered = keys[at], plan.by[at].part, list[Step]()
    width = window.steps * (10 if part == "decade" else 1)
    if part not in ("year", "decade", None):
        if part not in ("quarter", "month", "week", "day"):
            raise InvalidArguments(f"Changes along {part} are not supported.")
        number = steps.place_of(along, others) if part == "day" else steps.period_number_of(along, part)
        numbered = [steps.adding({NUMBER: number})]
        along = NUMBER
    if window.kind == "running":
        return [*numbered, steps.adding({heading: steps.running_of(value, along, others)})], [heading]
    if window.kind in {"moving", "moving_total"}:
        moving = steps.moving_of(value, along, others, width, mean=window.kind == "moving")
        return [*numbered, steps.adding({heading: moving})], [heading]
    earlier = steps.adding({"before": steps.earlier_of(value, along, others, width)})
    compared_to = steps.adding({heading: steps.COMPARED[record.compares](value, "before")})
    return [*numbered, earlier, compared_to], ["before", heading]


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
    groups = [value_sql(plan.by[n]) for n in others]
    first, last = (f"{figures[0]} {period}" for period in window.span)
    outputs = dict(zip(names, groups, strict=True))
    for heading, period in zip((first, last), window.span, strict=True):
        side = only_where(plan.measures[0], Test(value=time, operator="=", to=(period,)))
        outputs[heading] = measure_sql(side)
    heading = "difference" if window.kind == "change" and sets_apart(plan) else WINDOWS[window.kind].words
    compare = steps.COMPARED[WINDOWS[window.kind].compares]
    base = select(plan, outputs, where=[known_sql(plan.by[n]) for n in others], group=groups)
    query = Query(base=base, shown=(*names, first, last, heading)).then(steps.adding({heading: compare(last, first)}))
    if plan.rank is not None:
        query = query.then(*_picked(plan, heading, ()))
    if names:
        down = plan.rank.descending if plan.rank is not None else True
        query = replace(query, order=(Sorting(heading, down), *map(Sorting, names)))
    return CompiledPlan(query=query, keys=names, figures=(first, last, heading))


def _across(plan: Plan, query: Query, keys: tuple[str, ...], figure: str) -> CompiledPlan:
    """The same groups, the values of one key laid side by side."""
    laid = plan.across
    assert laid is not None  # only plans with a key across come here
    if laid.at >= len(keys) or len(keys) < 2:
        raise InvalidArguments("A pivot table needs one key for its rows and one for its columns.")
    across = keys[laid.at]
    down = tuple(key for key in keys if key != across)
    entries = {(f"{across} {said}" if said in down else said): said for said in map(say_scalar, laid.values)}
    query = query.then(steps.spreading(down, across, figure, entries))
    query = replace(query, shown=(*down, *entries), order=tuple(map(Sorting, down)))
    return CompiledPlan(query=query, keys=down, figures=tuple(entries))
