"""The recorded reasoner: decides again what was decided before, so that a run can be replayed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.analyst.phrasing import PHRASE, phrase
from averment.agents.analyst.rules import RuleReasoner
from averment.records.base import derived_id
from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import Conclusion, Planned

if TYPE_CHECKING:
    from averment.runtime.run_context import RunContext


class RecordedReasoner:
    """Gives back a recorded plan; repairs, which depend only on plan and error, come from the rules."""

    name = "recorded"

    def __init__(self, planned: Planned) -> None:
        self._planned = planned

    def plan(self, work: RunContext) -> Planned:
        """The recorded decision, with the plan made out to this run."""
        if self._planned.plan is None:
            return self._planned
        plan = {**self._planned.plan, "request_id": work.run_id, "plan_id": derived_id(work.run_id, "plan")}
        return self._planned.model_copy(update={"plan": plan, "reasoner": self.name})

    def phrase(self, work: RunContext, conclusion: Conclusion) -> Conclusion:
        """The recorded words, filled anew."""
        runs = work.services.store.runs
        first = runs.get(work.run_id).request.get("replay_of")
        kept = runs.record(str(first), PHRASE, PHRASE) if first else None
        if kept is not None:
            runs.put(work.run_id, PHRASE, PHRASE, kept)
        return phrase(work, conclusion, None)

    def learn(self, work: RunContext) -> None:
        """Nothing: a replay decides nothing, so there is nothing to learn from it."""

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """New arguments for a failed call, or None."""
        return RuleReasoner().repair(work, call, observation)
