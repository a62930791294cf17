"""Operations by an order that is asked for: kinds in the order of how many there are of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.plan import Sort
from averment.reading.operations.figures import figure_plan
from averment.reading.operations.plan_parts import Parts, Proposal, rows_measure

if TYPE_CHECKING:
    from averment.reading.slots.state import State


def sorts_by_number(state: State) -> bool:
    """Whether what is listed is sorted by a figure, and no figure is named: "sorted by their frequency"."""
    figured = state.groups or state.measures or state.aggregates or state.flags
    return state.axis == "y" and state.sort is not None and bool(state.targets) and not figured


def sorted_by_number(parts: Parts) -> Iterator[Proposal]:
    """Each kind with its number of rows, sorted by that."""
    state = parts.state
    keys = [value for value in dict.fromkeys(state.targets) if not parts.is_label(value)]
    if len(keys) == 1 and state.descending is None:
        order = (Sort(at=1, descending=state.sort == "down"),)
        yield -0.1, figure_plan(parts, rows_measure(parts), tuple(keys), order=order, expects="table")
