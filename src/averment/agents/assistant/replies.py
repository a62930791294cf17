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
    if len(outcomes) > 1 and outcomes[0].call.tool_name == "ask_run":
        outcomes = outcomes[1:]  # The run had no answer; the sources were asked anew.
    failed = next((outcome for outcome in outcomes if outcome.error is not None), None)
    if failed is not None and decision.more.get("otherwise"):
        return str(decision.more["otherwise"]), "clarification_needed", None
    if failed is not None:
        return _failed(outcomes, failed)
    if decision.kind == "list":
        return _listed(decision, outcomes)
    if decision.kind == "undo":
        return _undone(outcomes)
    if decision.kind == "route":
        return _routed(decision, outcomes)
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
    many = f"You have {len(tasks)} {status + ' ' if status else ''}task{'' if len(tasks) == 1 else 's'}:"
    head = many if decision.more.get("counts") else "Here are your tasks:"
    return f"{head}\n" + "\n".join(lines), "success", tasks


def _tick(task: dict[str, Any]) -> str:
    return " \u2713" if task["status"] == "completed" else ""


def _undone(outcomes: list[Outcome]) -> Reply:
    if not outcomes:
        return "There is nothing to undo.", "success", None
    titles = [str(task["title"]) for outcome in reversed(outcomes) for task in (outcome.result or {})["data"]]
    return f"I've taken that back: {names_of(titles)}." if titles else "I've taken that back.", "success", None


def _routed(decision: Decision, outcomes: list[Outcome]) -> Reply:
    result = outcomes[0].result or {}
    if outcomes[0].call.tool_name == "ask_run":
        return _answered(decision, result)
    run = f"\n\n[run {str(result['run_id'])[:8]}]" if result.get("run_id") else ""
    asked = outcomes[0].call.parameters.get("question")
    anew = decision.more["tool"] == "ask_run" and asked != decision.more["question"]
    head = f"I asked the same files anew: '{asked}'.\n" if anew else ""
    asked_back = result.get("status") in {"clarification_needed", "abstained"}
    return f"{head}{result.get('answer', '')}{run}", "clarification_needed" if asked_back else "success", None


def _answered(decision: Decision, result: dict[str, Any]) -> Reply:
    """A run's own sentences with where they stand, or that it has none."""
    if not result["answered"] and decision.more.get("otherwise"):
        return str(decision.more["otherwise"]), "clarification_needed", None
    named = [f"run {str(result['run_id'])[:8]}"] if result.get("run_id") else []
    places = "; ".join([*named, *(str(reference) for reference in result["references"])])
    words = f"{result['answer']}\n\n[{places}]" if places else str(result["answer"])
    return words, "success" if result["answered"] else "clarification_needed", None


def _failed(outcomes: list[Outcome], failed: Outcome) -> Reply:
    code, _, reason = str(failed.error).partition(": ")
    words = reason or code
    done = [outcome for outcome in outcomes if outcome.error is None]
    if done:
        words = f"{_acted(done)} But then: {words}"
    return words, "error", None
