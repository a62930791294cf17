"""The steps of a model on the runtime: each is kept before the next is asked for, with what came of it.

A run that is resumed finds its steps again and asks nothing twice. Every step has two entries in the ledger, what was
done and what was seen, and an event for whoever watches; the words that left the machine are kept apart (``sent``).
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import BaseModel, Field

from averment.errors import ModelTimeout
from averment.llm.progress import AnswerProgress, watching
from averment.records.base import Record
from averment.runtime.journal import brief, digest

if TYPE_CHECKING:
    from averment.llm import Prompt, Proposer
    from averment.runtime.run_context import RunContext

T = TypeVar("T", bound=BaseModel)

STEP = "model_step"
"""Under this kind a run keeps the steps its model took."""


class TakenStep(Record):
    """One step as it was taken, with what came of it."""

    number: int = Field(ge=1)
    repair: int = Field(default=0, ge=0)
    step: dict[str, Any]
    observation: dict[str, Any]
    ok: bool


class ModelSteps:
    """One run's steps with its model, for one purpose."""

    def __init__(self, work: RunContext, proposer: Proposer, *, purpose: str, seconds: float, prefix: str = "") -> None:
        """``prefix`` keeps the steps of several loops of one run apart; ``seconds`` is the time for all of them."""
        self._work = work
        self._proposer = proposer
        self._purpose = purpose
        self._prefix = prefix
        self._until = time.monotonic() + seconds

    def key(self, number: int, repair: int = 0) -> str:
        """Under what a step is kept."""
        return f"{self._prefix}{number:02d}.{repair}"

    def kept(self, number: int, repair: int = 0) -> TakenStep | None:
        """The step as it was taken before the run was resumed; None where it was not."""
        kept = self._work.services.store.runs.record(self._work.run_id, STEP, self.key(number, repair))
        return None if kept is None else TakenStep.model_validate(kept)

    def propose(self, form: type[T], prompt: Prompt, number: int, repair: int = 0) -> T:
        """What the model does next: the step that was kept, else its answer.

        Raises:
            ModelError: it fails, or its time is over.
        """
        self._work.cancel.check()
        kept = self.kept(number, repair)
        if kept is not None:
            return form.model_validate(kept.step)
        if time.monotonic() > self._until:
            raise ModelTimeout("The model ran out of time.", details={"purpose": self._purpose})
        key, told = self.key(number, repair), 0

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
            return self._proposer.propose(form, purpose=self._purpose, system=prompt.system, prompt=prompt.prompt)

    def keep(self, taken: TakenStep, tool: str) -> None:
        """Keep a step with what came of it, in the run's records and in the ledger."""
        work, key = self._work, self.key(taken.number, taken.repair)
        if not work.services.store.runs.put(work.run_id, STEP, key, taken.model_dump(mode="json")):
            return
        call_id = work.journal.entry_id(f"{STEP}/{key}/call")
        status = "success" if taken.ok else "error"
        shared = {"call_id": call_id, "kind": STEP, "step": key}
        work.journal.write(
            f"{STEP}/{key}", "tool_called", "planner", {**shared, "tool_name": tool, "arguments": brief(taken.step)}
        )
        work.journal.write(
            f"{STEP}/{key}/seen",
            "observation_recorded",
            "planner",
            {**shared, "status": status, "observation_sha256": digest(taken.observation)},
        )
        work.write_probes(f"{STEP}/{key}")
        work.events.tell("model_stepped", key, step=taken.number, repair=taken.repair, tool=tool, status=status)
