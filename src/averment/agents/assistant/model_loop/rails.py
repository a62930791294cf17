"""What a model may want of a message: tasks that are there and that it names or points to, words that somebody said.

Each refusal says why, for the model to correct it. Nothing that passes is done: its acts are unsure, so that all of
them together are asked about before any happens.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from averment.agents.assistant.reading.act import Act
from averment.agents.assistant.reading.titles import NewTask
from averment.language.references.resolve import ListedItem, resolve
from averment.language.stems import stem
from averment.language.word_lists import patterns, word_lists
from averment.llm.toolsets import Form

if TYPE_CHECKING:
    from averment.agents.assistant.dialogue import ShownItem
    from averment.agents.assistant.understand import ParsedMessage

ACTS = "acts"
"""The intent of a message in which a model heard acts on tasks."""

ActTool = Literal[
    "add_task", "update_task", "complete_task", "reopen_task", "delete_task", "analyze", "drill", "research"
]
_VERBS: dict[str, Any] = {
    "complete_task": "complete",
    "reopen_task": "reopen",
    "delete_task": "delete",
    "update_task": "update",
}
ROUTES = frozenset({"analyze", "drill", "research"})
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_SMALL = frozenset("the a an my our your of on in at for to about with and or one task tasks item".split())
_PATTERNS = patterns("model_loop.rails", "averment.agents.assistant")
_POINTS = re.compile(_PATTERNS["points"], re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:it|that|this|them|those|these|both|one)\b", re.IGNORECASE)
_ASKING = frozenset(word_lists("rails", "averment.agents.assistant")["asking"].split())
"""Words that a question may be made of whatever was said: they name nothing."""


class WantedAct(Form, frozen=True):
    """One thing that the message asks for; nobody has done it."""

    tool: ActTool
    task_id: int | None = Field(default=None, description="For acts on a task: the id that look gave.")
    title: str | None = Field(default=None, max_length=255, description="For add_task and update_task.")
    description: str | None = Field(default=None, max_length=1_000)
    question: str | None = Field(
        default=None, max_length=1_000, description="For analyze, drill, research: the whole question, by itself."
    )


def why_not(
    acts: Sequence[WantedAct], text: str, said: Sequence[str], tasks: Sequence[ShownItem]
) -> list[dict[str, str]]:
    """What of the acts may not be wanted, and why; ``said`` is what was said before the message."""
    refused: list[dict[str, str]] = []
    routes = [act for act in acts if act.tool in ROUTES]
    if len(routes) > 1 or (routes and len(acts) > 1):
        refused.append({"act": routes[0].tool, "why": "a question for an agent goes alone, one at a time"})
    for act in acts:
        why = _refusal(act, text, said, tasks)
        if why is not None:
            refused.append({"act": act.tool, "why": why})
    return refused


def _refusal(act: WantedAct, text: str, said: Sequence[str], tasks: Sequence[ShownItem]) -> str | None:
    if act.tool in ROUTES:
        return _question_refusal(act.question, text, said)
    for given in (act.title, act.description):
        if not _words(given or "") <= _words(text, *said):
            return "it holds words that nobody said"
    if act.tool == "add_task":
        return None if (act.title or "").strip() else "it names no task"
    if act.tool == "update_task" and not (act.title or act.description):
        return "it changes nothing"
    task = next((one for one in tasks if one.task_id == act.task_id), None)
    if task is None:
        return "there is no task of that id; look first"
    return None if _speaks_of(text, said, task, tasks) else f"the message does not speak of '{task.title}'"


def _question_refusal(question: str | None, text: str, said: Sequence[str]) -> str | None:
    """A question may be made whole with what was said before, and with nothing else."""
    words = {stem(word) for word in _words(question or "") - _ASKING}
    if not words:
        return "it asks nothing"
    given = {stem(word) for word in _words(text, *said)}
    unknown = sorted(words - given)
    return f"nobody said: {', '.join(unknown[:5])}" if unknown else None


def _speaks_of(text: str, said: Sequence[str], task: ShownItem, tasks: Sequence[ShownItem]) -> bool:
    """Whether a message names a task, describes it as a thing of its kind, or points back to one just spoken of."""
    meant = resolve(text, [ListedItem(at, one.title) for at, one in enumerate(tasks, start=1)])
    if meant.by == "name" and task.task_id in {tasks[at - 1].task_id for at in meant.positions}:
        return True
    named = {stem(word) for word in _words(task.title) - _SMALL}
    if named & ({stem(word) for word in _words(text)} - _SMALL):
        return True
    if _POINTS.search(text):
        return True
    return bool(_PRONOUN.search(text)) and any(task.title.casefold() in one.casefold() for one in said[-4:])


def _words(*texts: str) -> set[str]:
    return {word.casefold() for text in texts for word in _WORD.findall(text)}


def entities_of(acts: Sequence[WantedAct]) -> list[dict[str, Any]]:
    """The acts as plain values, for the decision that is kept."""
    return [act.model_dump(mode="json", exclude_none=True, exclude={"question"}) for act in acts]


def wanted_acts(heard: ParsedMessage) -> list[Act]:
    """The acts that a model heard in a message, in its order."""
    found: list[Act] = []
    for act in heard.entities.get("acts", ()):
        if act["tool"] == "add_task":
            found.append(Act("add", tasks=(NewTask(str(act["title"]).strip(), act.get("description")),), sure=False))
            continue
        fields = {name: act[name] for name in ("title", "description") if act.get(name)}
        verb = _VERBS[act["tool"]]
        found.append(Act(verb, str(act["named"]), fields=fields if verb == "update" else {}, sure=False))
    return found
