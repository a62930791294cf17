"""Operations that hold the total of a group against a limit: a number, or a number of the group's own row.

"Customers with revenue above 500" are those whose rows make up more together; a project is over its budget where all
its costs are, and not where one of them is.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.plans.plan import GroupTest, Measure, Plan, Test, Value
from averment.reading.operations.entities import told_apart
from averment.reading.operations.membership import is_party
from averment.reading.operations.plan_parts import Parts, Proposal
from averment.reading.schema.repeats import is_period_of
from averment.reading.times.time_conditions import step_of
from averment.reading.words import is_plural, word_list

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column

_LIMITS = frozenset({">", ">=", "<", "<="})
_SAID = -0.35
"""What it is worth that the question says "in total", or holds what many rows have against what one row has."""

_ROW = 0.4
"""What it costs to add up rows that are a period each, where nobody says so."""


def propose_totals(parts: Parts) -> Iterator[Proposal]:
    """Those whose rows together lie above or below a limit, or how many they are."""
    state = parts.state
    if state.groups or state.aggregates not in ([], ["sum"]) or state.descending is not None:
        return
    for limit in parts.where:
        column = parts.column_of(limit.value) if limit.value is not None else None
        if column is None or limit.operator not in _LIMITS or limit.inner is not None or not column.has("measure"):
            continue
        rest = tuple(test for test in parts.where if test is not limit)
        if limit.other is not None:
            yield from _against_own(parts, limit, column, rest)
            yield from _against_beside(parts, limit, column, rest)
        elif limit.to and isinstance(limit.to[0], int | float):
            yield from _against_number(parts, limit, column, rest)


def _against_own(parts: Parts, limit: Test, column: Column, rest: tuple[Test, ...]) -> Iterator[Proposal]:
    """A number of many rows against a number of the one row that they all point at."""
    schema, owner = parts.state.schema, limit.other.table if limit.other is not None else None
    if owner is None or owner == column.table or owner not in schema.routes[column.table]:
        return
    if _first_named(parts) == column.table:
        return  # An employee who earns more than the department's average is one row.
    table = schema.tables[owner]
    by = told_apart(table, tuple(c.value for c in table.identity[:1]), schema)
    group = GroupTest(measure=_total(column), operator=limit.operator, other=limit.other)
    yield _SAID, _plan(parts, column.table, by, group, rest)


def _against_beside(parts: Parts, limit: Test, column: Column, rest: tuple[Test, ...]) -> Iterator[Proposal]:
    """Two numbers of many rows, both added up for each thing that comes again in them: over budget in a whole year."""
    other = parts.column_of(limit.other) if limit.other is not None else None
    if other is None or other.table != column.table or not (column.additive and other.additive):
        return
    who = next((v for v in parts.state.targets if not parts.is_time(v) and not parts.names_rows((v,))), None)
    named = parts.column_of(who) if who is not None else None
    if who is None or named is None or named.table != column.table or named.kind != "text":
        return
    apart = Value(kind="arithmetic", operation="-", operands=(column.value, other.value))
    group = GroupTest(measure=Measure(function="sum", of=apart), operator=limit.operator, to=(0.0,))
    yield _SAID, _plan(parts, parts.home, (who,), group, rest)


def _first_named(parts: Parts) -> str | None:
    """The table of the things that are asked for: what is named first."""
    for item in parts.state.items:
        if item.type == "COLUMN" and not item.data.has("measure"):
            return item.data.table
        if item.type == "ROW" and item.data:
            return item.data
    return None


def _against_number(parts: Parts, limit: Test, column: Column, rest: tuple[Test, ...]) -> Iterator[Proposal]:
    """A number of many rows, added up for each thing that comes again in them."""
    state, schema = parts.state, parts.state.schema
    said = state.aggregates == ["sum"]
    beyond = _is_beyond(limit, column)
    adds_up = _adds_up(column) or _is_counted(parts, column)
    if not said and not beyond and (not adds_up or state.has("count")):
        return
    cost = _SAID if said or beyond else 0.05
    group = GroupTest(measure=_total(column), operator=limit.operator, to=(float(limit.to[0]),))
    who = next((v for v in state.targets if is_party(parts, v) or _is_longer(parts, v)), None)
    if who is not None:
        things = parts.column_of(who)
        own = _ROW if not (said or beyond) and things is not None and is_period_of(parts.table, things) else 0.0
        yield cost + own, _plan(parts, parts.home, (who,), group, rest)
    elif said:
        for name in dict.fromkeys(name for name in state.rows if name not in {None, column.table}):
            if name is None or name not in schema.routes[column.table] or state.targets:
                continue
            table = schema.tables[name]
            by = told_apart(table, tuple(c.value for c in table.identity[:1]), schema)
            yield cost, _plan(parts, column.table, by, group, rest)


def _is_beyond(limit: Test, column: Column) -> bool:
    """Whether a bar lies above what any row has, of a number that counts something: only many rows come up to it."""
    number = limit.to[0]
    if not isinstance(column.high, int | float) or isinstance(number, str):
        return False
    above = (limit.operator == ">" and number >= column.high) or (limit.operator == ">=" and number > column.high)
    return above and _adds_up(column)


def _is_counted(parts: Parts, column: Column) -> bool:
    """Whether a number is said as so many things: "more than 5 nights", but not "a score over 95"."""
    return column.whole and any(
        one.type == "NUMBER" and two.type == "COLUMN" and two.data is column and is_plural(two.text.split()[-1])
        for one, two in pairwise(parts.state.items)
    )


def _is_longer(parts: Parts, value: Value) -> bool:
    """Whether a value is a period that has several rows: a month of days."""
    column = parts.column_of(value)
    if value.part is not None:
        return value.part != step_of(parts.table) and value.table == parts.home
    years = column is not None and column.has("year") and column.table == parts.home
    return years and column is not None and column.distinct < column.filled


def _adds_up(column: Column) -> bool:
    """Whether the numbers of several rows make one together, as amounts and counts do; marks and ages do not."""
    counts = column.whole and isinstance(column.low, int | float) and column.low >= 0
    return column.additive or (counts and column.low == 0 and not set(column.words) & word_list("not_additive"))


def _plan(parts: Parts, table: str, by: tuple[Value, ...], group: GroupTest, rest: tuple[Test, ...]) -> Plan:
    plan = Plan(table=table, by=by, measures=(group.measure,), where=rest, having=(group,), expects="list")
    if parts.state.has("count"):
        return plan.model_copy(update={"over_groups": "count", "expects": "figure"})
    return plan


def _total(column: Column) -> Measure:
    return Measure(function="sum", of=column.value)
