"""A message that puts right what the turn before did or asked: what was meant instead.

What was done wrongly is taken back and done to what was meant, in one plan; a new task's words are changed in place.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

from averment.agents.assistant.decision import Decision
from averment.agents.assistant.dialogue import ShownItem
from averment.agents.assistant.plan import plan
from averment.agents.assistant.pointing import point
from averment.agents.assistant.reading.act import Act
from averment.agents.assistant.reading.message import MessageReading
from averment.agents.assistant.reading.task_splitting import VERBS
from averment.agents.assistant.reading.when import value_of
from averment.agents.assistant.scene import ActScene, act_of
from averment.language.word_lists import patterns

MOST_WORDS = 14
NEAR = 0.66
"""How alike a word of a title and the word that was meant are written where it was a slip."""
_LEAD = re.compile(r"^[^:]{1,30}:\s+(?=\S)")
_THESE = re.compile(r"^(?:to |that |it |it's |the task |for )?(?P<rest>.+)$", re.IGNORECASE | re.DOTALL)
_PRONOUN = re.compile(r"^(?:it|that|this|them|that one|this one)$", re.IGNORECASE)
_PATTERNS = patterns("corrections", "averment.agents.assistant")
_NUMBER = re.compile(_PATTERNS["number"], re.IGNORECASE)


def correct(reading: MessageReading, scene: ActScene, undoable: Sequence[str]) -> Decision | None:
    """What a correction of the last act comes to; None where there is nothing it could correct.

    ``undoable`` are the keys of the last turn's acts.
    """
    last = scene.dialogue.last_act
    focus = [task for task in scene.tasks if task.task_id in scene.dialogue.focus]
    if reading.acts:
        return _other_act(reading.acts, last, scene, undoable)
    if reading.meant is None:
        return None
    meant = reading.meant.strip()
    value = _value(meant, focus, scene)
    if value is not None:
        return value
    if last is None or len(meant.split()) > MOST_WORDS or reading.is_question:
        return None
    named = reading.replaced is not None and len(focus) == 1 and _holds(focus[0].title, reading.replaced)
    if named or last["verb"] == "add" or (last["verb"] == "update" and "title" in last["fields"]):
        return _reworded(reading, focus, scene, undoable, last)
    found = point(meant, str(last["verb"]), scene.dialogue, scene.tasks, scene.now)
    if found.outcome == "unknown":
        return None
    ids = {task.task_id for task in focus}
    if found.outcome == "tasks" and {task.task_id for task in found.tasks} == ids:
        return None
    return plan([act_of(last, meant)], scene, undoes=undoable)


def _other_act(
    acts: Sequence[Act], last: dict[str, Any] | None, scene: ActScene, undoable: Sequence[str]
) -> Decision | None:
    """Another act than the one done: what was done is taken back first, where the words are about the same task."""
    same = len(acts) == 1 and last is not None and acts[0].verb != "undo" and not acts[0].told and not acts[0].negated
    if (
        same
        and last is not None
        and last["verb"] in {"complete", "delete", "reopen"}
        and acts[0].verb in {"complete", "delete"}
    ):
        other = acts[0].verb == last["verb"] or _PRONOUN.match(acts[0].target)
        return plan(acts, scene, undoes=undoable if other else ())
    return plan(acts, scene)


def _value(meant: str, focus: Sequence[ShownItem], scene: ActScene) -> Decision | None:
    """A new time or urgency for what was spoken of; a number for the one number of its title."""
    if len(focus) != 1:
        return None
    task = focus[0]
    found = _THESE.match(meant)
    words = found.group("rest") if found else meant
    if value_of(words, scene.wall, due=task.due):
        return plan([Act("update", task.title, wanted={"value": words})], scene)
    numbers = list(_NUMBER.finditer(task.title))
    if _NUMBER.fullmatch(words) and len(numbers) == 1:
        title = f"{task.title[: numbers[0].start()]}{words}{task.title[numbers[0].end() :]}"
        return plan([Act("update", task.title, fields={"title": title})], scene)
    return None


def _holds(title: str, words: str) -> bool:
    """Whether a title holds words as whole words."""
    return re.search(rf"\b{re.escape(words.strip())}\b", title, re.IGNORECASE) is not None


def _reworded(
    reading: MessageReading, focus: Sequence[ShownItem], scene: ActScene, undoable: Sequence[str], last: dict[str, Any]
) -> Decision | None:
    """New words for the task that was just added or renamed."""
    if len(focus) != 1 or reading.meant is None:
        return None
    task, title = focus[0], reading.meant.strip().strip("'\"")
    if reading.replaced is not None:
        if not _holds(task.title, reading.replaced):
            return None
        old = re.compile(rf"\b{re.escape(reading.replaced.strip())}\b", re.IGNORECASE)
        title = old.sub(lambda _: title, task.title)
    elif (
        point(
            title,
            "update",
            scene.dialogue,
            [other for other in scene.tasks if other.task_id != task.task_id],
            scene.now,
        ).outcome
        == "tasks"
    ):
        if last["verb"] == "update":
            return plan([act_of(last, title)], scene, undoes=undoable)
        return None
    else:
        corrected = _in_title(_LEAD.sub("", title), task.title)
        if corrected is None:
            return plan([Act("update", task.title, fields={"title": _LEAD.sub("", title)}, sure=False)], scene)
        title = corrected
    return plan([Act("update", task.title, fields={"title": title})], scene)


def _in_title(new: str, old: str) -> str | None:
    """The title with what was meant in it: as a whole, for a slip of the hand, a name for a name, or its object.

    None where a few words stand against a longer title and nothing says for which part of it.
    """
    words, said = old.split(), new.split()
    if not said or said[0].casefold() in VERBS or len(said) >= len(words):
        return new
    if len(said) == 1:
        alike = [difflib.SequenceMatcher(None, word.casefold(), new.casefold()).ratio() for word in words]
        if max(alike) >= NEAR:
            return " ".join(new if at == alike.index(max(alike)) else word for at, word in enumerate(words))
        names = [at for at, word in enumerate(words) if at and word[:1].isupper()]
        if new[:1].isupper() and len(names) == 1:
            return " ".join(new if at == names[0] else word for at, word in enumerate(words))
    return f"{words[0]} {new}" if len(words) == 2 and words[0].casefold() in VERBS else None
