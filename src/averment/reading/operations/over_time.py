"""Operations along time: growth and change, running and moving figures, series, when something was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.plans.expressions import only_where
from averment.plans.plan import Plan, Rank, Window
from averment.reading.operations.figures import figure_plan, propose_functions
from averment.reading.operations.plan_parts import Parts, Proposal, rows_measure
from averment.reading.schema.usual_figures import number_measure, ratio_of
from averment.reading.times.time_conditions import time_columns

if TYPE_CHECKING:
    from averment.plans.plan import Value
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State


def growth(parts: Parts) -> Iterator[Proposal]:
    """How a figure grew or changed along time, or between two periods, for groups or over all."""
    state = parts.state
    if _is_averaged(state):
        return
    named = parts.numbers or parts.implied is not None or bool(state.rows)
    if named or not state.targets or state.descending is None:
        yield from _grown(parts, parts.numbers[0] if parts.numbers else parts.implied)
        return
    # "Which plot improved most": in what nobody said, so that each amount of the table is a way to read it.
    for order, column in enumerate(sorted(parts.table.measures, key=lambda each: not each.additive)[:3]):
        if column.expression is None:
            own = replace(column, additive=True)
            yield from ((0.2 + 0.1 * order + cost, plan) for cost, plan in _grown(parts, own))


def _grown(parts: Parts, column: Column | None) -> Iterator[Proposal]:
    state = parts.state
    span = state.span or _year_before(parts)
    time = parts.time_key(state.span_part if span is not None else _step(state) or parts.grain)
    if time is None:
        return
    where = parts.where if span is None or state.span is not None else parts.where_of(time)
    if column is not None:
        function = state.aggregates[0] if state.aggregates else along_time(column)
        if state.span_part == "decade" and not state.aggregates:
            function = "mean"
        measure = number_measure(column, function, None)
    elif state.rows:
        measure = rows_measure(parts)
    else:
        return
    others = tuple(v for v in (*state.groups, *parts.entities) if not parts.is_time(v))
    others = tuple(dict.fromkeys(others))[:1]
    if parts.sides is not None and parts.sides not in others:
        others = (*others, parts.sides)
    kinds = ["growth", "change"] if state.has("growth", "period_over_period") else ["change", "growth"]
    if state.has("growth") and state.has("period_over_period"):
        kinds = ["growth"]  # A year over year growth is always in percent.
    if any(item.text == "by how much" for item in state.items) and not state.has("period_over_period"):
        kinds = ["change", "growth"]  # So much of it, unless a percentage is asked for.
    down = state.has("falling") and not state.has("growth")
    cost = 0.0
    if span is None and not state.has("period_over_period") and (state.descending is not None or not state.groups):
        span, cost = parts.whole_span, 0.12
    rank = None
    if state.descending is not None and others:
        descending = state.descending != down
        rank = Rank(descending=descending, limit=state.limit or 1)
    for place, kind in enumerate(kinds):
        extra = 0.3 * place
        if span is not None:
            yield (
                cost + extra,
                Plan(
                    table=parts.home,
                    measures=(measure,),
                    by=(time, *others),
                    where=where,
                    window=Window(kind=kind, along=0, span=span),  # pyright: ignore[reportArgumentType]
                    rank=rank,
                    expects="row" if rank is not None else "figure" if not others else "table",
                ),
            )
        # A period that is cut out first has nothing before it to grow from.
        cut = any(t.value is not None and parts.is_time(t.value) for t in parts.where)
        stepped = state.has("period_over_period") or any(parts.is_time(v) for v in state.groups)
        cut = cut and not (stepped and time.part in {"month", "quarter", "week", "day"})
        if state.span is None and rank is None and not cut:
            window = Window(kind=kind, along=0, steps=_steps(state, time))  # pyright: ignore[reportArgumentType]
            more = 0.0 if state.has("period_over_period") or state.groups else 0.25
            yield more + extra, figure_plan(parts, measure, (time, *others), window=window)


def _is_averaged(state: State) -> bool:
    """Whether the average of the growth is asked for, which no plan gives: "average monthly growth"."""
    plain = [item for item in state.items if item.type != "PART"]
    return any(
        item.cue("mean", "median") and after.cue("growth", "change", "period_over_period")
        for item, after in pairwise(plain)
    )


def along_time(column: Column) -> str:
    """The figure that is followed along time where none is named: what adds up is added up in each period."""
    if ratio_of(column) is not None:
        return "ratio"
    return "sum" if column.additive else "mean"


def _is_yearly(state: State) -> bool:
    return any(i.cue("period_over_period") and ("year" in i.text or "yoy" in i.text) for i in state.items)


def _step(state: State) -> str | None:
    """The step that "week over week" names, or that a year over a year has where no other is named."""
    said = " ".join(i.text for i in state.items if i.cue("period_over_period"))
    named = next((part for part in ("month", "quarter", "week") if part in said), None)
    short = {"mom": "month", "qoq": "quarter", "wow": "week"}
    named = named or next((part for word, part in short.items() if word in said.split()), None)
    return named or ("year" if _is_yearly(state) else None)


def _year_before(parts: Parts) -> tuple[int, int] | None:
    """ "how much did it grow in 2023": that year against the one before it."""
    state = parts.state
    years = [
        test.to[0]
        for tests in state.periods
        for test in tests
        if test.operator == "=" and test.value is not None and (test.value.part == "year" or not test.value.part)
    ]
    whole = parts.whole_span
    if (
        state.has("period_over_period")
        or len(years) != 1
        or len(state.periods) != 1
        or state.groups
        or whole is None
        or not isinstance(years[0], int)
    ):
        return None
    return (years[0] - 1, years[0]) if whole[0] < years[0] else None


def _steps(state: State, time: Value) -> int:
    """How far back a change looks: a year over a year is twelve months ago where the steps are months."""
    yearly = _is_yearly(state)
    return {"month": 12, "quarter": 4, "week": 52}.get(time.part or "", 1) if yearly else 1


def propose_along(parts: Parts) -> Iterator[Proposal]:
    """Running totals along time."""
    state = parts.state
    time = next((v for v in state.groups if parts.is_time(v)), None) or parts.time_key(parts.fine_grain)
    column = parts.numbers[0] if parts.numbers else parts.implied if not state.rows else None
    if time is None or (column is not None and not column.additive and not state.rows):
        return  # levels and rates do not add up
    if state.aggregates and state.aggregates[0] != "sum":
        return
    measure = rows_measure(parts) if column is None else number_measure(column, "sum", None)
    others = tuple(v for v in state.groups if not parts.is_time(v))[:1]
    yield 0.1, figure_plan(parts, measure, (time, *others), window=Window(kind="running", along=0))


def propose_moving(parts: Parts) -> Iterator[Proposal]:
    """Averages and totals over the last few periods, at each of them."""
    state = parts.state
    if state.wide is None:
        return
    named = next((v for v in (*state.groups, *state.targets) if parts.is_time(v)), None)
    time = parts.key_of(state.step) if state.step is not None else named
    if time is None:
        return
    column = parts.numbers[0] if parts.numbers else parts.implied
    totals = any(i.cue("moving_total") for i in state.items)
    asked = [f for f in state.aggregates if f not in {"mean", "sum"}]
    function = asked[0] if asked else along_time(column) if column is not None else "rows"
    measure = rows_measure(parts) if column is None else number_measure(column, function, None)
    others = tuple(v for v in state.groups if not parts.is_time(v))[:1]
    window = Window(kind="moving_total" if totals else "moving", along=0, steps=state.wide)
    yield 0.0, figure_plan(parts, measure, (time, *others), window=window)


def propose_periods(parts: Parts) -> Iterator[Proposal]:
    """A figure in several periods side by side: Q1 against Q2, before and after a day."""
    state = parts.state
    sides = parts.period_sides
    if not parts.numbers and not state.rows and not state.has("count"):
        return  # "compare Q1 and Q2" does not say in what
    column = parts.numbers[0] if parts.numbers else parts.implied if not state.rows else None
    measure = rows_measure(parts)
    if column is not None:
        function = state.aggregates[0] if state.aggregates else along_time(column)
        measure = number_measure(column, function, state.quantile)
    by = tuple(v for v in state.groups if not parts.is_time(v))
    years = all(test.operator == "=" and test.value is not None for tests in sides for test in tests)
    if years and not by:
        return  # Years are rows of their own.
    plan = Plan(
        table=parts.home,
        measures=tuple(only_where(measure, tests[0]) for tests in sides),
        by=by,
        where=parts.where_of_sides,
        expects="table" if by else "row",
    )
    yield -0.15 * bool(by), plan


def propose_series(parts: Parts) -> Iterator[Proposal]:
    """A figure over time, for each of some things."""
    state = parts.state
    if any(parts.is_time(v) for v in state.groups):
        return
    time = parts.time_key(parts.grain)
    if time is None:
        return
    pinned = [test.value for test in parts.where if test.operator == "=" and not test.negated]
    entities = tuple(v for v in (*state.groups, *parts.entities) if not parts.is_time(v) and v not in pinned)[:1]
    if parts.sides is not None and not entities:
        entities = (parts.sides,)
    column = parts.numbers[0] if parts.numbers else parts.implied if not state.rows and not state.has("count") else None
    if column is None:
        yield 0.1, figure_plan(parts, rows_measure(parts), (time, *entities))
        return
    functions = propose_functions(parts, column)
    if not state.aggregates and column.additive:
        functions = [(0.0, "sum"), (0.35, "mean")]
    for cost, function in functions:
        yield cost, figure_plan(parts, number_measure(column, function, state.quantile), (time, *entities))


def propose_when(parts: Parts) -> Iterator[Proposal]:
    """When something was first or last so, or when a figure was at its peak."""
    state = parts.state
    times = time_columns(parts.table)
    asked = next((v for v in state.targets if parts.is_time(v)), None)
    moment = asked or (times[0].value if times else None)
    if moment is None:
        return
    column = state.ranked or (parts.numbers[0] if parts.numbers else None)
    if state.descending is not None or state.has("ranking"):
        column = column or parts.implied
        if column is None:
            return
        rank = Rank(by=column.value, descending=state.descending is not False, limit=state.limit or 1)
        yield (
            0.0 if asked is None else 0.2,
            Plan(table=parts.home, show=(moment,), where=parts.where, rank=rank, expects="row"),
        )
        return
    whose = state.has("which") or state.rows
    if state.has("first", "last") and whose and not state.has("when") and parts.row_labels and not state.groups:
        # "Who was hired last": the one with the latest day, and not the day.
        rank = Rank(by=moment, descending=state.has("last") and not state.has("first"))
        yield -0.05, Plan(table=parts.home, show=parts.row_labels, where=parts.where, rank=rank, expects="row")
    if state.has("first", "last") and (parts.where or asked is not None or state.has("when")):
        rank = Rank(by=moment, descending=state.has("last") and not state.has("first"))
        shown = (moment, *(c.value for c in parts.numbers[:1]))
        yield 0.05, Plan(table=parts.home, show=shown, where=parts.where, rank=rank, expects="row")
        return
    if state.has("when") and parts.where:
        yield 0.2, Plan(table=parts.home, show=(moment,), where=parts.where, expects="list")
