"""What the assistant says: short, in the user's own words for their tasks, and never more than what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from averment.agents.assistant.decision import Decision, names_of
from averment.agents.assistant.run_rows import as_text, tells
from averment.agents.assistant.tool_calls import unasked
from averment.agents.assistant.wording import fields_of
from averment.records.chat import ResponseStatus
from averment.records.marks import Marks
from averment.tools.local_calls import Outcome

Reply = tuple[str, ResponseStatus, "list[dict[str, Any]] | None"]
"""The words, the status, and the tasks that were shown, if a list was."""

_DONE = {
    "add_task": "I've added {names} to your tasks{when}. You got this!",
    "complete_task": "Great! I've marked {names} as completed \u2713",
    "reopen_task": "I've reopened {names}.",
    "delete_task": "I've deleted {names}. Say 'undo' to bring {them} back.",
    "undo": "I've taken that back: {names}.",
}


_GONE = {"due": "due date", "description": "note"}
_ASKS_BACK = {("drill", "INVALID_REQUEST"), ("ask_run", "INVESTIGATION_NOT_COMPLETE")}
_STATUS = {"pending": "open", "completed": "completed"}


def reply_to(decision: Decision, outcomes: list[Outcome], asking: Decision | None = None) -> Reply:
    """The answer to a turn; ``asking`` is the question that a run leaves open."""
    if decision.kind == "route" and decision.more.get("then_ask"):
        return _several(decision, outcomes, asking)
    if decision.kind == "route":
        outcomes = outcomes[-1:]  # Who was asked before had no answer, and somebody else was asked.
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
        words, status, shown = _routed(decision, outcomes, None if asking is decision else asking)
        asked = decision.more.get("asked_as")
        return (f"I asked: '{asked}'\n{words}" if asked else words), status, shown
    if decision.kind == "call":
        return _carried_out(decision, outcomes)
    if decision.kind == "confirm":
        return decision.words, "confirmation_required", None
    if decision.kind == "choose":
        return _choices(decision), "clarification_needed", None
    if decision.more.get("asked"):
        waits = "confirmation_required" if decision.more["asked"] == "confirm" else "clarification_needed"
        return decision.words, waits, None
    if decision.more.get("error"):
        return decision.words, "error", None
    return decision.words, "clarification_needed" if decision.more.get("asked_back") else "success", None


def _choices(asking: Decision) -> str:
    lines = "\n".join(f"{at}. {option['title']}" for at, option in enumerate(asking.options, start=1))
    return f"{asking.words}\n{lines}"


def _carried_out(decision: Decision, outcomes: list[Outcome]) -> Reply:
    listing = outcomes[-1] if decision.more.get("then_list") is not None else None
    acts = outcomes[:-1] if listing is not None else outcomes
    words = _acted(acts, decision.calls)
    if decision.more.get("says"):
        words = f"{words} {decision.more['says']}"
    if listing is None:
        return words, "success", None
    told, status, shown = _listed(Decision("list", more=decision.more["then_list"]), [listing])
    return f"{words}\n\n{told}", status, shown


def _acted(outcomes: list[Outcome], calls: Sequence[dict[str, Any]] = ()) -> str:
    """What was done, one sentence for each kind of act; a change names what was and what is."""
    said: list[str] = []
    at = 0
    while at < len(outcomes):
        tool = outcomes[at].call.tool_name
        end = at + 1
        while end < len(outcomes) and outcomes[end].call.tool_name == tool:
            end += 1
        if tool == "update_task":
            said += [
                _changed(outcome, calls[at + n] if at + n < len(calls) else {})
                for n, outcome in enumerate(outcomes[at:end])
            ]
        else:
            said.append(_named(tool, outcomes[at:end]))
        at = end
    if any(outcome.call.tool_name == "update_task" for outcome in outcomes):
        said.append("Say 'undo' to change it back.")
    return " ".join(said)


def _named(tool: str, outcomes: list[Outcome]) -> str:
    tasks = [task for outcome in outcomes for task in _tasks(outcome)]
    when = ""
    if len(tasks) == 1 and tool == "add_task":
        said = fields_of(tasks[0])
        when = f", {said}" if said else ""
    elif tool == "add_task" and any(fields_of(task) for task in tasks):
        when = " (" + "; ".join(f"'{task['title']}' {fields_of(task)}" for task in tasks if fields_of(task)) + ")"
    template = _DONE.get(tool, "Done: {names}.")
    names = names_of([str(task["title"]) for task in tasks]) if tasks else "it"
    return template.format(names=names, them="it" if len(tasks) == 1 else "them", when=when)


def _tasks(outcome: Outcome) -> list[dict[str, Any]]:
    data = (outcome.result or {})["data"]
    return data if isinstance(data, list) else [data]


def _changed(outcome: Outcome, call: dict[str, Any]) -> str:
    new = (outcome.result or {})["data"]
    old = str(call.get("old", {}).get("title") or new["title"])
    given = outcome.call.parameters
    if "title" in given:
        return f"'{old}' is now '{new['title']}'."
    if "description" in given:
        return f"The note on '{new['title']}' is now: {new['description']}."
    if given.get("clear"):
        gone = [str(_GONE.get(str(name), name)) for name in given["clear"]]
        return f"'{new['title']}' now has no {' and no '.join(gone)}."
    named = {name: new.get(name) for name in ("due", "priority", "repeat") if name in given}
    return f"'{new['title']}' is now {fields_of(named)}."


def _listed(decision: Decision, outcomes: list[Outcome]) -> Reply:
    wanted = decision.more
    tasks: list[dict[str, Any]] = (outcomes[0].result or {})["data"]
    if wanted.get("about") is not None or wanted.get("undated"):
        tasks = [task for task in tasks if task["id"] in wanted.get("ids", ())]
    urgency = "urgent" if wanted.get("priority") == "high" else wanted.get("priority")
    named = [str(word) for word in (urgency, _STATUS.get(str(wanted.get("status")))) if word]
    kind = "".join(f"{word} " for word in named)
    tail = f" about '{wanted['about']}'" if wanted.get("about") else " due then" if wanted.get("due_to") else ""
    tail = " without a due date" if wanted.get("undated") else tail
    if not tasks:
        return f"You have no {kind}tasks{tail}.", "success", []
    lines = [f"{at}. {task['title']}{_facts(task)}{_tick(task)}" for at, task in enumerate(tasks, start=1)]
    many = f"You have {len(tasks)} {kind}task{'' if len(tasks) == 1 else 's'}{tail}:"
    plain = not (kind or tail or wanted.get("counts"))
    return f"{'Here are your tasks:' if plain else many}\n" + "\n".join(lines), "success", tasks


def _facts(task: dict[str, Any]) -> str:
    said = fields_of(task)
    return f" ({said})" if said else ""


def _tick(task: dict[str, Any]) -> str:
    return " \u2713" if task["status"] == "completed" else ""


def _undone(outcomes: list[Outcome]) -> Reply:
    if not outcomes:
        return "There is nothing to undo.", "success", None
    titles = [str(task["title"]) for outcome in reversed(outcomes) for task in (outcome.result or {})["data"]]
    return f"I've taken that back: {names_of(titles)}." if titles else "I've taken that back.", "success", None


def _routed(decision: Decision, outcomes: list[Outcome], asking: Decision | None) -> Reply:
    result = outcomes[0].result or {}
    if outcomes[0].call.tool_name == "ask_run":
        return _answered(decision, result)
    run = f"\n\n[run {str(result['run_id'])[:8]}]" if result.get("run_id") else ""
    asked_back = result.get("status") in {"clarification_needed", "abstained"}
    answer = str(result.get("answer", "")) if asking is None else _choices(asking)
    rows, total = result.get("rows") or [], int(result.get("row_count") or 0)
    if total > 1 and not tells(answer, rows, total):
        answer = f"{answer}\n\n{as_text(result['columns'], rows, total)}"
    head = ""
    if result.get("compared") and decision.more.get("after"):
        before, after = (" to ".join(days) for days in result["compared"])
        head = f"I compared {before} with {after}.\n"
    if result.get("charts"):
        answer = f"{answer}\n\nChart: {', '.join(result['charts'])}"
    marks = "\n".join(["", "", *lines]) if (lines := mark_lines(result)) else ""
    return f"{head}{answer}{marks}{run}", "clarification_needed" if asked_back else "success", None


def mark_lines(result: Mapping[str, Any]) -> tuple[str, ...]:
    """Both marks of a run that gave an answer, as lines; none of one that asks back."""
    asks = result.get("status") in {"clarification_needed", "abstained"}
    return () if asks or not result.get("marks") else Marks.model_validate(result["marks"]).lines


def _several(decision: Decision, outcomes: list[Outcome], asking: Decision | None) -> Reply:
    """What came back to several questions of one message, in their order, and which were not asked."""
    one = replace(decision, more={name: part for name, part in decision.more.items() if name != "then_ask"})
    each = [reply_to(one, [outcome]) for outcome in outcomes[:-1]]
    each.append(reply_to(one, outcomes[-1:], asking))
    words = [words for words, _, _ in each]
    words += [f"I have not looked at this yet: '{question}'" for question in unasked(decision, outcomes)]
    return "\n\n".join(words), each[-1][1], None


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
    if (failed.call.tool_name, code) in _ASKS_BACK:
        return words, "clarification_needed", None  # It lacks what the user can say.
    done = [outcome for outcome in outcomes if outcome.error is None]
    if done:
        words = f"{_acted(done)} But then: {words}"
    return words, "error", None
