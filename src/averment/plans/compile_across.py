"""A table of two directions: one key of a plan's groups goes down, the values of another across."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.errors import InvalidArguments
from averment.plans.compiled import CompiledPlan
from averment.plans.readback import say_scalar
from averment.tables.compose.layer_spec import Layered, Sorting, Spread, SpreadColumn

if TYPE_CHECKING:
    from averment.plans.plan import Plan


def across(plan: Plan, query: Layered, keys: tuple[str, ...], figure: str) -> CompiledPlan:
    """The same groups, the values of one key laid side by side.

    Raises:
        InvalidArguments: nothing is left to go down, or the key that goes across is none of the plan's.
    """
    laid = plan.across
    assert laid is not None  # only plans with a key across come here
    if laid.at >= len(keys) or len(keys) < 2:
        raise InvalidArguments("A pivot table needs one key for its rows and one for its columns.")
    down = tuple(key for place, key in enumerate(keys) if place != laid.at)
    entries: list[SpreadColumn] = []
    for value in laid.values:
        said = say_scalar(value)
        entries.append(SpreadColumn(value=said, alias=said if said not in down else f"{keys[laid.at]} {said}"))
    spread = Spread(keys=down, column=keys[laid.at], of=figure, entries=tuple(entries))
    headings = tuple(entry.alias for entry in entries)
    order = tuple(Sorting(alias=key) for key in down)
    base = query.base.changed(order=())
    made = Layered(base=base, layers=(*query.layers, spread), shown=(*down, *headings), order=order)
    return CompiledPlan(query=made, keys=down, figures=headings)
