"""What the spine asks of an agent: plan, repair, conclude, report; rules or a model may stand behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol

from pydantic import Field

from averment.records.base import Record
from averment.records.run import ArtifactType, Finding, Observation, ToolCall

if TYPE_CHECKING:
    from averment.records.analysis import Plan
    from averment.spine.work import Work


class Planned(Record):
    """How the question was read, and what is to be done about it: a plan, a question back, or an honest no."""

    outcome: Literal["planned", "clarification_needed", "abstained"]
    reading: dict[str, Any] = Field(default_factory=dict)
    plan: dict[str, Any] | None = None
    message: str = ""
    reasoner: str = Field(default="rules", description="Who decided: the embedded rules or a model.")

    def parsed(self) -> Plan:
        """The plan as a record."""
        from averment.records.analysis import Plan

        return Plan.model_validate(self.plan)


class Conclusion(Record):
    """What the run found, in sentences bound to evidence."""

    answer: str
    findings: tuple[Finding, ...]
    status: Literal["completed", "partial_success", "failed", "abstained"]


class ArtifactDraft(Record):
    """A file to be written as an artifact."""

    artifact_type: ArtifactType
    name: str
    content: bytes
    metadata: dict[str, Any] = Field(default_factory=dict)


class Agent(Protocol):
    """The decisions of one agent."""

    kind: Literal["analysis", "drilldown", "research", "chat"]

    def plan(self, work: Work) -> Planned:
        """Read the request and plan it, ask back, or abstain."""
        ...

    def repair(self, work: Work, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """New arguments for a failed call, or None when nothing sensible is left to try."""
        ...

    def conclude(self, work: Work) -> Conclusion:
        """Bind what was observed into findings."""
        ...

    def report(self, work: Work, conclusion: Conclusion) -> tuple[ArtifactDraft, ...]:
        """Tell it: tables, charts, report, as far as the request asks for them."""
        ...

    def learn(self, work: Work) -> None:
        """Keep what worked for the next question of its kind; called once, after a run that completed."""
        ...
