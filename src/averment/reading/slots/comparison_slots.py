"""Comparisons as words say them: with a number, with the average, with a column between them and their number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import Measure, Plan, Test
from averment.reading.lattice.concepts import concepts
from averment.reading.slots.attach import against, compare

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Span
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State

AGGREGATES = ("mean", "median", "sum", "stddev", "variance")


def compared(state: State, place: int, operator: str, span: Span) -> Iterator[State]:
    """A comparison with a number, with the average, or with a column between it and its number."""
    after = state.item(place + 1)
    if after is None:
        return
    if after.type == "NUMBER":
        made = state.copy()
        made.used.add(place + 1)
        later = state.item(place + 2)
        if later is not None and later.cue("or_more", "or_less"):
            operator = ">=" if later.cue("or_more") else "<="
            made.used.add(place + 2)
        yield from compare(made, place, place + 1, operator, None)
        return
    if after.type == "COLUMN" and after.data.kind == "number":
        later = state.item(place + 2)
        if later is not None and later.type == "NUMBER":
            made = state.copy()
            made.used |= {place + 1, place + 2}
            made.tests.append(Test(value=after.data.value, operator=operator, to=(later.data[0],)))  # pyright: ignore[reportArgumentType]
            yield made
            return
    if after.type == "COLUMN" and after.data.kind == "number":
        before = next(
            (i.data for p in (place - 1, place - 2) if (i := state.item(p)) is not None and i.type == "COLUMN"), None
        )
        if before is not after.data and not (before is not None and state.has("yes_no")):
            yield from against(state, place, before, operator)
    if after.cue("mean", "median"):
        yield from _above_average(state, place, operator, "mean" if after.cue("mean") else "median")


def _above_average(state: State, place: int, operator: str, function: str) -> Iterator[State]:
    places = [place + 2, place - 1, place - 2]
    columns = [(p, item.data) for p in places if (item := state.item(p)) is not None and item.type == "COLUMN"]
    for cost, (at, column) in enumerate((p, c) for p, c in columns if c.has("measure")):
        before = state.item(at - 1)
        figure = next((f for f in AGGREGATES if before is not None and at < place and before.cue(f)), None)
        if figure is not None and figure in state.aggregates and (state.targets or state.rows or state.groups):
            # "Departments whose average salary is above the average": of each group, and not of a row.
            group = state.copy(0.1 * cost)
            group.used |= {place + 1, at}
            group.aggregates.remove(figure)
            group.drop_measure(column)
            group.having_of.append((figure, column, operator, _overall(column, function)))
            group.cues.add("having")
            yield group
            continue
        made = state.copy(0.1 * cost)
        made.used |= {place + 1, at}
        made.drop_measure(column)
        made.tests.append(against_figure(column, operator, function))
        yield made


def _overall(column: Column, function: str) -> Plan:
    measure = Measure(function=function, of=column.value)  # pyright: ignore[reportArgumentType]
    return Plan(table=column.table, measures=(measure,), expects="figure")


def against_figure(column: Column, operator: str, function: str) -> Test:
    """A column held against its own average over all rows."""
    return Test(value=column.value, operator=operator, inner=_overall(column, function))  # pyright: ignore[reportArgumentType]


def graded_average(state: State, place: int, operator: str, function: str, names: tuple[str, ...]) -> Iterator[State]:
    """ "older than average": the adjective says of what."""
    for cost, column in concepts(state, names)[:2]:
        made = state.copy(cost)
        made.used |= {place + 1, place + 2}
        made.tests.append(against_figure(column, operator, function))
        yield made
