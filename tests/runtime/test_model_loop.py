"""The loop that every agent's model works in: calls, corrections, limits, and what a model sees of an error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import pytest

from averment.errors import (
    InvalidArguments,
    MissingColumn,
    ModelNonsense,
    ModelTimeout,
    ModelUnavailable,
    SourceChanged,
)
from averment.llm import Prompt
from averment.llm.toolsets import ToolCall
from averment.runtime.model_loop.tool_loop import LoopLimits, ModelLoop, Outcome, StepRecord, TakenStep, refusal_of


class Find(ToolCall, frozen=True):
    """Find something."""

    tool: Literal["find"] = "find"
    what: str


class Memory(StepRecord):
    """Keeps the steps of a loop in a list."""

    def __init__(self, kept: Iterable[TakenStep] = ()) -> None:
        self.steps = {(one.number, one.repair): one for one in kept}

    def kept(self, number: int, repair: int) -> TakenStep | None:
        return self.steps.get((number, repair))

    def keep(self, taken: TakenStep) -> None:
        self.steps.setdefault((taken.number, taken.repair), taken)


class Scripted:
    """A model that finds what it is told to find."""

    def __init__(self, *words: str) -> None:
        self.words = list(words)
        self.prompts: list[str] = []

    def propose(self, output_type: Any, *, purpose: str, system: str, prompt: str, context: Any = None) -> Any:
        self.prompts.append(prompt)
        return output_type.model_validate({"tool": "find", "what": self.words.pop(0)})


def find(call: Find) -> Outcome[str]:
    match call.what.split()[0]:
        case "gold":
            return Outcome(seen={"found": True}, ended=call.what)
        case "sand":
            return Outcome(seen={"found": False})
        case "column":
            raise MissingColumn("There is no such column.", suggestion="Try another.")
        case "change":
            raise SourceChanged("The source changed.")
        case "silence":
            raise ModelUnavailable("It is gone.")
        case _:
            raise InvalidArguments(f"There is no {call.what}.", hint="Look elsewhere.")


def loop(model: Scripted, record: StepRecord | None = None, **limits: Any) -> ModelLoop[str]:
    def prompt(taken: Any, left: int) -> Prompt:
        return Prompt(system="Find.", prompt=f"{[one.observation for one in taken]} {left} left")

    known = {"steps": 3, "seconds": 60.0, **limits}
    return ModelLoop(model, record or Memory(), {Find: find}, prompt, purpose="search", limits=LoopLimits(**known))


def steps(record: Memory) -> list[tuple[int, int, bool]]:
    return [(one.number, one.repair, one.ok) for one in record.steps.values()]


def test_it_ends_with_what_a_tool_ends_it_with() -> None:
    record = Memory()
    assert loop(Scripted("sand", "gold nugget"), record).run() == "gold nugget"
    assert steps(record) == [(1, 0, True), (2, 0, True)]


def test_a_refused_call_comes_back_with_its_category_and_may_be_corrected_three_times() -> None:
    record, model = Memory(), Scripted("column a", "b", "c", "d", "gold")
    assert loop(model, record).run() == "gold"
    assert steps(record) == [(1, 0, False), (1, 1, False), (1, 2, False), (1, 3, False), (2, 0, True)]
    assert "'category': 'missing_column'" in model.prompts[1]
    assert "Try another." in model.prompts[1]
    assert "3 left" in model.prompts[3] and "2 left" in model.prompts[4]


def test_a_refused_call_that_is_repeated_ends_it() -> None:
    model = Scripted("iron", "iron", "gold")
    with pytest.raises(ModelNonsense, match="There is no iron"):
        loop(model).run()
    assert len(model.prompts) == 2


def test_it_ends_when_its_steps_or_its_seconds_are_used_up() -> None:
    model = Scripted(*(f"sand {number}" for number in range(9)))
    with pytest.raises(ModelNonsense):
        loop(model).run()
    assert len(model.prompts) == 3
    with pytest.raises(ModelTimeout):
        loop(Scripted("gold"), seconds=-1.0).run()


@pytest.mark.parametrize(("what", "error"), [("change", SourceChanged), ("silence", ModelUnavailable)])
def test_what_a_model_cannot_mend_ends_it(what: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        loop(Scripted(what)).run()


def test_steps_that_were_kept_are_not_asked_for_again() -> None:
    record = Memory()
    loop(Scripted("iron", "sand", "gold"), record).run()
    kept = list(record.steps.values())[:2]
    model = Scripted("gold")
    assert loop(model, Memory(kept)).run() == "gold"
    assert len(model.prompts) == 1
    assert "There is no iron" in model.prompts[0]


def test_a_later_loop_counts_on_from_its_first_step() -> None:
    record = Memory()
    loop(Scripted("sand", "gold"), record, first=5, steps=2).run()
    assert steps(record) == [(5, 0, True), (6, 0, True)]


def test_an_error_is_shown_with_what_would_help() -> None:
    seen = refusal_of(InvalidArguments("Wrong.", hint="Do it right."))
    assert seen == {"refused": "INVALID_ARGUMENTS", "message": "Wrong.", "hint": "Do it right."}
