"""What a conversation remembers once a turn is over: the list that was shown, the tasks that were touched, the run."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from averment.agents.assistant.decision import Decision
from averment.agents.assistant.dialogue import Dialogue, shown_line
from averment.tools.local_calls import Outcome


def after_turn(
    dialogue: Dialogue, decision: Decision, outcomes: list[Outcome], shown: list[dict[str, Any]] | None, now: datetime
) -> Dialogue:
    """What the conversation remembers after the turn."""
    if shown is not None:
        dialogue = dialogue.showing([shown_line(task) for task in shown], now)
    done = [outcome for outcome in outcomes if outcome.result and outcome.call.tool_name != "list_tasks"]
    acted = decision.more.get("act") if decision.kind == "call" and done else None
    dialogue = replace(
        dialogue,
        awaited=decision.more.get("awaits"),
        last_act=dialogue.last_act
        if decision.more.get("keeps_act")
        else acted or ({"verb": "other", "fields": {}, "wanted": {}} if decision.kind == "call" and done else None),
        asked_again=decision.more.get("asked_again"),
    )
    touched = [task for outcome in done for task in _tasks_in(outcome.result or {})]
    if touched:
        newer = {int(task["id"]): shown_line(task) for task in touched}
        # The user knows what they have just changed: their list stays good for it.
        dialogue = replace(dialogue, shown=tuple(newer.get(line.task_id, line) for line in dialogue.shown))
        dialogue = _with_added(dialogue, [outcome for outcome in done if outcome.call.tool_name == "add_task"], now)
        if shown is None:
            dialogue = dialogue.speaking_of(sorted(newer))
    elif decision.focus:
        dialogue = dialogue.speaking_of(decision.focus)
    if outcomes:
        last = outcomes[-1].call
        dialogue = replace(dialogue, last_tool=last.tool_name, last_parameters=last.parameters)
        results = [outcome.result for outcome in reversed(outcomes) if outcome.result]
        ran = next((result for result in results if result.get("run_id")), None)
        if ran is not None:
            dialogue = dialogue.after_run(ran)
    return dialogue


def _with_added(dialogue: Dialogue, added: list[Outcome], now: datetime) -> Dialogue:
    """New tasks stand at the end of the list the user saw; several without one are the list."""
    new = [shown_line(task) for outcome in added for task in _tasks_in(outcome.result or {})]
    there = {line.task_id for line in dialogue.shown}
    new = [line for line in new if line.task_id not in there]
    if not new:
        return dialogue
    if dialogue.shown and dialogue.is_fresh(now):
        return replace(dialogue, shown=(*dialogue.shown, *new))
    return replace(dialogue, shown=tuple(new), shown_at=now) if len(new) > 1 else dialogue


def _tasks_in(result: dict[str, Any]) -> list[dict[str, Any]]:
    """The tasks that an act changed, as they are now."""
    data = result.get("data")
    return [
        task for task in (data if isinstance(data, list) else [data]) if isinstance(task, dict) and "version" in task
    ]
