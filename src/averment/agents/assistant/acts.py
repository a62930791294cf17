"""From a decision to the tool calls that carry it out, each under a key that any retry finds again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from averment.agents.assistant.decide import Decision
from averment.tools.mcp_client import Call

if TYPE_CHECKING:
    from averment.store.conversations import Turn


def calls_of(turn: Turn, decision: Decision) -> list[Call]:
    """The calls of a decision, in order; none for one that only speaks."""
    if decision.kind == "list":
        status = decision.more.get("status")
        return [Call("list_tasks", {"status": status} if status else {}, f"{turn.key}/list")]
    if decision.kind == "undo":
        keys = enumerate(decision.more.get("keys", ()))
        return [Call("undo", {"key": str(key)}, f"{turn.key}/undo/{at}") for at, key in keys]
    if decision.kind == "route":
        tool, question = str(decision.more["tool"]), decision.more["question"]
        sources = {} if tool == "research" else {"sources": list(decision.more.get("sources", ()))}
        return [Call(tool, {"question": question, **sources}, f"{turn.key}/run")]
    if decision.kind != "call":
        return []
    return [
        Call(str(call["tool"]), dict(call["parameters"]), f"{turn.key}/{at}", call.get("question"))
        for at, call in enumerate(decision.calls)
    ]


def acts_of_turn(last: str) -> list[str]:
    """The keys of all acts of the turn whose last act has that key, the last first."""
    turn, _, number = last.rpartition("/")
    return [f"{turn}/{at}" for at in range(int(number), -1, -1)] if number.isdecimal() else [last]
