"""The plan of an analysis: subtasks that wait for each other, checked before any of them runs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable
from typing import Any

from pydantic import Field, model_validator

from averment.errors import PlanCycle, PlanInvalid, PlanTooCostly
from averment.records.base import Record, Seconds, UtcDatetime, UuidText, new_id, utc_now
from averment.records.run import ToolName


class Subtask(Record):
    """One step of a plan.

    ``arguments`` goes beyond the contract's fields: the tool's arguments, so that a plan can be executed as it stands
    and kept as a recipe.
    """

    task_id: str = Field(min_length=1, max_length=100)
    description: str
    tool_name: ToolName
    dependencies: tuple[str, ...] = ()
    invariants: tuple[str, ...] = ()
    estimated_cost_seconds: Seconds
    arguments: dict[str, Any] = Field(default_factory=dict)


class Plan(Record):
    """The subtasks of one request. A plan is a draft until ``validate_plan`` has passed it."""

    plan_id: UuidText = Field(default_factory=new_id)
    request_id: UuidText
    subtasks: tuple[Subtask, ...]
    total_estimated_seconds: Seconds
    created_at: UtcDatetime = Field(default_factory=utc_now)
    reasoning: str

    @classmethod
    def of(cls, *, request_id: str, subtasks: Iterable[Subtask], reasoning: str, plan_id: str | None = None) -> Plan:
        """A plan whose total is summed from its subtasks."""
        steps = tuple(subtasks)
        return cls(
            plan_id=plan_id or new_id(),
            request_id=request_id,
            subtasks=steps,
            total_estimated_seconds=_cost(steps),
            reasoning=reasoning,
        )

    @model_validator(mode="after")
    def _total_is_the_sum(self) -> Plan:
        if not math.isclose(self.total_estimated_seconds, _cost(self.subtasks), rel_tol=1e-9, abs_tol=1e-6):
            raise ValueError("total_estimated_seconds must be the sum of the subtasks' estimated_cost_seconds")
        return self


def execution_order(plan: Plan) -> tuple[tuple[Subtask, ...], ...]:
    """The subtasks in waves: each waits only for earlier waves, and those of one wave may run side by side.

    Inside a wave the plan's own order holds, so that the same plan always runs alike.

    Raises:
        PlanInvalid: a task is there twice, or waits for one that is not there.
        PlanCycle: tasks wait for each other in a circle.
    """
    _check_names(plan)
    done: set[str] = set()
    waiting = list(plan.subtasks)
    waves: list[tuple[Subtask, ...]] = []
    while waiting:
        wave = tuple(task for task in waiting if done.issuperset(task.dependencies))
        if not wave:
            stuck = [task.task_id for task in waiting]
            raise PlanCycle(
                f"These subtasks depend on each other in a cycle: {', '.join(stuck)}.",
                details={"task_ids": list(stuck)},
            )
        waves.append(wave)
        done.update(task.task_id for task in wave)
        waiting = [task for task in waiting if task.task_id not in done]
    return tuple(waves)


def validate_plan(plan: Plan, *, timeout_seconds: float, known_tools: Collection[str]) -> Plan:
    """The plan itself, if it may run: known tools, no circle, and within the request's time.

    Raises:
        PlanInvalid: it is empty, repeats a task, waits for an unknown task or names an unregistered tool.
        PlanCycle: tasks wait for each other in a circle.
        PlanTooCostly: the estimated costs sum to more than the timeout.
    """
    if not plan.subtasks:
        raise PlanInvalid("The plan has no subtasks.")
    for task in plan.subtasks:
        if task.tool_name not in known_tools:
            raise PlanInvalid(
                f"Subtask {task.task_id} names the tool {task.tool_name}, which is not registered.",
                hint=f"Registered: {', '.join(sorted(known_tools)) or 'none'}.",
                details={"task_id": task.task_id, "tool_name": task.tool_name},
            )
    execution_order(plan)
    cost = _cost(plan.subtasks)
    if cost > timeout_seconds:
        raise PlanTooCostly(
            f"The plan needs about {cost:g} seconds; the request allows {timeout_seconds:g}.",
            details={"estimated_seconds": cost, "timeout_seconds": timeout_seconds},
        )
    return plan


def _check_names(plan: Plan) -> None:
    counts = Counter(task.task_id for task in plan.subtasks)
    repeated = [task_id for task_id, count in counts.items() if count > 1]
    if repeated:
        raise PlanInvalid(f"These subtasks appear twice: {', '.join(repeated)}.", details={"task_ids": repeated})
    for task in plan.subtasks:
        unknown = [name for name in task.dependencies if name not in counts]
        if unknown:
            raise PlanInvalid(
                f"Subtask {task.task_id} depends on {', '.join(unknown)}, which the plan does not contain.",
                details={"task_id": task.task_id, "unknown": unknown},
            )


def _cost(subtasks: Iterable[Subtask]) -> float:
    # fsum, so that the total does not depend on the order of the subtasks.
    return math.fsum(task.estimated_cost_seconds for task in subtasks)
