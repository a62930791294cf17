"""How a question asks for rows of a result: the highest, the second lowest, the top three, this against that one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from averment.language.numbers.rankings import find_rankings
from averment.language.tokens import fold

_HIGH = r"highest|largest|biggest|greatest|most|maximum|max|top|leading"
_LOW = r"lowest|smallest|least|fewest|minimum|min|bottom"
_HIGHEST = re.compile(rf"\b(?:{_HIGH})\b")
_LOWEST = re.compile(rf"\b(?:{_LOW})\b")
_MORE = re.compile(r"\b(?:higher|more|larger|bigger|greater|above|over|exceeds?)\b")
_LESS = re.compile(r"\b(?:lower|less|smaller|fewer|below|under)\b")
_AGAINST = re.compile(r"\b(?:than|compared?|comparison|versus|vs|against|between|difference|differs?|or)\b")
_WHETHER = re.compile(r"^(?:and |but |so |ok(?:ay)?,? )*(?:is|are|was|were|does|do|did|has|have|had)\b")
_WAYS = frozenset(
    f"""
    {_HIGH.replace("|", " ")} {_LOW.replace("|", " ")} first second third fourth fifth higher lower more less larger
    smaller bigger greater fewer above below over under exceed exceeds than compare compared comparison versus vs
    against between difference differ differs one ones value values result results row rows number figure figures
    again now then there come came go rank ranked place look looks looked say says said mean about instead okay ok well
    hmm oh thanks specifically exactly precisely alone
    one two three four five six seven eight nine ten
    """.split()
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which rows are asked for: from which end, at which place or how many, or two to be compared."""

    said: str
    end: Literal["highest", "lowest"] | None = None
    place: int = 1
    nth: bool = False
    words_said: str = ""
    compares: bool = False
    more: bool | None = None
    asks_which: bool = False
    words: frozenset[str] = _WAYS
    """Words that ask, and name nothing."""


def wanted_of(question: str) -> Wanted:
    """How a question asks for rows."""
    plain = fold(question)
    compares = bool(_AGAINST.search(plain))
    more = True if _MORE.search(plain) else False if _LESS.search(plain) else None
    ranking = next((one for one in find_rankings(question) if one.end in {"top", "bottom"}), None)
    words = _WAYS | frozenset(re.findall(r"\d+(?:st|nd|rd|th)?", plain) if ranking is not None else ())
    if ranking is not None:
        end: Literal["highest", "lowest"] = "highest" if ranking.end == "top" else "lowest"
        return Wanted(question, end, ranking.count, ranking.nth, ranking.text.casefold(), words=words)
    high, low = _HIGHEST.search(plain), _LOWEST.search(plain)
    if (high is None) == (low is None):
        return Wanted(question, compares=compares, more=more, asks_which=_WHETHER.match(plain) is None)
    end = "highest" if high is not None else "lowest"
    return Wanted(question, end, words_said=end)
