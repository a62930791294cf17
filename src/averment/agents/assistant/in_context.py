"""What a message means after what was just said: the answer that was waited for, or words that name a shown task.

Here the dialogue decides where the words alone do not: "change eggs to a dozen eggs" is about a playlist anywhere but
under a list that holds eggs. What is only likely is given a confidence at which the user is asked.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.entities import edit_of, new_tasks
from averment.agents.assistant.several import VERBS
from averment.agents.assistant.understand import GUESS, SURE, Heard, yes_or_no
from averment.language.intents.cues import cues
from averment.language.references import Listed, resolve

if TYPE_CHECKING:
    from averment.agents.assistant.dialogue import Dialogue

LIKELY = 0.89
"""As sure as a guess by context is: the user is asked."""

MOST_WORDS = 12
_NO_TO_DO = frozenset("show tell help stop wait drop delete remove erase scrap cancel".split())
"""Verbs that speak to the assistant: what begins with them is nothing to be kept."""
_COMMANDS = frozenset({"create", "list", "update", "complete", "delete", "undo", "help"})
_TO_DO = re.compile(
    r"^(?:and |also |oh |ok(?:ay)?,? )*(?:i(?:'ve)? (?:need|have|got|must|ought|should|gotta)(?: to)?|don't forget to|"
    r"must|need to|have to|gotta)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"^(?:(?:and|also|oh|ok(?:ay)?|then|plus)[, ]+)+", re.IGNORECASE)


def in_context(heard: Heard, dialogue: Dialogue) -> Heard:
    """The message as the dialogue makes it out; where it does not, as it was heard."""
    awaited = _awaited(heard, dialogue)
    if awaited is not None:
        return awaited
    if heard.intent in _COMMANDS and heard.confidence >= SURE:
        return heard
    named = _about_shown(heard, dialogue)
    if named is not None:
        return named
    return _to_do(heard) or heard


def _awaited(heard: Heard, dialogue: Dialogue) -> Heard | None:
    """The words that were asked for: what a task is to say."""
    wanted = dialogue.awaited
    if wanted is None or yes_or_no(heard.text) is not None:
        return None
    if heard.by == "plain words" or (heard.intent in {"list", "undo", "help", "delete"} and heard.confidence >= SURE):
        return None
    words = heard.text.strip().strip("'\"").strip()
    if wanted["intent"] == "create":
        made = [{"title": task.title, "description": task.description} for task in new_tasks(heard.text).tasks]
        return Heard("create", SURE, heard.text, {"tasks": made}, by="asked for") if made else None
    entities: dict[str, Any] = {"task_ids": list(wanted["task_ids"]), "title": words[:255], "description": None}
    return Heard("update", SURE, heard.text, entities, by="asked for")


def _about_shown(heard: Heard, dialogue: Dialogue) -> Heard | None:
    """A change or an end of a task that was shown and that the words name."""
    if not dialogue.shown:
        return None
    listed = [Listed(at, line.title) for at, line in enumerate(dialogue.shown, start=1)]
    focus = [at for at, line in enumerate(dialogue.shown, start=1) if line.task_id in dialogue.focus]
    edit = edit_of(heard.text)
    if edit is not None:
        found = resolve(edit.target, listed, focus=focus)
        if found.outcome == "resolved" and len(found.positions) == 1:
            kept = {"target": edit.target, "title": edit.title, "description": edit.description}
            return Heard("update", max(heard.confidence, LIKELY) if found.by == "place" else SURE, heard.text, kept)
    if cues(heard.text) & {"did", "complete"}:
        found = resolve(heard.text, listed, focus=focus)
        if found.outcome == "resolved" and found.by == "name":
            return Heard("complete", LIKELY, heard.text, by="dialogue")
    return None


def _to_do(heard: Heard) -> Heard | None:
    """Something to do, said as such; whether it is to be kept is for the user to say."""
    said = _AND.sub("", heard.text.strip())
    if heard.intent not in {"other", "create"} and heard.confidence >= GUESS:
        return None
    if said.endswith("?") or len(said.split()) > MOST_WORDS or heard.words:
        return None
    if not _TO_DO.match(said) and said.split()[0].casefold() not in VERBS - _NO_TO_DO:
        return None
    made = [{"title": task.title, "description": task.description} for task in new_tasks(said).tasks]
    if not made:
        return None
    return replace(heard, intent="create", confidence=LIKELY, entities={"tasks": made}, by=f"{heard.by}, to do")
