"""From a decision to the tool calls that carry it out, each under a key that any retry finds again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.data_questions import goes_on
from averment.agents.assistant.decision import Decision
from averment.language.word_lists import patterns
from averment.tools.local_calls import Call, Outcome

if TYPE_CHECKING:
    from averment.records.chat import Message, ToolCall
    from averment.store.chat.conversations import Turn

SHORTEST = 10
"""A question for the sources has at least so many characters."""

_PATTERNS = patterns("tool_calls", "averment.agents.assistant")
_OF_SOURCES = re.compile(_PATTERNS["of_sources"], re.IGNORECASE)
_FOUND = frozenset({"completed", "partial_success"})
_FILTERS = ("status", "priority", "due_from", "due_to")
_ABOUT_RUN = ("run_id", "session_id")
CHANGING = frozenset({"add_task", "update_task", "complete_task", "reopen_task", "delete_task"})
"""The tools whose acts can be taken back."""


def calls_of(turn: Turn, decision: Decision) -> list[Call]:
    """The calls of a decision, in order; none for one that only speaks."""
    if decision.kind == "list":
        return [_list(turn, decision.more)]
    if decision.kind == "undo":
        keys = enumerate(decision.more.get("keys", ()))
        return [Call("undo", {"key": str(key)}, f"{turn.key}/undo/{at}") for at, key in keys]
    if decision.kind == "route":
        tool = str(decision.more["tool"])
        if tool == "choose":
            chosen = {"run_id": decision.more["run_id"], "number": decision.more["number"]}
            return [Call(tool, chosen, f"{turn.key}/choose")]
        question = decision.more["question"]
        if tool == "ask_run":
            about = {name: decision.more[name] for name in _ABOUT_RUN if decision.more.get(name)}
            return [Call(tool, {"question": question, **about}, f"{turn.key}/ask")]
        if tool == "research":
            question = asked_of_sources(str(question))
        sources = {} if tool == "research" else {"sources": list(decision.more.get("sources", ()))}
        after = {"after": decision.more["after"]} if decision.more.get("after") else {}
        return [Call(tool, {"question": question, **sources, **after}, f"{turn.key}/run")]
    if decision.kind != "call":
        return []
    made = [
        Call(str(call["tool"]), dict(call["parameters"]), f"{turn.key}/{at}", call.get("question"))
        for at, call in enumerate(decision.calls)
    ]
    then = decision.more.get("then_list")
    return made if then is None else [*made, _list(turn, then)]


def _list(turn: Turn, wanted: dict[str, Any]) -> Call:
    """The tasks of the kind that is wanted; which of them a search names is seen by who answers."""
    return Call("list_tasks", {name: wanted[name] for name in _FILTERS if wanted.get(name)}, f"{turn.key}/list")


def calls_after(turn: Turn, decision: Decision, outcomes: Sequence[Outcome]) -> list[Call]:
    """What is called once somebody was asked and did not say: the sources of a run, then the documents at hand.

    It follows from what was decided and from what came back alone, so that a retry calls the same.
    """
    last = outcomes[-1] if outcomes else None
    if decision.kind != "route" or last is None:
        return []
    told, asked = last.result or {}, str(decision.more.get("question") or "")
    if last.call.tool_name == "ask_run" and decision.more.get("sources") and not told.get("answered"):
        if not told.get("for_tables") and not decision.more.get("instead"):
            return []
        # The analyst reads the message as a change of an earlier plan, or as a question of its own.
        after = {"after": str(decision.more["run_id"])} if told.get("kind") == "analysis" else {}
        return [
            Call("analyze", {"question": asked, "sources": list(decision.more["sources"]), **after}, f"{turn.key}/run")
        ]
    if decision.more.get("documents") and _unread(last):
        return [Call("research", {"question": asked}, f"{turn.key}/research")]
    return _asked_next(turn, decision, outcomes)


def _asked_next(turn: Turn, decision: Decision, outcomes: Sequence[Outcome]) -> list[Call]:
    """The next of several questions in one message; what asks back has to be answered before it."""
    last, told = outcomes[-1], outcomes[-1].result or {}
    left = unasked(decision, outcomes)
    if last.call.tool_name != "analyze" or told.get("status") not in _FOUND or not left:
        return []
    after = {"after": str(told["run_id"])} if goes_on(left[0]) else {}
    given = {"question": left[0], "sources": list(decision.more["sources"]), **after}
    return [Call("analyze", given, f"{turn.key}/run/{len(outcomes)}")]


def unasked(decision: Decision, outcomes: Sequence[Outcome]) -> list[str]:
    """The questions of a message that nobody was asked yet."""
    return [str(each) for each in decision.more.get("then_ask") or ()][max(0, len(outcomes) - 1) :]


def _unread(outcome: Outcome) -> bool:
    """Whether the tables, or the run before, have nothing to say to a question."""
    told = outcome.result or {}
    if outcome.call.tool_name == "ask_run":
        return not told.get("answered")
    if outcome.error is not None or outcome.call.tool_name == "research":
        return False
    return told.get("status") in {"clarification_needed", "abstained"} and not told.get("offers")


def asked_of_sources(question: str) -> str:
    """The question itself, without the words that only say who is to answer it; the user's words otherwise."""
    bare = _OF_SOURCES.sub("", question).strip()
    return bare if len(bare) >= SHORTEST else question


def acts_to_undo(messages: Sequence[Message]) -> list[str]:
    """The keys of the acts of the last turn that changed tasks and was not taken back, the last act first.

    They are read from the conversation's own record, in which each act stands with the key its tool gave.
    """
    undone = {
        str(call.parameters.get("key"))
        for message in messages
        for call in message.tool_calls
        if call.tool_name == "undo" and call.error is None
    }
    for message in reversed(messages):
        keys = [key for call in message.tool_calls if (key := _key(call)) is not None and key not in undone]
        if keys:
            return keys[::-1]
    return []


def _key(call: ToolCall) -> str | None:
    """The key of an act that changed a task; None for anything else."""
    if call.tool_name not in CHANGING or call.error is not None or not call.result:
        return None
    key = call.result.get("key")
    return None if key is None else str(key)
