"""From acts to one plan: what is done at once, what is asked about first, what cannot be told apart.

Policy in code, the same whoever understood the message. What can be taken back happens; what destroys, touches several
tasks or is not surely understood is asked about, naming every row; several acts make one plan that one yes allows.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from averment.agents.assistant.decision import Decision, joined, names_of
from averment.agents.assistant.dialogue import ShownItem
from averment.agents.assistant.pointing import TaskMatch, deed_done, point
from averment.agents.assistant.reading.act import Act, ActCondition
from averment.agents.assistant.reading.titles import NewTask
from averment.agents.assistant.scene import MAX_TITLE, ActScene, PreparedAct, act_of, current, kept, too_long
from averment.agents.assistant.steps import deed_step, reopen, step_on, unclear
from averment.language.references.resolve import content_of

_POINTS = re.compile(r"\b(?:it|that|them|those)\b", re.IGNORECASE)


def plan(acts: Sequence[Act], scene: ActScene, *, undoes: Sequence[str] = ()) -> Decision | None:
    """What to do about the acts of a message; None where they are no acts after all.

    ``undoes`` are acts that are taken back before: a correction.
    """
    steps: list[PreparedAct] = []
    for act in acts:
        step = _step(act, scene)
        if step is None:
            continue
        steps.append(step)
        if step.focus:
            # "Rename milk to cream and move it": what the first act was on is what the next one points at.
            scene = replace(scene, dialogue=scene.dialogue.speaking_of(step.focus))
    if not steps:
        return None
    stopped = next((step.instead for step in steps if step.instead is not None), None)
    if stopped is not None:
        if len(steps) == 1 or stopped.kind == "list":
            return stopped
        rest = tuple(call for step in steps if step.instead is None for call in step.calls)
        if stopped.kind == "choose":
            return replace(stopped, more={**stopped.more, "rest": list(rest)})
        return replace(stopped, words=f"{stopped.words} Nothing was changed." if rest else stopped.words)
    back = tuple({"tool": "undo", "parameters": {"key": key}} for key in undoes)
    calls = (*back, *(call for step in steps for call in step.calls))
    focus = tuple(dict.fromkeys(task for step in steps for task in step.focus))
    acts_at_all = any(step.calls for step in steps)
    said = " ".join(step.says for step in steps if step.says and not (step.denied and acts_at_all))
    lists = next((step.lists for step in steps if step.lists is not None), None)
    more: dict[str, Any] = {"then_list": lists} if lists is not None else {}
    if len(acts) == 1:
        more["act"] = kept(acts[0])
    if said:
        more["says"] = said
    if not calls:
        return Decision("list", more=lists) if lists is not None else Decision("say", words=said, focus=focus)
    if any(step.asks for step in steps):
        return Decision("confirm", words=_question(steps, bool(back)), calls=calls, focus=focus, more=more)
    return Decision("call", calls=calls, focus=focus, more=more)


def _question(steps: Sequence[PreparedAct], undoes: bool) -> str:
    asking = [step.does for step in steps if step.does]
    if len(asking) == 1 and not undoes:
        does = asking[0]
        return f"Shall I {does}?" if does.startswith(("add", "change", "reopen")) else f"{does[0].upper()}{does[1:]}?"
    return f"Shall I {'take the last change back, ' if undoes else ''}{joined(asking)}?"


def _step(act: Act, scene: ActScene) -> PreparedAct | None:
    if act.negated:
        return _denied(act, scene)
    if act.condition is not None:
        held = _holds(act.condition, act, scene)
        if held is None:
            return PreparedAct(
                instead=Decision(
                    "say",
                    words="I can't wait for that or look it up, so nothing was changed. Tell me when it has happened.",
                    more={"asked_back": True},
                )
            )
        if not held:
            return PreparedAct(says=f"{_found(act.condition, act)}, so I left that as it is.")
        act = replace(act, condition=None)
    if act.verb == "add":
        return _add(act)
    if act.verb == "list" and act.wanted.get("undated"):
        ids = [task.task_id for task in scene.tasks if not task.due and task.status == "pending"]
        return PreparedAct(lists={"ids": ids, "undated": "yes"})
    if act.verb == "list":
        return PreparedAct(lists={name: value for name, value in act.wanted.items() if value})
    if act.verb == "undo":
        return PreparedAct(instead=Decision("undo")) if not act.target else _restore(act, scene)
    if act.verb == "find":
        return _find(act, scene)
    return _on_tasks(act, scene)


def _denied(act: Act, scene: ActScene) -> PreparedAct:
    """What is not to happen, or has not happened: it is said so, and nothing is done."""
    if act.told:
        meant = point(act.target, "complete", scene.dialogue, scene.tasks, scene.now)
        found = meant.tasks or deed_done(act.target, scene.tasks)
        if not found and act.target and _POINTS.search(act.target):
            found = tuple(task for task in scene.tasks if task.task_id in scene.dialogue.focus)
        done = [task for task in found if current(task, scene).status == "completed"]
        if done:
            return reopen(done, scene, asks=True)
        named = f" {names_of([task.title for task in found])} stays open." if len(found) == 1 else ""
        return PreparedAct(says=f"All right, nothing was changed.{named}", denied=True)
    rings = _that_rings(act, scene)
    if rings:
        titles = names_of([task.title for task in rings])
        calls = tuple(
            {
                "tool": "update_task",
                "parameters": {"task_id": task.task_id, "clear": ["due", *(["repeat"] if task.repeat else [])]},
                "old": {"title": task.title},
            }
            for task in rings
        )
        return PreparedAct(calls, f"change {titles} so that it no longer rings", True, tuple(t.task_id for t in rings))
    return PreparedAct(says="All right, I won't. Nothing was changed.", denied=True)


def _that_rings(act: Act, scene: ActScene) -> list[ShownItem]:
    """The task that a message wants no reminder of, where there is one that would come."""
    if act.verb != "add" or not act.tasks:
        return []
    named = point(act.tasks[0].title, "look", scene.dialogue, scene.tasks, scene.now)
    return [task for task in named.tasks if task.due and task.status == "pending"] if named.outcome == "tasks" else []


def _holds(condition: ActCondition, act: Act, scene: ActScene) -> bool | None:
    """Whether a condition is met; None where the list cannot tell."""
    words = condition.words
    if words is None:
        return None
    if words.casefold() in {"it", "that", "this"} and act.verb == "add" and act.tasks:
        words = act.tasks[0].title
        there = any(task.title.casefold() == words.casefold() for task in scene.tasks)
        return there == condition.holds
    found = point(words, "look", scene.dialogue, scene.tasks, scene.now)
    tasks = [current(task, scene) for task in found.tasks]
    if condition.state == "there":
        return bool(tasks) == condition.holds
    if not tasks:
        return None if found.outcome == "unknown" else False
    wanted = "completed" if condition.state == "done" else "pending"
    return all(task.status == wanted for task in tasks) == condition.holds


def _found(condition: ActCondition, act: Act) -> str:
    words = (
        condition.words
        if condition.words not in {"it", "that", "this"}
        else (act.tasks[0].title if act.tasks else act.target)
    )
    is_not = "is" if not condition.holds else "is not"
    where = {"there": "on your list", "open": "open", "done": "done"}[condition.state]
    return f"'{words}' {is_not} {where}"


def _add(act: Act) -> PreparedAct:
    if not act.tasks:
        awaits = {"intent": "create"}
        return PreparedAct(
            instead=Decision("say", words="What should the task say?", more={"asked_back": True, "awaits": awaits})
        )
    long = next((task for task in (*act.tasks, *act.other) if len(task.title) > MAX_TITLE), None)
    if long is not None:
        return PreparedAct(instead=too_long(long.title))
    if act.other:
        return PreparedAct(instead=one_or_several(act.tasks, act.other))
    does = f"add {names_of([task.title for task in act.tasks])} to your tasks"
    return PreparedAct(adding(act.tasks), does, asks=not act.sure)


def adding(tasks: Sequence[NewTask]) -> tuple[dict[str, Any], ...]:
    """The calls that add tasks."""
    return tuple({"tool": "add_task", "parameters": task.as_parameters()} for task in tasks)


def one_or_several(*readings: Sequence[NewTask]) -> Decision:
    """Both readings of a message that may ask for one task or for several."""
    options = tuple(
        {"title": f"{_count(len(tasks))}: {names_of([task.title for task in tasks])}", "calls": adding(tasks)}
        for tasks in sorted(readings, key=len)
    )
    return Decision("choose", words="How many tasks is that?", options=options)


def _count(number: int) -> str:
    return "one task" if number == 1 else f"{number} tasks"


def _find(act: Act, scene: ActScene) -> PreparedAct:
    wanted = content_of(act.target)
    named = f"{act.target}".casefold()
    found = [
        task
        for task in scene.tasks
        if (wanted and wanted <= content_of(f"{task.title} {task.description or ''}"))
        or (named in task.title.casefold())
    ]
    return PreparedAct(lists={"ids": [task.task_id for task in found], "about": act.target})


def _on_tasks(act: Act, scene: ActScene) -> PreparedAct | None:
    if act.told and act.wanted.get("deed"):
        return deed_step(act, scene)
    found = point(act.target, act.verb, scene.dialogue, scene.tasks, scene.now)
    participle = act.wanted.get("participle")
    if found.outcome == "unknown" and participle:
        found = point(f"{participle} {act.target}", act.verb, scene.dialogue, scene.tasks, scene.now)
    if found.outcome == "tasks":
        return step_on(act, found, scene)
    if act.told and found.outcome == "unknown" and act.verb != "complete":
        return None
    return PreparedAct(instead=unclear(act, found, scene))


def _restore(act: Act, scene: ActScene) -> PreparedAct:
    """Something named is to come back: what is done is reopened, what was deleted is undone by the last act."""
    found = point(act.target, "reopen", scene.dialogue, scene.tasks, scene.now)
    if found.outcome == "tasks":
        return reopen([current(task, scene) for task in found.tasks], scene, asks=False)
    return PreparedAct(instead=Decision("undo"))


def chosen(kept_act: dict[str, Any], options: Sequence[dict[str, Any]], scene: ActScene) -> Decision:
    """What to do once the user has said which of the choices were meant."""
    act, meant = act_of(kept_act), tuple(ShownItem(**option) for option in options)
    step = step_on(act, TaskMatch("tasks", meant), scene)
    if step.instead is not None:
        return step.instead
    more: dict[str, Any] = {"act": kept(act)}
    if not step.calls:
        return Decision("say", words=step.says, focus=step.focus)
    # The choice has named the tasks, so what can be taken back needs no yes beside it.
    if act.verb == "delete":
        return Decision("confirm", words=_question([step], False), calls=step.calls, focus=step.focus, more=more)
    return Decision("call", calls=step.calls, focus=step.focus, more=more)
