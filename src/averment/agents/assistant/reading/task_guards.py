"""Whether words that ask for a task surely do. Where they may ask for something else, the user is asked first.

"I need to move money", "add this song to my playlist" and "add 5 and 89" read like tasks and mostly are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from averment.agents.assistant.reading.task_splitting import VERBS
from averment.language.word_lists import patterns

_PATTERNS = patterns("reading.certainty", "averment.agents.assistant")
_ELSEWHERE = re.compile(_PATTERNS["elsewhere"], re.IGNORECASE)
"""Another place than the list of tasks, at the end or as a contact: "to my jazz playlist", "in my address book"."""
_CONTACT = re.compile(r"\S@\S|\b(?:e-?mail|contacts?|address book|phone number)\b", re.IGNORECASE)
_NUMBER = re.compile(_PATTERNS["number"], re.IGNORECASE)


def surely_asks(*, need: str, remind: str, listing: str, rest: str, timed: bool, titles: Sequence[str]) -> bool:
    """Whether the words surely ask for these tasks; ``rest`` is what follows the words that ask."""
    if need:
        # One errand may be anything; several, told one after the other, are a list.
        return len(titles) > 1 and all(title.split()[0].casefold() in VERBS for title in titles)
    if titles and all(_sum(title) for title in titles):
        return False
    if remind:
        # "Remind me of the date", "notify me about the meetings": told again, or kept?
        told_again = re.search(r"\bof$|^(?:notify|alert|ping)\b|me$", remind, re.IGNORECASE)
        return timed or told_again is None or rest.startswith(("\ue000", "not "))
    first = (re.findall(r"[\w'-]+", rest) or [""])[0].casefold()
    if not listing or first in VERBS or "\ue000" in rest:
        return True
    return not (_ELSEWHERE.search(rest) or _CONTACT.search(rest))


def _sum(title: str) -> bool:
    """Whether a title is nothing but numbers and what stands between them."""
    return bool(title.strip()) and not _NUMBER.sub("", title.strip()).strip()
