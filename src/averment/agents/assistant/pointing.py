"""Which of the user's tasks words mean: by place, by name, by what was spoken of, all of a kind, all but some."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from averment.agents.assistant.dialogue import Dialogue, ShownItem
from averment.agents.assistant.reading.commands import DONE
from averment.language.references.resolve import ListedItem, Reference, content_of, resolve
from averment.language.word_lists import patterns

_KIND = r"(?:tasks?|todos?|to-?dos?|items?|reminders?|ones?|things?|entries|lists?|stuff|errands|todo list|task list)"
_ALL = re.compile(
    "^(?:(?:absolutely |literally )?(?:all|everything|every|each|the (?:whole|entire|full) (?:list|"
    "lot)|(?:my|the)(?: whole| entire| full)? (?:list|tasks|todos|todo list|task list|reminders))"
    rf"(?: (?:of )?(?:my|the|them|these|those|it))*(?: single)?(?: {_KIND})*(?: (?:on|in|from) (?:my|"
    r"the) (?:\w+ )?list)?)$",
    re.IGNORECASE,
)
_PATTERNS = patterns("pointing", "averment.agents.assistant")
_EXCEPT = re.compile(_PATTERNS["except"], re.IGNORECASE)
_STATUS = re.compile(
    "^(?:all |every |any )?(?:of )?(?:the |my |those |these )*(?:that are |which are |that's |"
    rf"already )?(?P<status>{DONE}|pending|open|unfinished|incomplete|overdue|urgent|important)(?: "
    rf"{_KIND})?$"
    "|^(?:all|everything|every task|all tasks|tasks|the tasks|the ones|ones)(?: of (?:them|those))? "
    rf"(?:that|which|i)(?:'s| is| are|'ve| have)? (?:already |been )?(?P<status2>{DONE}|pending|open|"
    "overdue|urgent)$",
    re.IGNORECASE,
)
_GROUP = re.compile(
    rf"^(?P<many>all|both|every|each)(?: of)?(?: the| my| these| those)* (?P<name>.+?)(?: {_KIND})?$", re.IGNORECASE
)
_OPEN_FIRST = frozenset({"complete", "update", "delete", "look"})


@dataclass(frozen=True, slots=True)
class TaskMatch:
    """The tasks that words mean; or several to choose from; or a place that is not there.

    ``unseen`` says that a place was counted in a list that the user has not been shown.
    """

    outcome: Literal["tasks", "choose", "missing", "unknown", "none"]
    tasks: tuple[ShownItem, ...] = ()
    missing: tuple[int, ...] = ()
    shown: int = 0
    unseen: bool = False
    exact: bool = True
    status: str | None = None


UNKNOWN = TaskMatch("unknown")
_REMINDER = re.compile(_PATTERNS["reminder"], re.IGNORECASE)
"""A task spoken of by what it does: "the reminder for John" is the John task, "the reminder" the one at hand."""


def point(words: str, verb: str, dialogue: Dialogue, tasks: Sequence[ShownItem], now: datetime) -> TaskMatch:
    """What the words mean; the list the user saw counts while it is fresh, else the tasks by their names."""
    plain = re.sub(r"\s+(?:instead|too|as well|again)$", "", words.strip(" ?.!\"'"), flags=re.IGNORECASE)
    plain = _REMINDER.sub("", plain) or "it"
    for text in dict.fromkeys((plain, re.sub(r"^(?:the|my|that|this|those) ", "", plain, flags=re.IGNORECASE))):
        same = [task for task in tasks if task.title.casefold() == text.casefold()]
        if len(same) == 1:
            return TaskMatch("tasks", tuple(same))
    out = _EXCEPT.match(plain)
    if out is not None:
        return _but(out, verb, dialogue, tasks, now)
    kind = _of_kind(plain, verb, dialogue, tasks, now)
    if kind is not None:
        return kind
    found = _one_by_one(plain, verb, dialogue, tasks, now)
    shorter = re.sub(r"^(?:that|this|those|these) (?=\w)", "the ", plain, flags=re.IGNORECASE)
    if found.outcome == "unknown" and shorter != plain:
        return _one_by_one(shorter, verb, dialogue, tasks, now)
    return found


def _of_kind(words: str, verb: str, dialogue: Dialogue, tasks: Sequence[ShownItem], now: datetime) -> TaskMatch | None:
    """All tasks, all of a status, or all that a name fits."""
    if _ALL.match(words):
        if re.search(r"\bthem|those|these\b", words, re.IGNORECASE) and dialogue.focus and len(dialogue.focus) > 1:
            return None
        meant = [task for task in tasks if verb not in {"complete"} or task.status == "pending"]
        return TaskMatch("tasks" if meant else "none", tuple(meant))
    found = _STATUS.match(words)
    if found is not None:
        said = (found.group("status") or found.group("status2")).casefold()
        return _by_state(said, tasks, now)
    group = _GROUP.match(words)
    if group is not None and not re.fullmatch(
        r"(?:of )?(?:them|those|these|it|that|\d+|two|three)", group.group("name"), re.IGNORECASE
    ):
        wanted = content_of(group.group("name"))
        meant = [task for task in _usable(tasks, verb) if wanted and wanted <= content_of(task.title)]
        if meant and (group.group("many").casefold() != "both" or len(meant) == 2):
            return TaskMatch("tasks", tuple(meant))
    return None


def _by_state(said: str, tasks: Sequence[ShownItem], now: datetime) -> TaskMatch:
    if said in {"urgent", "important"}:
        meant, status = [task for task in tasks if task.priority == "high"], "urgent"
    elif said == "overdue":
        today = now.astimezone().date().isoformat()
        meant, status = (
            [task for task in tasks if task.status == "pending" and task.due and task.due[:10] < today],
            "overdue",
        )
    else:
        status = "pending" if said in {"pending", "open", "unfinished", "incomplete"} else "completed"
        meant = [task for task in tasks if task.status == status]
    return TaskMatch("tasks" if meant else "none", tuple(meant), status=status)


def _but(found: re.Match[str], verb: str, dialogue: Dialogue, tasks: Sequence[ShownItem], now: datetime) -> TaskMatch:
    """All but some: both halves must be understood."""
    base = point(found.group("all") or "everything", verb, dialogue, tasks, now)
    left = found.group("out")
    out = [point(part, "look", dialogue, tasks, now) for part in _parts(left)]
    whole = point(left, "look", dialogue, tasks, now)
    outs = [whole] if whole.outcome == "tasks" else out
    if base.outcome != "tasks" or any(one.outcome != "tasks" for one in outs):
        return next((one for one in (base, *outs) if one.outcome != "tasks"), UNKNOWN)
    gone = {task.task_id for one in outs for task in one.tasks}
    kept = tuple(task for task in base.tasks if task.task_id not in gone)
    return TaskMatch("tasks" if kept else "none", kept)


def _parts(words: str) -> list[str]:
    return [part.strip() for part in re.split(r",|\band\b|&", words, flags=re.IGNORECASE) if part.strip()]


def _one_by_one(words: str, verb: str, dialogue: Dialogue, tasks: Sequence[ShownItem], now: datetime) -> TaskMatch:
    fresh = bool(dialogue.shown) and dialogue.is_fresh(now)
    if fresh:
        focus = [at for at, line in enumerate(dialogue.shown, start=1) if line.task_id in dialogue.focus]
        found = resolve(words, listed(dialogue.shown), focus=focus)
        named = _taken(found, dialogue.shown, verb, tasks)
        if named is not None and not (found.by == "pronoun" and dialogue.focus and not focus):
            return named
    focus = [at for at, line in enumerate(tasks, start=1) if line.task_id in dialogue.focus]
    found = resolve(words, listed(tasks), focus=focus)
    named = _taken(found, tasks, verb, tasks)
    if named is None:
        return UNKNOWN
    return (
        named
        if found.by in {"name", "pronoun"} or fresh
        else TaskMatch(named.outcome, named.tasks, named.missing, named.shown, unseen=True)
    )


def _taken(found: Reference, lines: Sequence[ShownItem], verb: str, tasks: Sequence[ShownItem]) -> TaskMatch | None:
    if found.outcome == "unknown":
        return None
    if found.outcome == "out_of_range":
        return TaskMatch("missing", missing=found.missing, shown=len(lines))
    meant = tuple(lines[position - 1] for position in found.positions)
    if found.outcome == "ambiguous":
        usable = _usable([_now(line, tasks) for line in meant], verb)
        if len(usable) == 1 and found.by == "name":
            return TaskMatch("tasks", tuple(usable), exact=False)
        return TaskMatch("choose", meant)
    return TaskMatch("tasks", meant)


def _usable(tasks: Sequence[ShownItem], verb: str) -> list[ShownItem]:
    """The tasks that an act can be meant for, where some can: what is done is not completed again."""
    wanted = "completed" if verb == "reopen" else "pending" if verb in _OPEN_FIRST else None
    kept = [task for task in tasks if wanted is None or task.status == wanted]
    return kept or list(tasks)


def _now(line: ShownItem, tasks: Sequence[ShownItem]) -> ShownItem:
    return next((task for task in tasks if task.task_id == line.task_id), line)


def listed(lines: Sequence[ShownItem]) -> list[ListedItem]:
    """Tasks as the reader of references takes them."""
    return [ListedItem(position, line.title) for position, line in enumerate(lines, start=1)]


def deed_done(words: str, tasks: Sequence[ShownItem]) -> tuple[ShownItem, ...]:
    """The open tasks that a deed in the past was: those whose title it says, else those it says a part of.

    The first is surely meant where it is the only one; the caller asks otherwise.
    """
    said = content_of(words)
    pending = [task for task in tasks if task.status == "pending"]
    whole = [task for task in pending if content_of(task.title) and content_of(task.title) <= said]
    if whole:
        longest = max(len(content_of(task.title)) for task in whole)
        return tuple(task for task in whole if len(content_of(task.title)) == longest)
    return tuple(task for task in pending if said and len(said) > 1 and said <= content_of(task.title))
