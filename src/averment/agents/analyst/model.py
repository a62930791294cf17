"""The analyst with a model: the model leads, the embedded readers witness, and everything is checked.

With ``model_use = first`` a model is asked for every question, with ``unsure`` only where the readers would ask back.
Whatever it submits passes the guard, the policy, the checks of origin and the limits, and is run anew and proven; its
result is held against what the readers read. When it fails, the readers' answer stands, and the ledger says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from averment.agents.analyst.caveats import foresee
from averment.agents.analyst.meaning import PREVIEW_ROWS
from averment.agents.analyst.model_loop.cards import ModelView
from averment.agents.analyst.model_loop.loop import LoopOutcome, ModelLoop
from averment.agents.analyst.model_loop.prompt import first_prompt
from averment.agents.analyst.model_loop.question import asked_back
from averment.agents.analyst.model_loop.submission import CheckedSubmission, lifted
from averment.agents.analyst.model_loop.submitted_skill import NAME, SubmittedSkill
from averment.agents.analyst.model_loop.voting import vote
from averment.agents.analyst.model_loop.witness import ReadingOutcome, readings_of
from averment.agents.analyst.phrasing import phrase
from averment.agents.analyst.rules import RuleReasoner
from averment.agents.analyst.skill import QUERY
from averment.llm import ModelCall, Proposer, with_fallback
from averment.records.analysis import Plan
from averment.records.base import derived_id
from averment.records.run import Observation, ToolCall
from averment.runtime.decisions import Conclusion, Planned
from averment.runtime.model_log import used
from averment.runtime.models.announce import announce
from averment.runtime.models.privacy import Level, Privacy

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import KeptReading

Use = Literal["first", "unsure", "never"]
LOOP_SECONDS = 180.0
PURPOSE = "plan"
BY_PERSON = frozenset({"chosen", "given", "sql"})


class ModelReasoner:
    """A model that plans, with the rules as its witness and in its place."""

    name = "model"

    def __init__(
        self,
        proposer: Proposer,
        *,
        use: Use = "first",
        privacy: Level = "values",
        exceptions: Mapping[str, Level] | None = None,
        seconds: float = LOOP_SECONDS,
        small: Proposer | None = None,
        candidates: int = 1,
    ) -> None:
        """``small`` is a cheaper model for the order of findings, where there is one.

        ``candidates`` are how often it may be asked anew where no reader confirms it; results are voted on.
        """
        self._candidates = candidates
        self._proposer = proposer
        self._small = small or proposer
        self._rules = RuleReasoner()
        self._use: Use = use
        self._privacy: Level = privacy
        self._exceptions: dict[str, Level] = dict(exceptions or {})
        self._seconds = seconds

    def plan(self, work: RunContext) -> Planned:
        """What the model submits, held against what the rules read; the rules' own plan where it comes to nothing."""
        planned = self._rules.plan(work)
        if self._use == "never" or self._is_decided(work, planned):
            return planned
        if self._use == "unsure" and planned.outcome == "planned":
            return planned
        calls: list[ModelCall] = []
        line = work.model_log.counting(self._proposer, calls)
        led = with_fallback(
            lambda: self._led(work, planned, line), lambda: planned, work.model_log.tell_fallback, purpose=PURPOSE
        )
        spent = used(calls)
        reading: KeptReading = {**led.reading, "model": spent}
        instead: dict[str, Any] | None = None
        if led.outcome == planned.outcome == "planned" and _main(led) != _main(planned):
            instead = planned.model_dump(mode="json") | {"reading": {**planned.reading, "model": spent}}
        return led.model_copy(update={"reading": reading, "instead": instead})

    def repair(self, work: RunContext, call: ToolCall, observation: Observation) -> dict[str, Any] | None:
        """The rules' repair: what a model submits was tried before it was planned.

        Where the readers have an answer of their own, it comes before a sample and a second repair of a model's query.
        """
        kept = work.services.store.runs.record(work.run_id, "planned", "planned") or {}
        stands_by = bool(kept.get("instead")) and work.state.reasoner == self.name
        if stands_by and (call.attempt_number > 1 or observation.error_category == "resource_exhausted"):
            return None
        return self._rules.repair(work, call, observation)

    def phrase(self, work: RunContext, conclusion: Conclusion) -> Conclusion:
        """The summary of the claims a model chose, in its order, else as the rules tell it."""
        return phrase(work, conclusion, self._small, self._sight(work))

    def learn(self, work: RunContext) -> None:
        """Keep what worked, if a person confirmed it or the readers came to the same without the model."""
        self._rules.learn(work)

    def _is_decided(self, work: RunContext, planned: Planned) -> bool:
        """Whether a person has decided: a plan was handed in or chosen, or something was only told."""
        meant = self._rules.meant(work)
        told = meant.refused is not None or (bool(meant.told) and not meant.asks)
        return told or "plan" in work.state.meaning or planned.reading.get("grade") in BY_PERSON

    def _sight(self, work: RunContext) -> Privacy:
        return Privacy(work, self._privacy, self._exceptions)

    def _led(self, work: RunContext, planned: Planned, line: Proposer) -> Planned:
        """The model's plan, its question, or both readings to choose from."""
        announce(work)
        question = self._rules.question(work)
        view = ModelView(work, question.profiles, self._rules.schema(work, question), self._sight(work))
        witnesses = readings_of(work, planned)
        values = first_prompt(view, question, self._rules.meant(work).notes)

        def run(candidate: int) -> LoopOutcome:
            return ModelLoop(view, line, values, witnesses, seconds=self._seconds, candidate=candidate).run()

        ended = vote(run, self._candidates)
        return self._ended(work, planned, ended, witnesses)

    def _ended(
        self, work: RunContext, planned: Planned, ended: LoopOutcome, witnesses: Sequence[ReadingOutcome]
    ) -> Planned:
        if ended.outcome == "asks":
            assert ended.step is not None
            return asked_back(work, planned, ended.step, [lifted(work, one) for one in ended.choices], witnesses)
        assert ended.checked is not None
        checked = lifted(work, ended.checked)
        if ended.outcome == "open":
            return asked_back(work, planned, None, [checked], witnesses)
        return self._planned(work, checked, witnesses, ended)

    def _planned(
        self, work: RunContext, checked: CheckedSubmission, witnesses: Sequence[ReadingOutcome], ended: LoopOutcome
    ) -> Planned:
        grade = "agree" if ended.agrees else "model"
        confirmed = "readings" if ended.confirms is not None else ""
        notes = self._rules.meant(work).notes
        others = [each for each in witnesses if each.sure and not ended.agrees]
        record = {"model": True, "witness": [each.said for each in others]}
        if checked.plan is not None:
            led = self._rules.planned(work, checked.plan, grade=grade, odds=None, record=record, confirmed=confirmed)
            kept: KeptReading = {**led.reading, "alternatives": [each.said for each in others]}
            return led.model_copy(update={"reading": kept, "reasoner": self.name})
        body = checked.body
        plan = Plan.of(
            plan_id=derived_id(work.run_id, "plan"),
            request_id=work.run_id,
            subtasks=SubmittedSkill().tasks(work, body),
            reasoning=f"Interpreted as: {checked.said}.",
        )
        question = self._rules.question(work)
        reading: KeptReading = {
            "skill": NAME,
            "in_words": "; ".join((checked.said, *notes)),
            "read_as": checked.said,
            "told": list(notes),
            "unread": [],
            "alternatives": [each.said for each in others],
            "grade": grade,
            "odds": None,
            "judged": record,
            "recipe": None,
            "confirmed": confirmed,
            "general": self._rules.general(question).model_dump(mode="json"),
            "foreseen": foresee(work, body, question.profiles),
            "reading": body,
        }
        if ended.confirms is not None and ended.confirms.plan is not None:
            reading["teaches"] = ended.confirms.plan
        return Planned(outcome="planned", reading=reading, plan=plan.model_dump(mode="json"), reasoner=self.name)


def _main(planned: Planned) -> dict[str, Any]:
    """How a plan's main task is called."""
    return next(task.arguments for task in planned.parsed().subtasks if task.task_id == QUERY)


__all__ = ["PREVIEW_ROWS", "ModelReasoner"]
