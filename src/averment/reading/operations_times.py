"""Operations along time: growth and change, running and moving figures, series, when something was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import Plan, Rank, Window
from averment.reading.operations_figures import figure_plan, propose_functions
from averment.reading.parts import Parts, Proposal, number_measure, rows_measure, usual
from averment.reading.times import time_columns

if TYPE_CHECKING:
    from averment.plans.plan import Value
    from averment.reading.state import State


def growth(parts: Parts) -> Iterator[Proposal]:
    """How a figure grew or changed along time, or between two periods, for groups or over all."""
    state = parts.state
    time = parts.time_key(state.span_part if state.span is not None else parts.grain)
    if time is None:
        return
    column = parts.numbers[0] if parts.numbers else parts.implied
    if column is not None:
        function = state.aggregates[0] if state.aggregates else usual(column)[0][1]
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
    down = state.has("falling") and not state.has("growth")
    span = state.span
    cost = 0.0
    if span is None and not state.has("period_over_period") and (state.descending is not None or not state.groups):
        span, cost = parts.whole_span, 0.12
    rank = None
    if state.descending is not None and others:
        descending = state.descending != down
        rank = Rank(descending=descending, limit=state.limit or 1)
    for extra, kind in zip((0.0, 0.3), kinds, strict=True):
        if span is not None:
            yield (
                cost + extra,
                Plan(
                    table=parts.home,
                    measures=(measure,),
                    by=(time, *others),
                    where=parts.where,
                    window=Window(kind=kind, along=0, span=span),  # pyright: ignore[reportArgumentType]
                    rank=rank,
                    expects="row" if rank is not None else "figure" if not others else "table",
                ),
            )
        # A period that is cut out first has nothing before it to grow from.
        cut = any(t.value is not None and parts.is_time(t.value) for t in parts.where)
        if state.span is None and rank is None and not cut:
            window = Window(kind=kind, along=0, steps=_steps(state, time))  # pyright: ignore[reportArgumentType]
            more = 0.0 if state.has("period_over_period") or state.groups else 0.25
            yield more + extra, figure_plan(parts, measure, (time, *others), window=window)


def _steps(state: State, time: Value) -> int:
    """How far back a change looks: a year over a year is twelve months ago where the steps are months."""
    yearly = any(i.cue("period_over_period") and ("year" in i.text or "yoy" in i.text) for i in state.items)
    return {"month": 12, "quarter": 4, "week": 52}.get(time.part or "", 1) if yearly else 1


def propose_along(parts: Parts) -> Iterator[Proposal]:
    """Running totals along time."""
    state = parts.state
    time = next((v for v in state.groups if parts.is_time(v)), None) or parts.time_key(parts.grain)
    column = parts.numbers[0] if parts.numbers else parts.implied
    if time is None:
        return
    measure = rows_measure(parts) if column is None else number_measure(column, usual(column)[0][1], None)
    yield 0.1, figure_plan(parts, measure, (time,), window=Window(kind="running", along=0))


def propose_series(parts: Parts) -> Iterator[Proposal]:
    """A figure over time, for each of some things."""
    state = parts.state
    if any(parts.is_time(v) for v in state.groups):
        return
    time = parts.time_key(parts.grain)
    if time is None:
        return
    entities = tuple(v for v in (*state.groups, *parts.entities) if not parts.is_time(v))[:1]
    if parts.sides is not None and not entities:
        entities = (parts.sides,)
    column = parts.numbers[0] if parts.numbers else parts.implied if not state.rows and not state.has("count") else None
    if column is None:
        yield 0.1, figure_plan(parts, rows_measure(parts), (time, *entities))
        return
    for cost, function in propose_functions(parts, column):
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
    if state.has("first", "last") and (parts.where or asked is not None or state.has("when")):
        rank = Rank(by=moment, descending=state.has("last") and not state.has("first"))
        shown = (moment, *(c.value for c in parts.numbers[:1]))
        yield 0.05, Plan(table=parts.home, show=shown, where=parts.where, rank=rank, expects="row")
        return
    if state.has("when") and parts.where:
        yield 0.2, Plan(table=parts.home, show=(moment,), where=parts.where, expects="list")
