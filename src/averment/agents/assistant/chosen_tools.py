"""What a turn was understood as and which tools that chose, in the assistant contract's own records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, get_args

from averment.records.chat import Clarification, IntentResult, IntentType, ResponseStatus, ToolSelectionResult

if TYPE_CHECKING:
    from averment.agents.assistant.decision import Decision
    from averment.store.chat.questions import PendingQuestion
    from averment.tools.local_calls import Outcome

DESTROYS = frozenset({"delete_task"})
"""Tools that are never called without a yes."""


def intent_of(kept: dict[str, Any]) -> IntentResult | None:
    """How the message was understood; None for what the contract has no intent for, such as a greeting."""
    if kept["intent"] not in get_args(IntentType):
        return None
    entities = {name: kept["more"][name] for name in ("question", "about") if kept["more"].get(name)}
    act = kept["more"].get("act") or {}
    entities |= {name: act[name] for name in ("target", "fields") if act.get(name)}
    return IntentResult(
        intent_type=kept["intent"],
        confidence=min(1.0, float(kept["confidence"])),
        entities=entities,
        alternatives=tuple((str(name), float(share)) for name, share in kept.get("alternatives", ())),
        reasoning=str(kept["by"]),
    )


def selections_of(
    decision: Decision, outcomes: Sequence[Outcome], confidence: float
) -> tuple[ToolSelectionResult, ...]:
    """The tools that were chosen: those that were called, and those that wait for a yes."""
    called = [(outcome.call.tool_name, outcome.call.parameters, False) for outcome in outcomes]
    waiting = [
        (str(call["tool"]), dict(call["parameters"]), True) for call in decision.calls if decision.kind == "confirm"
    ]
    return tuple(
        ToolSelectionResult(
            tool_name=name,
            confidence=min(1.0, confidence),
            parameters=parameters,
            requires_confirmation=waits or name in DESTROYS,
        )
        for name, parameters, waits in (*called, *waiting)
    )


def clarification_of(status: ResponseStatus, words: str, asked: PendingQuestion | None) -> Clarification | None:
    """What is asked back, where something is."""
    if status != "clarification_needed":
        return None
    if asked is None:
        return Clarification(question=words)
    options = tuple(str(option["title"]) for option in asked.body["options"])
    return Clarification(question=str(asked.body["words"]), options=options)
