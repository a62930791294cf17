"""The kinds of question that an investigation is asked, each a class of words; and words that name nothing in it."""

from __future__ import annotations

import re

from averment.language.word_lists import word_lists

_LISTS = word_lists("kinds", "averment.agents.driller")


def _kinds(*names: str) -> tuple[str, ...]:
    return tuple("|".join(_LISTS[name].splitlines()) for name in names)


NUMBERED, FUTURE, ANOTHER, COUNTED, WITHOUT = _kinds("numbered", "future", "another", "counted", "without")
FACTOR, RULED_OUT, SURE, COMPLETE, EXPECTED = _kinds("factor", "ruled_out", "sure", "complete", "expected")
FOLLOWING, NEXT, REST, WHEN, MOVERS, EACH = _kinds("following", "next", "rest", "when", "movers", "each")
CAUSES, CHANGE, SUMMARY, EVERYWHERE, PERSON = _kinds("causes", "change", "summary", "everywhere", "person")
(PEOPLE,) = _kinds("people")
PLAIN_WORDS = frozenset(word_lists("questions", "averment.agents.driller")["plain_words"].split())
"""Words that name no column and no value."""


def asks(text: str, kind: str) -> bool:
    """Whether a question is of a kind."""
    return re.search(kind, text, re.IGNORECASE) is not None
