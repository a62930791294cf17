"""The loop: a model looks, tries and submits, step by step, until something stands or its steps are used up.

At most eight steps, and at most three corrections of each. Every step is kept before the next is asked for, so a run
that is resumed goes on where it was and asks nothing twice; each has an entry in the ledger with what came of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from averment.agents.analyst.model_loop.cards import ModelView
from averment.agents.analyst.model_loop.forms import Step
from averment.agents.analyst.model_loop.inspection import look, refusal, shown_table
from averment.agents.analyst.model_loop.oddities import oddities
from averment.agents.analyst.model_loop.prompt import step_prompt
from averment.agents.analyst.model_loop.submission import CheckedSubmission, check_submission, submission_key
from averment.agents.analyst.model_loop.witness import ReadingOutcome, same_result
from averment.errors import AvermentError, ModelNonsense, SourceError, StorageError
from averment.llm import Proposer
from averment.runtime.models.steps import ModelSteps, TakenStep

MOST_STEPS = 8
MOST_REPAIRS = 3
PURPOSE = "plan"


@dataclass(kw_only=True)
class LoopOutcome:
    """How the loop ended: with a submission that stands, with a question, or with two readings that are both open."""

    outcome: Literal["stands", "asks", "open"]
    checked: CheckedSubmission | None = None
    agrees: bool = False
    confirms: ReadingOutcome | None = None
    """The readers' reading that comes to the same result, where the model had not seen it before."""
    step: Step | None = None
    choices: list[CheckedSubmission] = field(default_factory=list[CheckedSubmission])


class ModelLoop:
    """One run's loop with its model."""

    def __init__(
        self,
        view: ModelView,
        proposer: Proposer,
        values: dict[str, Any],
        witnesses: Sequence[ReadingOutcome],
        *,
        seconds: float,
        candidate: int = 1,
    ) -> None:
        """``candidate`` counts loops over one question: each goes its own way, and keeps its steps apart."""
        prefix = "" if candidate == 1 else f"{candidate}/"
        self._steps = ModelSteps(view.work, proposer, purpose=PURPOSE, seconds=seconds, prefix=prefix)
        self._view = view
        self._values = values
        self._witnesses = list(witnesses)
        self._taken: list[TakenStep] = []
        self._warned: set[str] = set()
        self._disputed: list[CheckedSubmission] = []

    def run(self) -> LoopOutcome:
        """How it ended.

        Raises:
            ModelError: the model fell silent, came to nothing, or its time or budget is used up.
        """
        number, repair = 1, 0
        while number <= MOST_STEPS:
            step = self._next(number, repair)
            ended, observation, ok = self._act(step)
            self._keep(number, repair, step, observation, ok=ok)
            if ended is not None:
                return ended
            if not ok and self._repeats():
                raise self._nothing("The model repeated a step that was refused")
            if ok or repair == MOST_REPAIRS:
                number, repair = number + 1, 0
            else:
                repair += 1
        raise self._nothing(f"The model found no answer in {MOST_STEPS} steps")

    def _nothing(self, what: str) -> ModelNonsense:
        """How it came to nothing, with why its last step was refused if it was."""
        last = self._taken[-1]
        why = f"{what}." if last.ok else f"{what}: {last.observation['message']}"
        return ModelNonsense(why, details={"purpose": PURPOSE})

    def _repeats(self) -> bool:
        """Whether the last two steps are the same and were both refused: a third would be no other."""
        last = self._taken[-2:]
        return len(last) == 2 and last[0].step == last[1].step and not (last[0].ok or last[1].ok)

    def _next(self, number: int, repair: int) -> Step:
        prompt = step_prompt(self._values, self._taken, MOST_STEPS - number + 1)
        return self._steps.propose(Step, prompt, number, repair)

    def _act(self, step: Step) -> tuple[LoopOutcome | None, dict[str, Any], bool]:
        try:
            if step.tool == "submit":
                return self._submit(step)
            if step.tool == "ask":
                return self._ask(step)
            return None, look(self._view, step), True
        except (SourceError, StorageError):
            raise
        except AvermentError as error:
            return None, refusal(self._view, error), False

    def _submit(self, step: Step) -> tuple[LoopOutcome | None, dict[str, Any], bool]:
        checked = check_submission(self._view.work, step)
        agreeing = self._agreeing(checked)
        if agreeing is not None:
            unseen = not self._disputed and "ask" not in self._warned
            ended = LoopOutcome(outcome="stands", checked=checked, agrees=True, confirms=agreeing if unseen else None)
            return ended, {"accepted": True}, True
        key = submission_key(step)
        odd = [] if key in self._warned else oddities(self._view, checked)
        other = self._sure()
        shown = self._shown(checked)
        if odd:
            self._warned.add(key)
            return None, {"odd": odd, "result": shown, "then": "Correct it, or submit the same again."}, True
        if other is None or checked.rows is None:
            return LoopOutcome(outcome="stands", checked=checked), {"accepted": True}, True
        return self._disagree(checked, other, shown)

    def _disagree(
        self, checked: CheckedSubmission, other: ReadingOutcome, shown: dict[str, Any]
    ) -> tuple[LoopOutcome | None, dict[str, Any], bool]:
        """First the model sees both readings; one that it keeps to then stands, a third one leaves the matter open."""
        if self._disputed:
            before = self._disputed[-1]
            if before.rows is not None and checked.rows is not None and same_result(before.rows, checked.rows):
                return LoopOutcome(outcome="stands", checked=checked), {"accepted": True}, True
            return LoopOutcome(outcome="open", checked=checked), {"open": True}, True
        self._disputed.append(checked)
        observation = {
            "the_readers_come_to_another_result": {"read_as": other.said, "result": self._seen(other)},
            "yours": {"read_as": checked.said, "result": shown},
            "then": "Submit yours again, submit what gives theirs, or ask.",
        }
        return None, observation, True

    def _ask(self, step: Step) -> tuple[LoopOutcome | None, dict[str, Any], bool]:
        other = self._sure()
        if other is not None and "ask" not in self._warned:
            self._warned.add("ask")
            observation = {
                "the_readers_come_to_a_result": {"read_as": other.said, "result": self._seen(other)},
                "then": "Submit what gives it if that is what is meant, or ask again.",
            }
            return None, observation, True
        choices: list[CheckedSubmission] = []
        for choice in step.choices:
            try:
                wanted = Step(tool="submit", sql=choice.sql, plan=choice.plan)
                choices.append(check_submission(self._view.work, wanted))
            except AvermentError:
                continue  # What cannot be run is no choice.
        return LoopOutcome(outcome="asks", step=step, choices=choices), {"asked": True}, True

    def _agreeing(self, checked: CheckedSubmission) -> ReadingOutcome | None:
        """The readers' reading that leaves no word over and comes to the same result, if there is one."""
        rows = checked.rows
        if rows is None or checked.truncated:
            return None
        whole = (each for each in self._witnesses if each.sure or not each.left)
        return next((each for each in whole if same_result(each.rows, rows)), None)

    def _sure(self) -> ReadingOutcome | None:
        return next((each for each in self._witnesses if each.sure), None)

    def _shown(self, checked: CheckedSubmission) -> dict[str, Any]:
        if checked.table is None:
            return {"note": "it was not tried"}
        reads: dict[str, list[tuple[str, str]]] = {}
        tasks = checked.body.get("tasks")
        if tasks and tasks[-1]["tool"] == "sql.run":
            reads = self._view.reads(tasks[-1]["arguments"]["query"])
        return shown_table(self._view, checked.table, reads, truncated=checked.truncated)

    def _seen(self, other: ReadingOutcome) -> dict[str, Any]:
        import pyarrow as pa

        if not other.rows:
            return {"row_count": 0, "columns": list(other.columns)}
        columns = [list(column) for column in zip(*other.rows, strict=True)]
        try:
            table = pa.table([pa.array(column) for column in columns], names=list(other.columns))
        except (pa.ArrowInvalid, pa.ArrowTypeError):
            return {"row_count": len(other.rows), "columns": list(other.columns)}
        return shown_table(self._view, table, {})

    def _keep(self, number: int, repair: int, step: Step, observation: dict[str, Any], *, ok: bool) -> None:
        taken = TakenStep(number=number, repair=repair, step=step.said(), observation=observation, ok=ok)
        self._taken.append(taken)
        self._steps.keep(taken, step.tool)
