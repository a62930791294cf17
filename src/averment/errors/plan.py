"""A plan that must not run."""

from __future__ import annotations

from averment.errors.base import AvermentError


class PlanError(AvermentError):
    """A plan that must not run."""

    code = "PLAN_INVALID"
    http_status = 422


class PlanInvalid(PlanError):
    """A plan names an unknown tool or task, or repeats a task."""

    code = "PLAN_INVALID"


class PlanCycle(PlanError):
    """The subtasks depend on each other in a cycle."""

    code = "PLAN_CYCLE"


class PlanTooCostly(PlanError):
    """The estimated cost of the subtasks exceeds the request's timeout."""

    code = "PLAN_TOO_COSTLY"
    default_hint = "Allow more time with --timeout, or ask for fewer deliverables."
