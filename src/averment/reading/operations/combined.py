"""Several numbers of a row as one: points and rebounds combined, three rounds put together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.names import value_name
from averment.plans.plan import Value
from averment.reading.operations.figures import aggregate
from averment.reading.operations.plan_parts import Parts, Proposal
from averment.reading.operations.rankings import ranking
from averment.reading.schema.schema_view import computed

if TYPE_CHECKING:
    from averment.reading.schema.schema_column import Column
    from averment.reading.slots.state import State

MOST = 6


def combines(state: State) -> bool:
    """Whether several numbers that no row lacks are asked for together."""
    columns = Parts(state).numbers
    alike = len({column.table for column in columns}) == 1 and all(c.filled == c.rows for c in columns)
    return state.has("pooled") and 2 <= len(columns) <= MOST and alike


def combined(parts: Parts) -> Iterator[Proposal]:
    """The figure of the numbers' sum, or a ranking by it."""
    columns = parts.numbers
    whole = parts.state.copy()
    whole.measures = [_sum(columns)]
    if not any(item.cue("sum") and not item.cue("pooled") for item in whole.items):
        whole.aggregates = [function for function in whole.aggregates if function != "sum"]  # "combined" says no more
    whole.ranked = whole.measures[0] if whole.ranked is not None else None
    yield from (ranking if whole.descending is not None else aggregate)(Parts(whole))


def _sum(columns: list[Column]) -> Column:
    value = columns[0].value
    for column in columns[1:]:
        value = Value(kind="arithmetic", operation="+", operands=(value, column.value))
    first = columns[0]
    additive = all(column.additive for column in columns)
    return computed(
        first.table,
        value_name(value),
        value,
        columns,
        rows=first.rows,
        filled=first.filled,
        additive=additive,
        words=(),
    )
