"""The loop: a model sees what was found so far and proposes hypotheses; the engine tests each, round by round.

It is asked once the hypotheses of every investigation are done, at most three times, and each time sees what came of
what it asked before. A proposal that cannot be tested is refused with the reason, and may be corrected three times.
What it proposed is kept with the rounds, so that nobody needs a model to verify the run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from averment.agents.driller.model_loop.forms import Proposal, Spec
from averment.agents.driller.model_loop.proposal_check import accept
from averment.agents.driller.model_loop.sight import Sight
from averment.agents.driller.model_loop.trials import tasks_of
from averment.errors import AvermentError, ModelNonsense, SourceError, StorageError
from averment.llm import Proposer, render, tell_calls, with_fallback
from averment.runtime.decisions import Round
from averment.runtime.models.announce import announce
from averment.runtime.models.privacy import Level, Privacy
from averment.runtime.models.steps import ModelSteps, TakenStep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from averment.records.drilldown.request import DrillRequest
    from averment.runtime.run_context import RunContext

PURPOSE = "hypotheses"
MOST_ASKED = 3
MOST_REPAIRS = 3
LOOP_SECONDS = 180.0


class HypothesisLoop:
    """Proposes through a model, under the privacy that is set."""

    def __init__(
        self,
        proposer: Proposer,
        *,
        privacy: Level = "values",
        exceptions: Mapping[str, Level] | None = None,
        seconds: float = LOOP_SECONDS,
    ) -> None:
        self._proposer = proposer
        self._privacy: Level = privacy
        self._exceptions: dict[str, Level] = dict(exceptions or {})
        self._seconds = seconds

    def next_round(self, work: RunContext, request: DrillRequest, number: int) -> Round | None:
        """The test of the next hypothesis that waits, else of what the model proposes now; None when it has no more."""
        mine = [round_ for round_ in work.state.rounds if "spec" in round_.state]
        waiting = list(mine[-1].state["waiting"]) if mine else []
        asked = int(mine[-1].state["asked"]) if mine else 0
        if not waiting:
            if asked >= MOST_ASKED:
                return None
            asked += 1
            proposed = with_fallback(
                lambda: self._proposed(work, request, asked), list[Spec], work.model_log.tell_fallback, purpose=PURPOSE
            )
            waiting = [spec.model_dump(mode="json") for spec in proposed]
        if not waiting:
            return None
        spec = Spec.model_validate(waiting[0])
        return Round(
            number=number,
            decision="ANALYZE",
            reason=f"a model proposes: {spec.title}",
            tasks=tasks_of(work, spec, number),
            state={
                "kind": "proposed",
                "hypothesis": self._next_id(work),
                "task": f"round_{number:02d}",
                "rank": None,
                "spec": waiting[0],
                "waiting": waiting[1:],
                "asked": asked,
            },
        )

    def _next_id(self, work: RunContext) -> str:
        from averment.agents.driller.hypotheses import all_suspicions

        return f"hyp_{len(all_suspicions(work)) + 1:03d}"

    def _proposed(self, work: RunContext, request: DrillRequest, asked: int) -> list[Spec]:
        """The hypotheses that the model proposes and that can be tested.

        Raises:
            ModelError: it fails, or proposes nothing that can be tested three times over.
        """
        announce(work)
        sight = Sight(work, request, Privacy(work, self._privacy, self._exceptions))
        line = tell_calls(self._proposer, work.model_log.keep_call)
        steps = ModelSteps(work, line, purpose=PURPOSE, seconds=self._seconds, prefix="drill/")
        known = [Spec.model_validate(round_.state["spec"]) for round_ in work.state.rounds if "spec" in round_.state]
        refused: list[dict[str, Any]] = []
        for repair in range(MOST_REPAIRS + 1):
            values = {**sight.values(), "refused": refused, "asks_left": MOST_ASKED - asked + 1}
            proposal = steps.propose(Proposal, render("propose_hypotheses", **values), asked, repair)
            found: list[Spec] = []
            said: list[dict[str, Any]] = []
            for one in proposal.hypotheses:
                shown = one.model_dump(mode="json", exclude_defaults=True)
                try:
                    found.append(accept(work, one, [*known, *found]))
                    said.append({"hypothesis": shown, "accepted": True})
                except (SourceError, StorageError):
                    raise
                except AvermentError as error:
                    said.append({"hypothesis": shown, "refused": error.message})
            ok = bool(found) or not proposal.hypotheses
            step = proposal.model_dump(mode="json", exclude={"thoughts"})
            steps.keep(
                TakenStep(number=asked, repair=repair, step=step, observation={"tests": said}, ok=ok), "hypotheses"
            )
            if ok:
                return found
            refused = said
        raise ModelNonsense("The model proposed nothing that can be tested.", details={"purpose": PURPOSE})
