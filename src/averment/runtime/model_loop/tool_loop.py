"""The loop in which a model works: it calls typed tools, sees what came of each call, and corrects what is refused.

An agent brings its tools, what each does, and a prompt; everything else is the same for all. A call that is refused or
fails comes back with its category and message, and may be corrected three times. The loop ends with what a tool ends it
with, or as nonsense: a refused call that is repeated, or steps that are used up. Steps, tokens and seconds are bounded.

Each step is kept before the next is asked for, so a run that is resumed asks nothing twice. It has two entries in the
ledger, what was called and what was seen, and an event for whoever watches; the words that left are kept apart.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pydantic import Field

from averment.errors import (
    AvermentError,
    ModelError,
    ModelNonsense,
    ModelTimeout,
    SourceError,
    StorageError,
    ToolError,
)
from averment.llm.call import AnswerProgress, watching
from averment.llm.toolsets import ToolCall, one_of
from averment.records.base import Record
from averment.runtime.journal import brief, digest

if TYPE_CHECKING:
    from averment.llm import Prompt, Proposer
    from averment.runtime.run_context import RunContext

E = TypeVar("E")

STEP = "model_step"
"""Under this kind a run keeps the steps its model took."""

MOST_REPAIRS = 3
"""How often a call that was refused may be corrected."""


@dataclass(frozen=True, kw_only=True)
class Outcome(Generic[E]):
    """What came of a call: what the model sees of it, whether it passed, and what the loop ends with if it ends."""

    seen: dict[str, Any]
    ok: bool = True
    ended: E | None = None


Use = Callable[[Any], Outcome[E]]
"""What a tool does with a call of its own kind."""


@dataclass(frozen=True, kw_only=True)
class LoopLimits:
    """How many steps a loop may take from its first on, and for how long; its line to the model bounds the tokens."""

    steps: int
    seconds: float
    first: int = 1


class TakenStep(Record):
    """One step as it was taken, with what came of it."""

    number: int = Field(ge=1)
    repair: int = Field(default=0, ge=0)
    step: dict[str, Any]
    observation: dict[str, Any]
    ok: bool


class StepRecord:
    """Where a loop's steps go; by itself it keeps none."""

    def kept(self, number: int, repair: int) -> TakenStep | None:
        """The step as it was taken before; None where it was not."""
        del number, repair
        return None

    def keep(self, taken: TakenStep) -> None:
        """Keep a step with what came of it."""

    def asking(self, number: int, repair: int) -> AbstractContextManager[None]:
        """Around asking for a step."""
        del number, repair
        return nullcontext()


class ModelLoop(Generic[E]):
    """One model at work with its tools, for one purpose."""

    def __init__(
        self,
        proposer: Proposer,
        record: StepRecord,
        tools: Mapping[type[ToolCall], Use[E]],
        prompt: Callable[[Sequence[TakenStep], int], Prompt],
        *,
        purpose: str,
        limits: LoopLimits,
        otherwise: str = "",
        refusal: Callable[[AvermentError], dict[str, Any]] | None = None,
    ) -> None:
        """``prompt`` gets the steps that this loop took and how many are left; what changes least stands first in it.

        ``otherwise`` names the tool that an empty answer calls. ``refusal`` says what a model sees of an error.
        """
        self._proposer = proposer
        self._record = record
        self._tools = tools
        self._form = one_of(*tools, otherwise=otherwise)
        self._prompt = prompt
        self._purpose = purpose
        self._limits = limits
        self._refusal = refusal or refusal_of
        self._until = time.monotonic() + limits.seconds
        self.taken: list[TakenStep] = []

    def run(self) -> E:
        """What a tool ended it with.

        Raises:
            ModelError: the model fell silent, came to nothing, or its time or budget is used up.
        """
        number, repair = self._limits.first, 0
        end = number + self._limits.steps
        while number < end:
            call = self._next(number, repair, end - number)
            outcome = self._used(call)
            taken = TakenStep(number=number, repair=repair, step=call.given(), observation=outcome.seen, ok=outcome.ok)
            self.taken.append(taken)
            self._record.keep(taken)
            if outcome.ended is not None:
                return outcome.ended
            if self._repeats():
                raise self._nothing("The model repeated a step that was refused")
            number, repair = (number + 1, 0) if outcome.ok or repair == MOST_REPAIRS else (number, repair + 1)
        raise self._nothing(f"The model found no answer in {self._limits.steps} steps")

    def _next(self, number: int, repair: int, left: int) -> ToolCall:
        """What the model does next: the step that was kept, else its answer."""
        kept = self._record.kept(number, repair)
        if kept is not None:
            return self._form.model_validate(kept.step).call
        if time.monotonic() > self._until:
            raise ModelTimeout("The model ran out of time.", details={"purpose": self._purpose})
        told = self._prompt(self.taken, left)
        with self._record.asking(number, repair):
            return self._proposer.propose(
                self._form, purpose=self._purpose, system=told.system, prompt=told.prompt
            ).call

    def _used(self, call: ToolCall) -> Outcome[E]:
        try:
            return self._tools[type(call)](call)
        except (ModelError, SourceError, StorageError):
            raise
        except AvermentError as error:
            return Outcome(seen=self._refusal(error), ok=False)

    def _repeats(self) -> bool:
        """Whether the last two steps are the same and were both refused: a third would be no other."""
        last = self.taken[-2:]
        return len(last) == 2 and last[0].step == last[1].step and not (last[0].ok or last[1].ok)

    def _nothing(self, what: str) -> ModelNonsense:
        """How it came to nothing, with why its last step was refused if it was."""
        last = self.taken[-1]
        why = "" if last.ok else last.observation.get("message", "")
        return ModelNonsense(f"{what}: {why}" if why else f"{what}.", details={"purpose": self._purpose})


def refusal_of(error: AvermentError) -> dict[str, Any]:
    """An error as a model sees it: its code, what it says, its category, and what would help."""
    seen: dict[str, Any] = {"refused": error.code, "message": error.message}
    if isinstance(error, ToolError):
        seen |= {"suggestion": error.suggestion, "category": error.category}
    return {name: value for name, value in (seen | {"hint": error.hint}).items() if value}


class RunSteps(StepRecord):
    """A run's record of the steps that a model took."""

    def __init__(self, work: RunContext, prefix: str = "") -> None:
        """``prefix`` keeps the steps of several loops of one run apart."""
        self._work = work
        self._prefix = prefix

    def _key(self, number: int, repair: int) -> str:
        return f"{self._prefix}{number:02d}.{repair}"

    def kept(self, number: int, repair: int) -> TakenStep | None:
        """The step as it was taken before the run was resumed; None where it was not."""
        self._work.cancel.check()
        kept = self._work.services.store.runs.record(self._work.run_id, STEP, self._key(number, repair))
        return None if kept is None else TakenStep.model_validate(kept)

    def before(self, number: int) -> list[TakenStep]:
        """The steps with lower numbers, in their order."""
        kept = (self.kept(at, repair) for at in range(1, number) for repair in range(MOST_REPAIRS + 1))
        return [taken for taken in kept if taken is not None]

    @contextmanager
    def asking(self, number: int, repair: int) -> Generator[None]:
        """The run's clock stands while a model thinks, and whoever watches hears how its answer comes along."""
        key, told = self._key(number, repair), 0

        def tell(progress: AnswerProgress) -> None:
            nonlocal told
            told += 1
            seconds = round(progress.seconds, 1)
            self._work.events.tell(
                "model_progressed",
                f"{key}/{told}",
                step=number,
                state=progress.state,
                characters=progress.characters,
                seconds=seconds,
            )

        with self._work.clock.stopped(), watching(tell):
            yield

    def keep(self, taken: TakenStep) -> None:
        """Keep a step with what came of it, in the run's records and in the ledger."""
        work, key, tool = self._work, self._key(taken.number, taken.repair), str(taken.step["tool"])
        if not work.services.store.runs.put(work.run_id, STEP, key, taken.model_dump(mode="json")):
            return
        status = "success" if taken.ok else "error"
        shared = {"call_id": work.journal.entry_id(f"{STEP}/{key}/call"), "kind": STEP, "step": key}
        called = {**shared, "tool_name": tool, "arguments": brief(taken.step)}
        seen = {**shared, "status": status, "observation_sha256": digest(taken.observation)}
        work.journal.write(f"{STEP}/{key}", "tool_called", "planner", called)
        work.journal.write(f"{STEP}/{key}/seen", "observation_recorded", "planner", seen)
        work.write_probes(f"{STEP}/{key}")
        work.events.tell("model_stepped", key, step=taken.number, repair=taken.repair, tool=tool, status=status)
