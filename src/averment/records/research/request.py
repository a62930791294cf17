"""What a user asks of the researcher, how deep to go, and where the request stands."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated, NamedTuple
from uuid import UUID, uuid4

from pydantic import Field, model_validator

from averment.records.base import Record, Seconds, StateMachine, UtcDatetime, not_blank, utc_now

QuestionText = Annotated[str, Field(min_length=10, max_length=500), not_blank("the question is empty")]
"""A question of the researcher."""


class DepthLevel(StrEnum):
    """How thorough a research is."""

    QUICK = "quick"
    STANDARD = "standard"
    COMPREHENSIVE = "comprehensive"


class ResearchStatus(StrEnum):
    """Where a research stands."""

    PLANNING = "planning"
    EXECUTING = "executing"
    VERIFYING = "verifying"
    SYNTHESIZING = "synthesizing"
    COMPLETED = "completed"
    FAILED = "failed"


class DepthLimits(NamedTuple):
    """What a depth level allows: sub-questions at the root, recursion below them, and about how long it takes."""

    min_questions: int
    max_questions: int
    max_depth: int
    target_seconds: int


DEPTH_LIMITS: Mapping[DepthLevel, DepthLimits] = {
    DepthLevel.QUICK: DepthLimits(3, 5, 1, 60),
    DepthLevel.STANDARD: DepthLimits(5, 7, 1, 180),
    DepthLevel.COMPREHENSIVE: DepthLimits(7, 10, 2, 300),
}

RESEARCH_STATES: StateMachine[ResearchStatus] = StateMachine(
    "research",
    {
        ResearchStatus.PLANNING: frozenset({ResearchStatus.EXECUTING, ResearchStatus.FAILED}),
        ResearchStatus.EXECUTING: frozenset({ResearchStatus.VERIFYING, ResearchStatus.FAILED}),
        ResearchStatus.VERIFYING: frozenset({ResearchStatus.SYNTHESIZING, ResearchStatus.FAILED}),
        ResearchStatus.SYNTHESIZING: frozenset({ResearchStatus.COMPLETED, ResearchStatus.FAILED}),
        ResearchStatus.COMPLETED: frozenset(),
        ResearchStatus.FAILED: frozenset(),
    },
)


class ResearchRequest(Record):
    """A question in plain words and how deep to go."""

    id: UUID = Field(default_factory=uuid4)
    query: QuestionText
    depth_level: DepthLevel = DepthLevel.STANDARD
    user_id: str | None = None
    created_at: UtcDatetime = Field(default_factory=utc_now)
    status: ResearchStatus = ResearchStatus.PLANNING
    completion_time_seconds: Seconds | None = None

    @model_validator(mode="after")
    def _time_is_set_on_completion(self) -> ResearchRequest:
        if self.status is not ResearchStatus.COMPLETED and self.completion_time_seconds is not None:
            raise ValueError("completion_time_seconds may only be set on completion")
        return self

    @property
    def limits(self) -> DepthLimits:
        """What its depth level allows."""
        return DEPTH_LIMITS[self.depth_level]

    def moved(self, status: ResearchStatus, *, seconds: float | None = None) -> ResearchRequest:
        """The request in its next status; ``seconds`` is how long it took, when that status is completed.

        Raises:
            IllegalTransition: the table does not hold that step.
        """
        return self.changed(status=RESEARCH_STATES.step(self.status, status), completion_time_seconds=seconds)
