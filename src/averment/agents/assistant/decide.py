"""What the assistant does about a message: policy in code, the same whoever understood it.

Low-risk acts happen and can be taken back; what destroys, touches several tasks or is not surely understood is asked
about first, naming the rows; where several tasks could be meant, the user chooses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any, Literal

from averment.agents.assistant.dialogue import Dialogue, Shown
from averment.agents.assistant.understand import GUESS, SURE, Heard
from averment.language.references import Listed, Reference, resolve

MAX_CHOICES = 4
OFFERED = 0.05
"""What is less likely than this is not offered as a guess."""

ROUTES = {"analyze": "analyze", "drill": "drill", "research": "research"}
_ACT_WORDS = {"complete": "Mark", "delete": "Delete", "update": "Change"}

_BY_STATUS = re.compile(
    r"\b(?:all|every|everything|the|my)\s+(?:(?:of\s+)?(?:the|my)\s+)?(?:that(?:'s| is| are)\s+)?"
    r"(completed?|done|finished|pending|open|unfinished|incomplete)(?:\s+(?:tasks?|ones?|items?|to-?dos?|reminders?)|$)",
    re.IGNORECASE,
)

Kind = Literal["call", "confirm", "choose", "say", "list", "undo", "route"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a turn will do; kept before it is done, so that it is done as decided even after a crash."""

    kind: Kind
    words: str = ""
    calls: tuple[dict[str, Any], ...] = ()
    options: tuple[dict[str, Any], ...] = ()
    focus: tuple[int, ...] = ()
    more: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The decision as plain values."""
        return {
            "kind": self.kind,
            "words": self.words,
            "calls": list(self.calls),
            "options": list(self.options),
            "focus": list(self.focus),
            "more": self.more,
        }

    @classmethod
    def of(cls, kept: dict[str, Any]) -> Decision:
        """The decision that was kept."""
        return cls(
            kind=kept["kind"],
            words=kept["words"],
            calls=tuple(kept["calls"]),
            options=tuple(kept["options"]),
            focus=tuple(kept["focus"]),
            more=dict(kept["more"]),
        )


def decide(heard: Heard, dialogue: Dialogue, tasks: Sequence[Shown], now: datetime) -> Decision:
    """What to do about what was heard; ``tasks`` are the user's tasks as they are now."""
    if heard.intent == "other" and heard.words:
        return Decision("say", words=heard.words)
    if heard.confidence < GUESS or heard.intent == "other":
        return _not_understood(heard)
    if heard.intent == "ask":
        return _ask_run(heard, dialogue)
    if heard.intent == "create":
        return _create(heard)
    if heard.intent == "list":
        counts = heard.entities.get("counts")
        return Decision("list", more={"status": heard.entities.get("status"), **({"counts": True} if counts else {})})
    if heard.intent == "undo":
        if heard.confidence < SURE:
            words = "Shall I take your last change back? Then say 'undo'."
            return Decision("say", words=words, more={"asked_back": True})
        return Decision("undo")
    if heard.intent in ROUTES:
        return _route(heard, dialogue)
    if heard.intent in _ACT_WORDS:
        return _on_tasks(heard, dialogue, tasks, now)
    return Decision("say", words=_SAID.get(heard.intent, _SAID["help"]))


def needs_tasks(heard: Heard) -> bool:
    """Whether the user's tasks must be known to decide."""
    return heard.intent in _ACT_WORDS


def _ask_run(heard: Heard, dialogue: Dialogue) -> Decision:
    """Ask a finished run; where the message only may be about it, with what is said if it has no answer.

    Of an analysis the sources are kept in mind: what it does not hold, they may be asked anew.
    """
    more: dict[str, Any] = {"tool": "ask_run", "question": heard.text}
    more |= {name: heard.entities[name] for name in ("run_id", "session_id", "within") if heard.entities.get(name)}
    if heard.entities.get("leans"):
        more |= {"sources": list(dialogue.sources), "instead": heard.entities.get("instead")}
    if not heard.entities.get("surely"):
        intent, confidence = heard.alternatives[0]
        before = Heard(intent, confidence, heard.text, alternatives=heard.alternatives[1:])
        more["otherwise"] = _not_understood(before).words
    return Decision("route", more=more)


def _route(heard: Heard, dialogue: Dialogue) -> Decision:
    """Hand the question to the agent it is for, with the conversation's files."""
    if heard.intent != "research" and not dialogue.sources:
        return Decision("say", words="Which file should I look at? Attach it and ask again.", more={"asked_back": True})
    more = {"tool": ROUTES[heard.intent], "question": heard.text, "sources": list(dialogue.sources)}
    return Decision("route", more=more)


def _not_understood(heard: Heard) -> Decision:
    likely = ((heard.intent, heard.confidence), *heard.alternatives)
    guesses = [name for name, share in likely if name in _OFFERS and share >= OFFERED][:3]
    words = "I'm not sure what you'd like me to do."
    if guesses:
        words += f" Did you want to {', or '.join(_OFFERS[name] for name in guesses)}?"
    return Decision("say", words=f"{words} Say 'help' to see what I can do.", more={"asked_back": True})


def _create(heard: Heard) -> Decision:
    wanted = heard.entities.get("tasks") or []
    if not wanted:
        awaits = {"intent": "create"}
        return Decision("say", words="What should the task say?", more={"asked_back": True, "awaits": awaits})
    calls = _adding(wanted)
    other = heard.entities.get("other")
    if other:
        return _one_or_several(wanted, other)
    if heard.confidence >= SURE:
        return Decision("call", calls=calls)
    names = names_of([str(task["title"]) for task in wanted])
    return Decision("confirm", words=f"Shall I add {names} to your tasks?", calls=calls)


def _adding(tasks: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    return tuple({"tool": "add_task", "parameters": task} for task in tasks)


def _one_or_several(*readings: Sequence[dict[str, Any]]) -> Decision:
    """Both readings of a message that may ask for one task or for several."""
    options = tuple(
        {"title": f"{_count(len(tasks))}: {names_of([str(task['title']) for task in tasks])}", "calls": _adding(tasks)}
        for tasks in sorted(readings, key=len)
    )
    return Decision("choose", words="How many tasks is that?", options=options)


def _count(number: int) -> str:
    return "one task" if number == 1 else f"{number} tasks"


def _on_tasks(heard: Heard, dialogue: Dialogue, tasks: Sequence[Shown], now: datetime) -> Decision:
    wished = heard.entities.get("task_ids")
    if wished:
        # Named by their ids, by a model: they were checked against the message, and what follows names the rows.
        return _act(heard, [task for task in tasks if task.task_id in wished])
    status = None if heard.intent == "update" else _of_status(heard.text)
    if status is not None:
        of_it = [task for task in tasks if task.status == status]
        return _act(heard, of_it) if of_it else Decision("say", words=f"You have no {status} tasks.")
    target = str(heard.entities.get("target") or heard.text)
    lines, reference = point(target, dialogue, tasks, now)
    if reference.outcome == "resolved":
        meant = [lines[position - 1] for position in reference.positions]
        changed = [line for line in meant if not _unchanged(line, tasks)]
        if changed:
            return _changed(changed[0], lines.index(changed[0]) + 1, tasks)
        return _act(heard, meant)
    if reference.outcome == "ambiguous" and len(reference.positions) >= 2:
        return _choose(heard, [lines[position - 1] for position in reference.positions])
    if reference.outcome == "out_of_range":
        missing = ", ".join(str(number) for number in reference.missing)
        return _ask_again(f"There is no task {missing} in the list of {len(lines)} you saw.")
    if not tasks:
        return Decision("say", words="You have no tasks yet.")
    return _ask_again("I'm not sure which task you mean.")


def _of_status(text: str) -> str | None:
    """Which status words such as "all completed tasks" name."""
    found = _BY_STATUS.search(text)
    if found is None:
        return None
    return "completed" if found.group(1).casefold() in {"complete", "completed", "done", "finished"} else "pending"


def point(words: str, dialogue: Dialogue, tasks: Sequence[Shown], now: datetime) -> tuple[Sequence[Shown], Reference]:
    """What the words point at: the list the user saw while it is fresh, else the tasks by their names alone."""
    if dialogue.shown and dialogue.is_fresh(now):
        focus = [at for at, line in enumerate(dialogue.shown, start=1) if line.task_id in dialogue.focus]
        found = resolve(words, _listed(dialogue.shown), focus=focus)
        if found.outcome != "unknown":
            return dialogue.shown, found
    spoken_of = [at for at, line in enumerate(tasks, start=1) if line.task_id in dialogue.focus]
    found = resolve(words, _listed(tasks), focus=spoken_of)
    # A place means nothing in a list that the user has not seen.
    return tasks, found if found.by in {"name", "pronoun"} else Reference("unknown")


def _listed(lines: Sequence[Shown]) -> list[Listed]:
    return [Listed(position, line.title) for position, line in enumerate(lines, start=1)]


def _unchanged(line: Shown, tasks: Sequence[Shown]) -> bool:
    return any(task.task_id == line.task_id and task.version == line.version for task in tasks)


def _changed(line: Shown, position: int, tasks: Sequence[Shown]) -> Decision:
    if not any(task.task_id == line.task_id for task in tasks):
        words = f"I couldn't find task {position}. It may have been deleted. Try 'show my tasks' to see what's current."
        return Decision("say", words=words, more={"error": True})
    return _ask_again(f"'{line.title}' has changed since you saw the list.")


def _ask_again(reason: str) -> Decision:
    return Decision("say", words=f"{reason} Try 'show my tasks' to see what's current.", more={"asked_back": True})


def _act(heard: Heard, meant: Sequence[Shown]) -> Decision:
    """Carry out, or ask first: destructive, several at once, or not surely understood."""
    focus = tuple(line.task_id for line in meant)
    named = names_of([line.title for line in meant])
    if heard.intent == "update":
        if len(meant) > 1:
            return _choose(heard, meant)
        new = {name: heard.entities[name] for name in ("title", "description") if heard.entities.get(name)}
        if not new:
            words = f"What should '{meant[0].title}' say instead?"
            awaits = {"intent": "update", "task_ids": list(focus)}
            return Decision("say", words=words, focus=focus, more={"asked_back": True, "awaits": awaits})
        calls = ({"tool": "update_task", "parameters": {"task_id": focus[0], **new}},)
        if heard.confidence >= SURE:
            return Decision("call", calls=calls, focus=focus)
        return Decision(
            "confirm", words=f"Shall I change {named} to '{next(iter(new.values()))}'?", calls=calls, focus=focus
        )
    tool = f"{heard.intent}_task"
    calls = tuple({"tool": tool, "parameters": {"task_id": task_id}} for task_id in focus)
    if heard.intent == "complete" and len(meant) == 1 and heard.confidence >= SURE:
        return Decision("call", calls=calls, focus=focus)
    ending = " as completed?" if heard.intent == "complete" else "?"
    return Decision("confirm", words=f"{_ACT_WORDS[heard.intent]} {named}{ending}", calls=calls, focus=focus)


def _choose(heard: Heard, meant: Sequence[Shown]) -> Decision:
    options = tuple(asdict(line) for line in meant)
    if len(options) > MAX_CHOICES:
        return _ask_again(f"I found {len(options)} tasks that fit.")
    about = _about(heard, meant)
    words = f"I found {len(options)} tasks{about}. Which one did you mean?"
    return Decision("choose", words=words, options=options, more={"heard": _kept(heard)})


def _about(heard: Heard, meant: Sequence[Shown]) -> str:
    """The word that the choices share and the user said, as in "tasks about meetings"."""
    said = {word.strip(".,!?").casefold() for word in heard.text.split()}
    shared = set.intersection(*({word.casefold() for word in line.title.split()} for line in meant)) & said
    longest = max(sorted(shared), key=len, default="")
    return f" about {longest}{'' if longest.endswith('s') else 's'}" if len(longest) > 3 else ""


def _kept(heard: Heard) -> dict[str, Any]:
    return {"intent": heard.intent, "confidence": heard.confidence, "text": heard.text, "entities": heard.entities}


def choice_made(kept: dict[str, Any], option: dict[str, Any]) -> Decision:
    """What to do once the user has said which of the choices was meant."""
    heard = Heard(kept["intent"], max(float(kept["confidence"]), SURE), kept["text"], dict(kept["entities"]))
    return _act(heard, [Shown(**option)])


def names_of(titles: Sequence[str]) -> str:
    """Titles as a sentence names them."""
    quoted = [f"'{title}'" for title in titles]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


_OFFERS = {
    "create": "add a task",
    "list": "see your tasks",
    "update": "change a task",
    "complete": "mark a task as completed",
    "delete": "delete a task",
    "analyze": "analyse a table",
    "drill": "find out why a metric moved",
    "research": "look into sources",
}
_SAID = {
    "help": (
        "I keep your tasks ('remind me to call John', 'show my tasks', 'complete the first one'), analyse tables "
        "('average order value by month'), find out why a metric moved ('why did revenue drop last week?') and look "
        "into sources ('what do the sources say about heat pumps?'). Every number comes with its proof."
    ),
    "affirm": "There is no question open that a yes would answer.",
    "deny": "All right, nothing was changed.",
    "cancel": "All right, nothing was changed.",
    "greeting": "Hello! Tell me what to remember, or ask about a table, a metric that moved, or your sources.",
    "thanks": "You're welcome.",
    "bye": "Goodbye. Your tasks stay where they are.",
    "repeat": "Please say what you would like to see again, for example 'show my tasks'.",
}
