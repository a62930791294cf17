"""What the assistant says: short, in the user's own words for their tasks, and never more than what happened."""

from __future__ import annotations

from typing import Any

from averment.agents.assistant.decide import Decision, names_of
from averment.records.chat import ResponseStatus
from averment.tools.mcp_client import Outcome

Reply = tuple[str, ResponseStatus, "list[dict[str, Any]] | None"]
"""The words, the status, and the tasks that were shown, if a list was."""

_DONE = {
    "add_task": "I've added {names} to your tasks. You got this!",
    "complete_task": "Great! I've marked {names} as completed \u2713",
    "delete_task": "I've deleted {names}. Say 'undo' to bring {them} back.",
    "update_task": "I've updated {names}.",
}


def reply_to(decision: Decision, outcomes: list[Outcome]) -> Reply:
    """The answer to a turn."""
    failed = next((outcome for outcome in outcomes if outcome.error is not None), None)
    if failed is not None:
        return _failed(outcomes, failed)
    if decision.kind == "list":
        return _listed(decision, outcomes)
    if decision.kind == "undo":
        return _undone(outcomes)
    if decision.kind == "route":
        return _routed(outcomes)
    if decision.kind == "call":
        return _acted(outcomes), "success", None
    if decision.kind == "confirm":
        return decision.words, "confirmation_required", None
    if decision.kind == "choose":
        lines = "\n".join(f"{at}. {option['title']}" for at, option in enumerate(decision.options, start=1))
        return f"{decision.words}\n{lines}", "clarification_needed", None
    if decision.more.get("error"):
        return decision.words, "error", None
    return decision.words, "clarification_needed" if decision.more.get("asked_back") else "success", None


def _acted(outcomes: list[Outcome]) -> str:
    tool = outcomes[0].call.tool_name
    titles = [str((outcome.result or {})["data"]["title"]) for outcome in outcomes]
    template = _DONE.get(tool, "Done: {names}.")
    return template.format(names=names_of(titles), them="it" if len(titles) == 1 else "them")


def _listed(decision: Decision, outcomes: list[Outcome]) -> Reply:
    tasks: list[dict[str, Any]] = (outcomes[0].result or {})["data"]
    status = decision.more.get("status")
    if not tasks:
        return f"You have no {status + ' ' if status else ''}tasks.", "success", []
    lines = [f"{at}. {task['title']}{_tick(task)}" for at, task in enumerate(tasks, start=1)]
    return "Here are your tasks:\n" + "\n".join(lines), "success", tasks


def _tick(task: dict[str, Any]) -> str:
    return " \u2713" if task["status"] == "completed" else ""


def _undone(outcomes: list[Outcome]) -> Reply:
    if not outcomes:
        return "There is nothing to undo.", "success", None
    titles = [str(task["title"]) for outcome in reversed(outcomes) for task in (outcome.result or {})["data"]]
    return f"I've taken that back: {names_of(titles)}." if titles else "I've taken that back.", "success", None


def _routed(outcomes: list[Outcome]) -> Reply:
    result = outcomes[0].result or {}
    run = f"\n\n[run {str(result['run_id'])[:8]}]" if result.get("run_id") else ""
    asked_back = result.get("status") in {"clarification_needed", "abstained"}
    return f"{result.get('answer', '')}{run}", "clarification_needed" if asked_back else "success", None


def _failed(outcomes: list[Outcome], failed: Outcome) -> Reply:
    code, _, reason = str(failed.error).partition(": ")
    words = reason or code
    done = [outcome for outcome in outcomes if outcome.error is None]
    if done:
        words = f"{_acted(done)} But then: {words}"
    return words, "error", None
