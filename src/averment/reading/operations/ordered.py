"""Operations over things with their number: kinds sorted by how many there are, names with how many each has."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from averment.plans.plan import Sort
from averment.reading.operations.figures import figure_plan
from averment.reading.operations.plan_parts import Parts, Proposal, rows_measure
from averment.reading.schema.usual_figures import label_values

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


def names_with_number(state: State) -> bool:
    """Whether names of some rows are asked for, and how many others they have: "names of … and how many … they …"."""
    return len(state.schema.tables) > 1 and state.has("count") and _named_rows(state) is not None and not state.groups


def _named_rows(state: State) -> str | None:
    """The table whose rows' names are asked for first, before anything is counted."""
    for one, two in pairwise(state.items):
        if one.cue("count"):
            return None
        if one.cue("list") and one.text.endswith(("names of", "name of")) and two.type == "ROW" and two.data:
            return two.data
    return None


def numbered_names(parts: Parts) -> Iterator[Proposal]:
    """Each of the named things with the number of the other rows that it has."""
    state = parts.state
    table = _named_rows(state)
    labels = label_values(state.schema.tables[table]) if table is not None else ()
    if labels and parts.counted not in {None, table} and not parts.numbers and state.descending is None:
        yield 0.0, figure_plan(parts, rows_measure(parts), tuple(labels), expects="table")
