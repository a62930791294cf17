"""Whether a message is about a run that has been made: its report is asked before anything new is begun.

A message that changes or lists tasks never is, whatever words it shares with a report. Where it only may be one, the
run is asked, and what the assistant would have said otherwise is said if the run has no answer.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from averment.agents.assistant.understand import GUESS, SURE, ParsedMessage
from averment.language.periods import find_periods
from averment.language.word_lists import patterns
from averment.records.base import utc_now

if TYPE_CHECKING:
    from averment.agents.assistant.dialogue import Dialogue

RUN_TOOLS = frozenset({"analyze", "drill", "research", "ask_run", "show"})
"""After these the talk is about a run."""

SHORT = 3
"""A message of so few words may name only what is to be different."""

_ABOUT_TASKS = frozenset({"create", "list", "update", "complete", "delete", "undo", "acts"})
_PATTERNS = patterns("about_run", "averment.agents.assistant")
_RUN = re.compile(_PATTERNS["run"], re.IGNORECASE)
_SESSION = re.compile(r"\bsession\s+([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b", re.IGNORECASE)
_ABOUT = re.compile(_PATTERNS["about"], re.IGNORECASE)
_LEANS = re.compile(_PATTERNS["leans"], re.IGNORECASE)
_OF_ROWS = re.compile(_PATTERNS["of_rows"], re.IGNORECASE)
_POINTS_BACK = re.compile(r"\b(?:it|they|them|that|this|those|these)\b", re.IGNORECASE)
_GOES_ON = re.compile(r"^(?:and |but |so |ok(?:ay)?,? )*(?:what|how) about\b", re.IGNORECASE)
_ASKS = re.compile(_PATTERNS["asks"], re.IGNORECASE)


def followed_up(heard: ParsedMessage, dialogue: Dialogue) -> ParsedMessage:
    """The message as a question about a run, where it is one; else as it was heard."""
    named = _RUN.search(heard.text)
    session = _SESSION.search(heard.text)
    if named is not None or session is not None:
        if heard.intent in _ABOUT_TASKS and heard.confidence >= SURE:
            return heard
        about = {} if named is None else {"run_id": named.group(1)}
        more = {} if session is None else {"session_id": session.group(1)}
        return _asking(heard, {**about, **more}, surely=True)
    if dialogue.last_run is None:
        return heard
    about = {"run_id": dialogue.last_run}
    leaning = _leaning(heard, dialogue)
    if heard.intent in _ABOUT_TASKS and heard.confidence >= GUESS:
        return heard if leaning is None else _asking(heard, {**about, **leaning}, surely=False)
    if _ABOUT.search(heard.text):
        return _asking(heard, about, surely=True)
    if heard.intent == "drill" and dialogue.last_kind == "drilldown" and not _names_time(heard.text):
        return _asking(heard, about, surely=True)
    if heard.intent == "research" and dialogue.last_kind == "research" and _POINTS_BACK.search(heard.text):
        return _asking(heard, about, surely=True)
    if leaning is not None:
        return _asking(heard, {**about, **leaning}, surely=False)
    unclear = heard.intent == "other" or heard.confidence < GUESS
    if unclear and dialogue.last_tool in RUN_TOOLS and _ASKS.search(heard.text):
        return _asking(heard, about, surely=bool(_GOES_ON.match(heard.text)))
    return heard


def _leaning(heard: ParsedMessage, dialogue: Dialogue) -> dict[str, Any] | None:
    """How a message that may lean on the analysis before it is asked of that run; None where it does not.

    One that is for the tasks must begin as only such a message does, and not be surely theirs: asking changes nothing.
    """
    if dialogue.last_kind != "analysis" or not dialogue.sources or dialogue.last_tool not in RUN_TOOLS:
        return None
    begins = bool(_LEANS.match(heard.text))
    if heard.intent in _ABOUT_TASKS and heard.confidence >= GUESS:
        surely_theirs = heard.confidence >= SURE or heard.by == "plain words"
        return {"leans": True} if begins and not surely_theirs else None
    if heard.intent == "analyze" and heard.confidence >= GUESS:
        hangs = begins or bool(_OF_ROWS.search(heard.text)) or len(heard.text.split()) <= SHORT
        return {"leans": True, "after": True} if hangs else None
    unclear = heard.intent == "other" or heard.confidence < GUESS
    if unclear and (begins or _ASKS.search(heard.text) or len(heard.text.split()) <= SHORT):
        return {"leans": True}
    return None


def _asking(heard: ParsedMessage, about: dict[str, Any], *, surely: bool) -> ParsedMessage:
    others = ((heard.intent, heard.confidence), *heard.alternatives)
    return ParsedMessage(
        "ask", max(heard.confidence, SURE), heard.text, {**about, "surely": surely}, others, "dialogue"
    )


def _names_time(text: str) -> bool:
    return any(found.start and found.end for found in find_periods(text, anchor=utc_now().date()))
