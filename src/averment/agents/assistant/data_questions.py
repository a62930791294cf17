"""A message for the tables before it is handed over: its questions one by one, in words that the plan reader has.

People ask several things in one message, change a result in the manner of talk ("leave out the East") and ask what a
file holds. Here such a message is cut and worded; what it means is for the plan reader alone.
"""

from __future__ import annotations

import re

from averment.language.word_lists import patterns

MOST = 4
"""More questions than these in one message are rather a text that somebody pasted."""

_WORDS = r"what|which|who|whose|whom|how|when|where|why|is|are|was|were|did|does|do|can|could|has|have"
_ORDERS = r"show|list|give|count|plot|chart|draw|graph|compare|tell|total|average|sum|median|top|rank|sort|break|split"
_OPENS = re.compile(rf"^(?:and |also |then |plus |now |next |so |but |please )*(?:{_WORDS}|{_ORDERS})\b", re.IGNORECASE)
_BULLET = r"(?:[-*\u2022]\s+|\d{1,2}[.)]\s+)"
_FIRST = re.compile(rf"^\s*{_BULLET}")
_ENDS = re.compile(rf"(?:(?<=[?!.;])\s+|\s*\n+\s*){_BULLET}?")
_JOINED = re.compile(rf"\s*,?\s+(?:and|plus|as well as|and also)\s+(?=(?:{_WORDS})\b)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"\u201c\u201d].*?[?!.;\n].*?[\"\u201c\u201d]", re.DOTALL)
_GROUPS = re.compile(r"\b(?:by|per|for each|in each|for every|each)\b", re.IGNORECASE)
_PICKS = re.compile(r"\b(?:who|most|least|fewest|\w+est|first|last|top|bottom)\b", re.IGNORECASE)
_PATTERNS = patterns("data_questions", "averment.agents.assistant")
_SPEAKS_OF = re.compile(_PATTERNS["speaks_of"], re.IGNORECASE)
_GOES_ON = re.compile(r"^(?:and|but|also|then|same|the same|now)\b|^(?:what|how) about\b", re.IGNORECASE)
_LEAST = 2

_LEAD = r"^(?:and |but |so |now |then |ok(?:ay)?,? |please |same |the same )*"
_TAIL = r"(?:,? please|,? thanks?)?[.!?]*$"
_EXCLUDES = re.compile(
    rf"{_LEAD}(?:(?:leave|take|filter|throw|cut|keep|kick) out|without|w/o|skip|ignore|disregard|omit|minus|"
    r"forget(?: about)?|not counting|don'?t (?:count|include)|do not (?:count|include)|"
    r"(?:all|everything|everyone|everybody|anything) (?:but|except|besides|apart from|other than)|"
    rf"(?:apart|aside) from|other than|besides)\s+(?P<what>.+?){_TAIL}",
    re.IGNORECASE,
)
_EXCLUDES_LAST = re.compile(
    rf"{_LEAD}(?:leave|take|filter|throw|keep)\s+(?P<what>.+?)\s+(?:out|aside){_TAIL}", re.IGNORECASE
)
_LONGEST_EDIT = 8

_COLUMNS = r"(?:columns?|fields?|variables?|headers?|headings?|attributes?|features?)"
_HERE = (
    r"(?:\s+(?:(?:are|is|do|does|have|has|there|it|this|that|the|these|my|in|of|you|see|we|i|got|with|"
    r"contain|include|available|called|named|here|file|files|data|dataset|table|csv|sheet|spreadsheet)\b\s*)*)?"
)
_OF_FILE = re.compile(
    rf"{_LEAD}(?:(?:what|which|how many)\s+(?:are (?:the|its) |kind of |sort of )?{_COLUMNS}"
    r"|(?:list|show|show me|give me|tell me|name|print)\s+(?:all )?(?:(?:the|its|my)\s+)?(?:names of (?:the )?)?"
    rf"{_COLUMNS}|how (?:big|large|long) is){_HERE}[?.!]*$",
    re.IGNORECASE,
)
OF_FILE = "what is in this file?"
"""How the plan reader is asked for the columns and the size of a table."""


def questions_in(text: str) -> tuple[str, ...]:
    """The questions of a message in their order; the message alone where it is one, or where not all of it asks."""
    if _QUOTED.search(text):
        return (text,)
    ended = _asked(text, [part.strip() for part in _ENDS.split(_FIRST.sub("", text))])
    return tuple(part for each in ended for part in _joined(each))[:MOST] if len(ended) > 1 else _joined(text)


def _joined(text: str) -> tuple[str, ...]:
    """The questions that an "and" joins, unless the later one speaks of the earlier or both share their groups."""
    parts = [part.strip() for part in _JOINED.split(text)]
    grouped = any(_GROUPS.search(part) for part in parts[1:])
    shared = grouped and not (_GROUPS.search(parts[0]) or _PICKS.search(parts[0]))
    spoken = any(_SPEAKS_OF.search(part) for part in parts[1:])
    return (text,) if shared or spoken else _asked(text, parts)


def _asked(text: str, cut: list[str]) -> tuple[str, ...]:
    parts = [part for part in cut if part]
    whole = 1 < len(parts) <= MOST and all(_OPENS.match(part) and len(part.split()) >= _LEAST for part in parts)
    return tuple(parts) if whole else (text,)


def goes_on(question: str) -> bool:
    """Whether a later question of a message speaks of what the earlier one found."""
    return bool(_GOES_ON.match(question) or _SPEAKS_OF.search(question))


def worded(question: str, *, follows: bool) -> str:
    """The question in the plan reader's words: what is left out of a result before it, and what a file holds."""
    if _OF_FILE.match(question.strip()):
        return OF_FILE
    if not follows or len(question.split()) > _LONGEST_EDIT:
        return question
    found = _EXCLUDES.match(question.strip()) or _EXCLUDES_LAST.match(question.strip())
    return question if found is None else f"exclude {found['what']}"
