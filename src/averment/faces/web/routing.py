"""Who answers what is asked in the ask box: the assistant's understanding, and what came with the question."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from averment.archive import Archive

Agent = Literal["analyst", "driller", "researcher", "assistant"]
AGENTS: tuple[Agent, ...] = get_args(Agent)
FEWEST_LETTERS = 10
"""A research asks at least so much."""
TALK = frozenset({"create", "list", "update", "complete", "delete", "undo", "help"})
SURE = 0.9
ASKING = ("what", "when", "where", "who", "which", "why", "how", "is ", "are ", "was ", "were ", "did ", "does ", "do ")
WORDS: dict[Agent, str] = {
    "analyst": "numbers from tables",
    "driller": "why a metric moved",
    "researcher": "what the sources say",
    "assistant": "talk and tasks",
}


@dataclass(frozen=True)
class Route:
    """Who answers, and why it was thought so."""

    agent: Agent
    why: str


def route(archive: Archive, question: str, *, tables: bool, documents: bool) -> Route:
    """The agent that fits the question and the files that came with it."""
    said = question.strip()
    heard = archive.hear(said) if said else None
    intent = "" if heard is None else heard.intent
    if documents and not tables:
        return Route("researcher", "documents came with it")
    if tables:
        if intent == "drill":
            return Route("driller", "it asks why something moved")
        if intent in TALK and heard is not None and heard.confidence >= SURE and intent != "list":
            return Route("assistant", "it is about your tasks")
        return Route("analyst", "a table came with it")
    if intent == "research":
        return Route("researcher", "it asks what sources say")
    if intent == "drill":
        return Route("driller", "it asks why something moved")
    if intent == "analyze":
        return Route("analyst", "it asks for numbers of a table")
    is_question = said.endswith("?") or said.casefold().startswith(ASKING)
    if intent == "other" and is_question and len(said) >= FEWEST_LETTERS and archive.has_documents():
        return Route("researcher", "it is a question and there are sources")
    return Route("assistant", "it is about your tasks" if intent in TALK else "it is something to talk about")
