"""The state of one run: what is known and planned, and what came of it so far."""

from __future__ import annotations

from dataclasses import dataclass, field

from averment.records.analysis import Plan
from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import RULES, Round
from averment.runtime.run_json import KeptReading, KeptRound, KnownBefore


@dataclass(kw_only=True)
class RunState:
    """How far a run has got; a resumed run finds it again from what it kept."""

    meaning: KnownBefore = field(default_factory=KnownBefore)
    """What was known of the question before it was read."""
    reading: KeptReading = field(default_factory=KeptReading)
    """How the question was read."""
    reasoner: str = RULES
    """Who decided on the plan: the embedded rules or a model."""
    plan: Plan | None = None
    """The tasks, once they are planned."""
    rounds: list[Round] = field(default_factory=list[Round])
    """The rounds that the agent decided on, in their order."""
    taken: list[KeptRound] = field(default_factory=list[KeptRound])
    """What was made of each of those rounds."""
    answered: dict[str, tuple[ToolCall, Observation]] = field(default_factory=dict[str, tuple[ToolCall, Observation]])
    """The calls that succeeded and what they came back with, by task."""
    failed: dict[str, Observation] = field(default_factory=dict[str, Observation])
    """What the tasks came back with whose calls failed."""

    def invariants(self, task_id: str) -> tuple[str, ...]:
        """What the plan demands of a task."""
        planned = self.plan.subtasks if self.plan is not None else ()
        return next((task.invariants for task in planned if task.task_id == task_id), ())
