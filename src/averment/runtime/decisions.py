"""What an agent decides, as it is kept: how it read the question, its next round, its conclusion, its artifacts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from pydantic import Field, GetPydanticSchema

from averment.records.analysis import Plan
from averment.records.analysis.plan import Subtask
from averment.records.base import Record
from averment.records.claim import Claim
from averment.records.run import ArtifactType, Finding
from averment.runtime.run_json import KeptReading

MAIN_TASK = "query"
"""The task whose table is a run's main result, in the plans of agents over tables."""

RULES = "rules"
"""The reasoner of a plan that no model had a hand in."""

StoredReading = Annotated[KeptReading, GetPydanticSchema(lambda _, handler: handler(dict[str, Any]))]
"""Read as any object: a run that an earlier version planned has its own fields, and keeps them in their order."""


class Planned(Record):
    """How the question was read, and what is to be done about it: a plan, a question back, or an honest no."""

    outcome: Literal["planned", "clarification_needed", "abstained"]
    reading: StoredReading = Field(default_factory=KeptReading)
    plan: dict[str, Any] | None = None
    message: str = ""
    reasoner: str = Field(default=RULES, description="Who decided: the embedded rules or a model.")
    instead: dict[str, Any] | None = Field(
        default=None, description="What is planned in its place, as JSON of the same form, where its main task fails."
    )

    def parsed(self) -> Plan:
        """The plan as a record."""
        from averment.records.analysis import Plan

        return Plan.model_validate(self.plan)


def in_force(planned: dict[str, Any], calls: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """What was planned and stands, as JSON: what was planned instead, once its main task was called."""
    instead = planned.get("instead")
    if not instead:
        return planned
    wanted = next(task["arguments"] for task in instead["plan"]["subtasks"] if task["task_id"] == MAIN_TASK)
    called = (call["arguments"] for call in calls if call["task_id"] == MAIN_TASK)
    return instead if wanted in called else planned


class Round(Record):
    """What an agent does next after it has seen the results so far: a decision with its reason, and its tasks.

    ``state`` is whatever the agent itself wants to find again, such as which hypothesis it looks at.
    """

    number: int = Field(ge=1)
    decision: str
    reason: str
    tasks: tuple[Subtask, ...] = ()
    state: dict[str, Any] = Field(default_factory=dict)


class Conclusion(Record):
    """What the run found, in sentences bound to evidence."""

    answer: str
    findings: tuple[Finding, ...]
    status: Literal["completed", "partial_success", "failed", "abstained"]
    claims: tuple[Claim, ...] = Field(default=(), description="The findings as data, where the agent tells by claims.")


class ArtifactDraft(Record):
    """A file to be written as an artifact."""

    artifact_type: ArtifactType
    name: str
    content: bytes
    metadata: dict[str, Any] = Field(default_factory=dict)
