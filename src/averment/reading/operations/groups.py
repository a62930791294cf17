"""How many groups pass a condition on what they hold: clerks with over ten tickets, months above a hundred sales."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import Measure, Plan
from averment.reading.schema.parties import parties

if TYPE_CHECKING:
    from averment.plans.plan import GroupTest, Value
    from averment.reading.operations.plan_parts import Parts, Proposal
    from averment.reading.slots.state import State


def counts_groups(state: State) -> bool:
    """Whether "how many" stands with a condition on groups."""
    return state.has("count") and bool(state.having or state.having_of) and state.descending is None


def groups_counted(parts: Parts) -> Iterator[Proposal]:
    """The number of groups whose figure meets the condition."""
    if parts.state.groups or parts.state.aggregates:
        return
    for cost, table, key in _counted_things(parts):
        having = tuple(_of_rows(test, table) for test in parts.having)
        plan = Plan(
            table=table,
            by=(key,),
            measures=(having[0].measure,),
            where=parts.where,
            having=having,
            over_groups="count",
            expects="figure",
        )
        yield cost, plan


def _of_rows(test: GroupTest, table: str) -> GroupTest:
    """A bar on how many rows, of the table that is grouped: each patient is one patient, but may have many visits."""
    measure = test.measure
    if measure.function != "rows" or measure.where or measure.table in {None, table}:
        return test
    return test.model_copy(update={"measure": Measure(function="rows")})


def _counted_things(parts: Parts) -> Iterator[tuple[float, str, Value]]:
    """What is counted: a column that is named, the rows of a table that others point at, or people of the table."""
    state, schema = parts.state, parts.state.schema
    if state.targets:
        named = parts.after_count or state.targets[0]
        yield (0.0, parts.home, named) if not parts.names_rows((named,)) else (0.5, parts.home, named)
        return
    counted = state.counted_table or parts.home
    for name in dict.fromkeys(state.rows):
        if name is None or name == counted:
            continue
        for one in schema.relations:
            if one.left == counted and one.right == name:
                column = schema.column(one.left, one.left_column)
                if column is not None:
                    yield 0.0, counted, column.value
    if None in state.rows:
        for order, column in enumerate(parties(schema.tables[counted], schema)):
            yield 0.1 + 0.15 * order, counted, column.value
