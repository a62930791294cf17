"""Understanding with a model: where the rules are not sure, a model proposes a reading, and the rails stay as they are.

A proposal is words about the message, never an act: titles and targets must be the message's own words, targets are
resolved against the list the user saw, and whatever would change a task on a model's word alone is asked about first.
When the model fails or makes things up, the rules' reading stands.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from averment.agents.assistant.understand import SURE, Heard
from averment.errors import ModelNonsense
from averment.llm import Proposer, render, with_fallback

UNSURE = 0.89
"""As sure as a model's word alone can be: under the line at which anything is changed unasked."""

TRUSTED = 0.97
"""What the rules heard this surely, no model is asked about."""

CHANGES = frozenset({"create", "update", "complete", "delete", "undo"})
_WORD = re.compile(r"[^\W_]+", re.UNICODE)
_CLAIMS = re.compile(r"\d|\b(?:added|delet\w*|remov\w*|complet\w*|updat\w*|chang\w*|done|finish\w*|cancel\w*)\b", re.I)

Intent = Literal[
    "create", "list", "update", "complete", "delete", "undo", "analyze", "drill", "research", "help", "other"
]


class ProposedReading(BaseModel):
    """A model's reading of one message."""

    model_config = ConfigDict(extra="forbid")

    intent: Intent
    confidence: float = Field(ge=0, le=1)
    titles: list[str] = Field(default=[], max_length=20, description="For create: the new tasks, one title each.")
    target: str | None = Field(default=None, max_length=300, description="The message's words for the tasks it means.")
    new_title: str | None = Field(default=None, max_length=255, description="For update.")
    new_description: str | None = Field(default=None, max_length=1000, description="For update.")
    status: Literal["pending", "completed"] | None = Field(default=None, description="For list.")
    reply: str | None = Field(default=None, max_length=500, description="For other: a short friendly reply.")


class ModelListener:
    """Hears with a model what the rules are not sure of."""

    def __init__(self, proposer: Callable[[], Proposer]) -> None:
        """``proposer`` gives a line to the model with a budget of its own, for one message."""
        self._proposer = proposer

    def hear(self, text: str, heard: Heard) -> Heard:
        """The rules' reading where it is sure, else the model's under the rails, else the rules' after all."""
        if heard.confidence >= TRUSTED and heard.intent != "other":
            return heard
        codes: list[str] = []
        found = with_fallback(
            lambda: self._propose(text, heard),
            lambda: heard,
            lambda note: codes.append(note.code),
            purpose="understand",
        )
        return found if not codes else _by(heard, f"{heard.by}, no model: {codes[0]}")

    def _propose(self, text: str, heard: Heard) -> Heard:
        prompt = render("understand_message", message=text)
        read = self._proposer().propose(
            ProposedReading, purpose="understand", system=prompt.system, prompt=prompt.prompt
        )
        _check_grounded(read, text)
        entities = _entities(read)
        confidence = read.confidence
        if read.intent in CHANGES:
            agreed = read.intent == heard.intent and heard.confidence >= SURE
            confidence = heard.confidence if agreed else min(confidence, UNSURE)
            if agreed and heard.entities:
                entities = {**entities, **{name: value for name, value in heard.entities.items() if value}}
        words = read.reply if read.intent == "other" and read.reply and not _CLAIMS.search(read.reply) else ""
        return Heard(read.intent, confidence, text, entities, ((heard.intent, heard.confidence),), "model", words)


def _check_grounded(read: ProposedReading, text: str) -> None:
    """Refuse a reading that speaks of what the message does not.

    Raises:
        ModelNonsense: a title or a target has words that are not the message's.
    """
    said = {word.casefold() for word in _WORD.findall(text)}
    given = [*read.titles, read.target or "", read.new_title or "", read.new_description or ""]
    for words in given:
        if not {word.casefold() for word in _WORD.findall(words)} <= said:
            raise ModelNonsense("The model spoke of what the message does not say.")
    if read.intent in {"complete", "delete", "update"} and not _WORD.findall(read.target or ""):
        raise ModelNonsense("The model named no task.")


def _entities(read: ProposedReading) -> dict[str, Any]:
    if read.intent == "create":
        titles = [title.strip() for title in read.titles if title.strip()]
        return {"tasks": [{"title": title[:255], "description": None} for title in titles]}
    if read.intent == "list":
        return {"status": read.status}
    if read.intent == "update":
        return {"target": read.target, "title": read.new_title, "description": read.new_description}
    return {"target": read.target} if read.target else {}


def _by(heard: Heard, by: str) -> Heard:
    return Heard(heard.intent, heard.confidence, heard.text, heard.entities, heard.alternatives, by, heard.words)
