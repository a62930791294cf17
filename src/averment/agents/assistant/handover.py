"""Where a message about data goes: to whom the conversation's files are for, leaning on the run before.

The message is offered to the analyst by what is at hand (files, a run), never by a list of words; what the analyst
cannot place comes back as its own question, or goes on to the researcher where documents are at hand too. How a
follow-up is handed over is said here and nowhere else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.data_questions import goes_on, questions_in, worded
from averment.agents.assistant.decision import Decision
from averment.agents.assistant.understand import GUESS, ParsedMessage
from averment.language.intents.vocabulary import MOVE
from averment.language.periods import find_periods
from averment.language.word_lists import patterns
from averment.records.base import utc_now

if TYPE_CHECKING:
    from averment.agents.assistant.dialogue import Dialogue

SHORTEST = 10
"""A question for documents has at least so many characters."""
_POINTS_BACK = re.compile(r"\b(?:it|they|them|that|this|those|these|sure|certain|evidence|sources?)\b", re.IGNORECASE)
_TALK = frozenset({"greeting", "thanks", "bye", "help", "affirm", "deny", "cancel"})
_PATTERNS = patterns("handover", "averment.agents.assistant")
_ASKS_WHY = re.compile(_PATTERNS["asks_why"], re.IGNORECASE)
_EXTREME = re.compile(_PATTERNS["extreme"], re.IGNORECASE)
_OTHER_SUBJECT = re.compile(r"\b(?:you|your|I|my|we|our)\b", re.IGNORECASE)


def offered(heard: ParsedMessage, dialogue: Dialogue) -> bool:
    """Whether a message that asks for nothing of the tasks is offered to the analyst first."""
    if heard.intent == "acts":  # A model heard what is to be done to the tasks.
        return False
    if not (dialogue.sources or dialogue.documents) or (heard.by == "plain words" and heard.intent in _TALK):
        return False
    return heard.intent not in {"drill", "research"} or heard.confidence < GUESS


def hand_over(heard: ParsedMessage, dialogue: Dialogue) -> Decision:
    """The question for the analyst; after a run of it, as one that may lean on that run."""
    if not dialogue.sources:
        return _to_documents(heard, dialogue)
    first, *others = questions_in(heard.text)
    asked: dict[str, Any] = {
        "question": worded(first, follows=dialogue.last_kind == "analysis"),
        "sources": list(dialogue.sources),
    }
    if others:
        asked["then_ask"] = [worded(each, follows=True) for each in others]
    if dialogue.documents and len(heard.text) >= SHORTEST:
        asked["documents"] = True
    if dialogue.last_run is None or (others and not goes_on(first)):
        return Decision("route", more={"tool": "analyze", **asked})
    if dialogue.last_kind == "analysis":
        return Decision("route", more={"tool": "analyze", "after": dialogue.leans_on or dialogue.last_run, **asked})
    return Decision("route", more={"tool": "ask_run", "run_id": dialogue.last_run, "instead": True, **asked})


def _to_documents(heard: ParsedMessage, dialogue: Dialogue) -> Decision:
    """A question where only documents are at hand: for the researcher, after the research before it was asked."""
    asked: dict[str, Any] = {"question": heard.text}
    if len(heard.text) < SHORTEST:
        return Decision("say", words="Please ask that as a whole question.", more={"asked_back": True})
    if dialogue.last_run is not None and dialogue.last_kind == "research" and _POINTS_BACK.search(heard.text):
        return Decision("route", more={"tool": "ask_run", "run_id": dialogue.last_run, "documents": True, **asked})
    return Decision("route", more={"tool": "research", **asked})


def starts_drill(heard: ParsedMessage, dialogue: Dialogue) -> bool:
    """Whether a message asks why the last result moved: it asks for a cause, and names a move or a time."""
    if not dialogue.sources or dialogue.last_result is None:
        return False
    if not _ASKS_WHY.match(heard.text) or _OTHER_SUBJECT.search(heard.text):
        return False
    return bool(
        MOVE.search(heard.text) or _EXTREME.search(heard.text) or find_periods(heard.text, anchor=utc_now().date())
    )


def drill_into(heard: ParsedMessage, dialogue: Dialogue) -> Decision:
    """The question for the driller, with the series that it speaks of."""
    asked = {"question": heard.text, "sources": list(dialogue.sources), "after": dialogue.last_result}
    return Decision("route", more={"tool": "drill", **asked})
