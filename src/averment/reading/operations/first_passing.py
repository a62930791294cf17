"""When a figure of whole periods first or last passed a bar: the first month with over a hundred sales.

The bar is held against the figure of each period. Where each row is one such period, or no period is named, the rows
themselves are looked at, as ``propose_when`` does.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import GroupTest, Plan, Rank
from averment.reading.operations.plan_parts import Parts, Proposal, rows_measure
from averment.reading.schema.usual_figures import number_measure, usual
from averment.reading.times.time_conditions import step_of

if TYPE_CHECKING:
    from averment.plans.plan import Test, Value
    from averment.reading.slots.state import State

_LIMITS = frozenset({">", ">=", "<", "<="})
_IN_ORDER = frozenset({"year", "quarter", "month", "week", "day", "decade"})
"""Periods of which one comes before another; a weekday comes again."""


def passes_a_bar(state: State) -> bool:
    """Whether a first or a last time is asked for, and a bar stands in the question."""
    held = bool(state.having or state.having_of) or any(test.operator in _LIMITS for test in state.tests)
    return state.has("first", "last") and held and state.descending is None


def first_passing(parts: Parts) -> Iterator[Proposal]:
    """The first or the last period whose figure lies above or below the bar."""
    state = parts.state
    time = _period(parts)
    if time is None:
        return
    for group in parts.having_figures:
        yield 0.0, _plan(parts, time, group, parts.where)
    for operator, number in state.having:
        group = GroupTest(measure=rows_measure(parts), operator=operator, to=(number,))  # pyright: ignore[reportArgumentType]
        yield 0.05, _plan(parts, time, group, parts.where)
    rows = step_of(parts.table) == time.part and not state.aggregates  # Each row is one such period.
    if rows or state.having_of or state.having:
        return
    for limit in parts.where:
        yield from _of_each_period(parts, time, limit)


def _of_each_period(parts: Parts, time: Value, limit: Test) -> Iterator[Proposal]:
    """A bar on a number of the rows, held against what each period has of it."""
    column = parts.column_of(limit.value) if limit.value is not None else None
    plain = limit.operator in _LIMITS and limit.inner is None and limit.other is None and len(limit.to) == 1
    if column is None or not column.has("measure") or not plain or isinstance(limit.to[0], str):
        return
    rest = tuple(test for test in parts.where if test is not limit)
    asked = parts.state.aggregates
    for cost, function in [(0.0, asked[0])] if asked else usual(column)[:1]:
        measure = number_measure(column, function, None)
        group = GroupTest(measure=measure, operator=limit.operator, to=(float(limit.to[0]),))
        yield cost + 0.02, _plan(parts, time, group, rest)


def _period(parts: Parts) -> Value | None:
    """The period that is asked for: a month, a year, as a target, a group or an adverb."""
    state = parts.state
    named = [value for value in (*state.targets, *state.groups, state.adverb) if value is not None]
    return next((value for value in named if value.part in _IN_ORDER), None)


def _plan(parts: Parts, time: Value, group: GroupTest, where: tuple[Test, ...]) -> Plan:
    rank = Rank(by=time, descending=parts.state.has("last") and not parts.state.has("first"))
    return Plan(
        table=parts.home, by=(time,), measures=(group.measure,), where=where, having=(group,), rank=rank, expects="row"
    )
