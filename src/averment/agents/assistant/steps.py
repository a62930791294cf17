"""An act on tasks that were found, made ready: its calls, its words, and whether a yes is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from averment.agents.assistant.decision import Decision, joined, names_of
from averment.agents.assistant.dialogue import ShownItem
from averment.agents.assistant.pointing import TaskMatch, deed_done
from averment.agents.assistant.reading.act import Act
from averment.agents.assistant.reading.commands import apply_value
from averment.agents.assistant.reading.task_splitting import VERBS
from averment.agents.assistant.scene import (
    MAX_DESCRIPTION,
    MAX_TITLE,
    ActScene,
    PreparedAct,
    ask_again,
    current,
    kept,
    too_long,
)
from averment.agents.assistant.wording import said_when

MAX_CHOICES = 4
_TOOLS = {"complete": "complete_task", "reopen": "reopen_task", "delete": "delete_task", "update": "update_task"}


def deed_step(act: Act, scene: ActScene) -> PreparedAct | None:
    """What was done, where it names a task; anything else that happened is no act."""
    found = deed_done(act.target, scene.tasks)
    if not found:
        return None
    if len(found) > 1:
        return PreparedAct(instead=choose(replace(act, wanted={}), found))
    return complete(found, scene, asks=False)


def step_on(act: Act, found: TaskMatch, scene: ActScene) -> PreparedAct:
    """An act on the tasks that were found; one that has changed since it was seen is asked about."""
    stale = [line for line in found.tasks if not _unchanged(line, scene)]
    if stale:
        return PreparedAct(instead=_changed(stale[0], scene))
    meant = [current(line, scene) for line in found.tasks]
    asks = found.unseen or not act.sure or len(meant) > 1
    if act.verb == "look":
        return PreparedAct(
            says="\n".join(_described(task, act.wanted.get("asked")) for task in meant),
            focus=tuple(task.task_id for task in meant),
        )
    if act.verb == "update":
        return _update(act, meant, asks=found.unseen or not act.sure, scene=scene)
    if act.verb == "complete":
        return complete(meant, scene, asks=asks)
    if act.verb == "reopen":
        return reopen(meant, scene, asks=asks)
    return _each("delete", meant, f"delete {names_of([task.title for task in meant])}", asks=True)


def complete(meant: Sequence[ShownItem], scene: ActScene, *, asks: bool) -> PreparedAct:
    """Mark tasks as completed; those that are already are told."""
    pending = [task for task in meant if current(task, scene).status == "pending"]
    other = None if pending else _last_open(meant, scene)
    if other is not None:
        return _each("complete", [other], f"mark '{other.title}' as completed", asks=True)
    if not pending:
        return PreparedAct(
            says=f"{names_of([task.title for task in meant])} {'is' if len(meant) == 1 else 'are'} completed already.",
            focus=tuple(task.task_id for task in meant),
        )
    return _each("complete", pending, f"mark {names_of([task.title for task in pending])} as completed", asks=asks)


def _last_open(meant: Sequence[ShownItem], scene: ActScene) -> ShownItem | None:
    """The last open task, where "the last one" fell on one that is done and stands at the end of the list."""
    shown = scene.dialogue.shown
    if len(meant) != 1 or not shown or shown[-1].task_id != meant[0].task_id:
        return None
    pending = [current(line, scene) for line in shown if current(line, scene).status == "pending"]
    return pending[-1] if pending else None


def reopen(meant: Sequence[ShownItem], scene: ActScene, *, asks: bool) -> PreparedAct:
    """Open tasks again; those that are open are told."""
    done = [task for task in meant if current(task, scene).status == "completed"]
    if not done:
        return PreparedAct(
            says=(
                f"{names_of([task.title for task in meant])} {'is' if len(meant) == 1 else 'are'} still "
                "open; nothing was changed."
            ),
            focus=tuple(task.task_id for task in meant),
        )
    return _each("reopen", done, f"reopen {names_of([task.title for task in done])}", asks=asks)


def _each(verb: str, meant: Sequence[ShownItem], does: str, *, asks: bool) -> PreparedAct:
    ids = tuple(task.task_id for task in meant)
    return PreparedAct(
        tuple({"tool": _TOOLS[verb], "parameters": {"task_id": task_id}} for task_id in ids), does, asks, ids
    )


def _update(act: Act, meant: Sequence[ShownItem], *, asks: bool, scene: ActScene) -> PreparedAct:
    if len(meant) > 1 and ("title" in act.fields or not (act.fields or act.wanted.get("value"))):
        return PreparedAct(instead=choose(act, meant))
    calls: list[dict[str, Any]] = []
    does: list[str] = []
    for task in meant:
        new = in_place(apply_value(act, scene.wall, task.due), task).fields
        if not new:
            words = f"What should '{task.title}' say instead?"
            awaits = {"intent": "update", "task_ids": [task.task_id]}
            return PreparedAct(
                instead=Decision("say", words=words, focus=(task.task_id,), more={"asked_back": True, "awaits": awaits})
            )
        if len(new.get("title") or "") > MAX_TITLE or len(new.get("description") or "") > MAX_DESCRIPTION:
            return PreparedAct(instead=too_long(str(new.get("title") or new.get("description"))))
        given = {name: value for name, value in new.items() if value is not None}
        gone = [name for name, value in new.items() if value is None]
        calls.append(
            {
                "tool": "update_task",
                "parameters": {"task_id": task.task_id, **given, **({"clear": gone} if gone else {})},
                "old": {"title": task.title},
            }
        )
        does.append(
            f"change '{task.title}' to '{new['title']}'"
            if new.get("title")
            else f"change '{task.title}': {fields_said(new)}"
        )
    return PreparedAct(tuple(calls), joined(does), asks or len(meant) > 1, tuple(task.task_id for task in meant))


def in_place(act: Act, task: ShownItem) -> Act:
    """A new title that stands for a part of the old one, with the rest of it: "swap milk for cheese" in "buy milk"."""
    new, old = act.fields.get("title"), task.title
    words = re.sub(r"^(?:the|my|a|an) ", "", act.target.strip(), flags=re.IGNORECASE)
    first = old.split()[0].casefold()
    if not new or first not in VERBS or new.split()[0].casefold() in VERBS or len(old.split()) < 2:
        return act
    if re.fullmatch(r"it|that|this", words, re.IGNORECASE):
        shares = {word.casefold() for word in new.split()} & {word.casefold() for word in old.split()[1:]}
        return replace(act, fields={**act.fields, "title": f"{old.split()[0]} {new}"}) if shares else act
    part = re.compile(rf"(?<!\w){re.escape(words)}(?!\w)", re.IGNORECASE)
    if words.casefold() == old.casefold() or first in words.casefold().split() or not part.search(old):
        return act
    return replace(act, fields={**act.fields, "title": part.sub(lambda _: new, old, count=1)})


def fields_said(fields: dict[str, Any]) -> str:
    """New values of a task in words."""
    said = [
        f"due {said_when(str(value))}"
        if name == "due" and value
        else f"no {name}"
        if value is None
        else f"{name} {value}"
        if name != "repeat"
        else f"repeats {value}"
        for name, value in fields.items()
        if name not in {"title", "task_id", "clear"}
    ]
    return ", ".join(said)


def unclear(act: Act, found: TaskMatch, scene: ActScene) -> Decision:
    """What is asked where no task, or more than one, was found."""
    if found.outcome == "choose":
        return choose(act, found.tasks)
    if found.outcome == "missing":
        return ask_again(f"There is no task {', '.join(map(str, found.missing))} in the list of {found.shown}.")
    if found.outcome == "none":
        kind = f" {found.status}" if found.status else ""
        return Decision("say", words=f"You have no{kind} tasks." if scene.tasks else "You have no tasks yet.")
    if not scene.tasks:
        return Decision("say", words="You have no tasks yet.")
    awaits = {"intent": "target", "act": kept(act)}
    pronoun = act.target.casefold() in {
        "it",
        "that",
        "this",
        "them",
        "that one",
        "this one",
        "one",
        "the task",
        "a task",
        "",
    }
    words = "I'm not sure which task you mean." if pronoun else f"I'm not sure which task you mean by '{act.target}'."
    return Decision(
        "say", words=f"{words} Try 'show my tasks' to see what's current.", more={"asked_back": True, "awaits": awaits}
    )


def choose(act: Act, meant: Sequence[ShownItem]) -> Decision:
    """Which of several tasks is meant is for the user to say."""
    options = tuple(asdict(line) for line in meant)
    if len(options) > MAX_CHOICES:
        return ask_again(f"I found {len(options)} tasks that fit.")
    words = f"I found {len(options)} tasks{_about(act, meant)}. Which one did you mean?"
    return Decision("choose", words=words, options=options, more={"act": kept(act)})


def _about(act: Act, meant: Sequence[ShownItem]) -> str:
    """The word that the choices share and the user said, as in "tasks about meetings"."""
    said = {word.strip(".,!?").casefold() for word in act.target.split()}
    shared = set.intersection(*({word.casefold() for word in line.title.split()} for line in meant)) & said
    longest = max(sorted(shared), key=len, default="")
    name = next((word for word in meant[0].title.split() if word.casefold() == longest), longest)
    if len(longest) <= 3:
        return ""
    return f" about {name}" if name != longest or longest.endswith("s") else f" about {longest}s"


def _described(task: ShownItem, asked: str | None) -> str:
    state = "done" if task.status == "completed" else "still open"
    if asked == "due":
        return f"'{task.title}' is due {said_when(task.due)}." if task.due else f"'{task.title}' has no due date."
    if asked == "status":
        return f"'{task.title}' is {state}."
    parts = [
        f"due {said_when(task.due)}" if task.due else "",
        f"{task.priority} priority" if task.priority else "",
        f"repeats {task.repeat}" if task.repeat else "",
    ]
    facts = ", ".join(part for part in (state, *parts) if part)
    return f"'{task.title}' is {facts}." + (f" Note: {task.description}" if task.description else " It has no note.")


def _unchanged(line: ShownItem, scene: ActScene) -> bool:
    return any(task.task_id == line.task_id and task.version == line.version for task in scene.tasks)


def _changed(line: ShownItem, scene: ActScene) -> Decision:
    position = next((at for at, one in enumerate(scene.dialogue.shown, start=1) if one.task_id == line.task_id), 0)
    if not any(task.task_id == line.task_id for task in scene.tasks):
        words = f"I couldn't find task {position}. It may have been deleted. Try 'show my tasks' to see what's current."
        return Decision("say", words=words, more={"error": True})
    return ask_again(f"'{line.title}' has changed since you saw the list.")
