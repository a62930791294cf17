"""Whether a message after an analysis is for its tables: it leaves out what was just asked, or names a column.

What it means is for the analyst to say, who reads it as a change of the plan before, and asks where it is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from averment.language.tokens import content_words, split_words
from averment.language.word_lists import patterns

MOST_WORDS = 6
"""A message that leaves out what was asked before is no longer than this."""

_PATTERNS = patterns("leaning", "averment.agents.assistant")
_OPENING = re.compile(_PATTERNS["opening"], re.IGNORECASE)
_PART = re.compile(_PATTERNS["part"], re.IGNORECASE)
_OF_ROWS = re.compile(_PATTERNS["of_rows"], re.IGNORECASE)
_ASKS = re.compile(r"\b(?:what|which|who|why|when|where|how|is|are|was|were|does|do|did|can|could|will)\b", re.I)
_NOTHING = re.compile(r"^(?:that|this|it|them|why|ok(?:ay)?)?[\s?.!]*$", re.IGNORECASE)


def leans_on(message: str) -> bool:
    """Whether a message gives one part of a question anew and leaves out the rest."""
    said = message.strip()
    if _OF_ROWS.match(said) and len(said.split()) <= MOST_WORDS:
        return True
    opened = _OPENING.match(said)
    rest = said[opened.end() :] if opened else said
    if _NOTHING.match(rest) or len(rest.split()) > MOST_WORDS or _ASKS.search(rest):
        return False
    return opened is not None or bool(_PART.match(rest))


def names_column(message: str, columns: Sequence[str]) -> bool:
    """Whether a message speaks of a column of the tables that were asked."""
    said = {word.stem for word in content_words(message)}
    return any({word.stem for word in split_words(name)} <= said for name in columns)
