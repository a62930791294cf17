"""Where a message about data goes: to the analyst with the conversation's files, leaning on the run before.

The message is offered to the analyst by what is at hand (files, a run), never by a list of words; what the analyst
cannot place comes back as its own question. How a follow-up is handed over is said here and nowhere else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.decision import Decision
from averment.agents.assistant.understand import GUESS, SURE, Heard

if TYPE_CHECKING:
    from averment.agents.assistant.dialogue import Dialogue

_TALK = frozenset({"greeting", "thanks", "bye", "help", "affirm", "deny", "cancel"})
_MOVED = re.compile(
    r"^(?:and |but |so |ok(?:ay)?,? )*(?:why|what (?:caused|explains|drove|is behind|happened)|how come|explain why)\b",
    re.IGNORECASE,
)


def offered(heard: Heard, dialogue: Dialogue) -> bool:
    """Whether a message that asks for nothing of the tasks is offered to the analyst first."""
    if heard.intent == "acts":  # A model heard what is to be done to the tasks.
        return False
    if not dialogue.sources or (heard.by == "plain words" and heard.intent in _TALK):
        return False
    return heard.intent not in {"drill", "research"} or heard.confidence < GUESS


def hand_over(heard: Heard, dialogue: Dialogue) -> Decision:
    """The question for the analyst; after a run of it, as one that may lean on that run."""
    asked: dict[str, Any] = {"question": heard.text, "sources": list(dialogue.sources)}
    if dialogue.last_run is not None:
        within = {"within": "result"} if dialogue.last_kind == "analysis" else {}
        return Decision(
            "route", more={"tool": "ask_run", "run_id": dialogue.last_run, "instead": True, **within, **asked}
        )
    return Decision("route", more={"tool": "analyze", **asked})


def starts_drill(heard: Heard, dialogue: Dialogue) -> bool:
    """Whether a message asks why the last result moved."""
    return bool(dialogue.sources and dialogue.last_kind == "analysis" and _MOVED.match(heard.text))


__all__ = ["SURE", "hand_over", "offered", "starts_drill"]
