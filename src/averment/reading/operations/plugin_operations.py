"""Operations that plugins add, as questions ask for them: their phrases are cues, and their plans propose like others.

An operation is proposed where a question names as many numbers as it needs, and one group if it needs one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from averment.plans.operations import CUE, Operation, added_operations
from averment.plans.plan import Plan
from averment.plans.statistics import statistic_of
from averment.reading.operations.plan_parts import Parts, Proposal

if TYPE_CHECKING:
    from averment.reading.slots.state import State


def propose_added(state: State) -> Iterator[Proposal]:
    """The plans of those added operations that the question names."""
    for name, operation in added_operations().items():
        if state.has(f"{CUE}{name}"):
            yield from _plans(Parts(state), operation)


def added_traced(plan: Plan, cue: str) -> bool:
    """Whether a plan does what the cue of an added operation asks for."""
    return plan.statistic is not None and f"{CUE}{plan.statistic.kind}" == cue


def _plans(parts: Parts, operation: Operation) -> Iterator[Proposal]:
    numbers, groups = parts.numbers, parts.state.groups
    if len(numbers) != operation.least or len(groups) != (1 if operation.grouped else 0):
        return
    by = groups[0] if operation.grouped else None
    made = statistic_of(operation.name, of=tuple(each.value for each in numbers), by=by)
    yield 0.0, Plan(table=parts.home, statistic=made, where=parts.tests_only)
