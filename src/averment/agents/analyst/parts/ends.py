"""Ends of a ranking in a question: how many groups from which end, and the words that ask for them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from averment.agents.analyst.parts.draft import Draft

LISTED, MOST_RANKED = 10, 1_000
_NUMBERS: dict[str, int] = dict(
    zip("one two three four five six seven eight nine ten".split(), range(1, 11), strict=True)
)
_N = rf"(?P<n>\d+|{'|'.join(_NUMBERS)})"
_HIGH = r"top|best|highest|largest|biggest|greatest|most|leading|strongest"
_LOW = r"bottom|worst|lowest|smallest|least|fewest|weakest"
_DOING = r"(?:[- ](?:selling|performing|grossing|earning))"
_HAVING = (
    r"(?:has|had|have|with|made|makes?|generated?|generates|brought in|brings in|earned|earns|sold|sells?|got|gets|"
    r"received|receives|shows?|recorded|achieved|produced|contributed|spent|spends|ordered|bought)"
)
_M = _N.replace("?P<n>", "?P<m>")
_ENDS = rf"(?P<end>{_HIGH}|{_LOW})"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"\b(?:the )?(?P<end>top|bottom)(?:[- ]{_N}\b)?{_DOING}?\b",
        rf"\b(?:the )?{_N} {_ENDS}{_DOING}?\b(?= \w+ (?:by|in terms of|according to)\b)",
        rf"\b(?:the )?(?P<end>best|worst|strongest|weakest|leading){_DOING}?\b",
        rf"\b(?:(?:which|what)(?: {_M})?|who)\b(?=.*\b{_HAVING} (?:the )?{_ENDS}\b)",
        rf"\b{_N}(?= \w+(?: \w+)? with (?:the )?{_ENDS}\b)",
    )
)
_SUPERLATIVE = rf"\b{_HAVING} (?:the )?(?:{_HIGH}|{_LOW})\b"
_LOWS = frozenset(_LOW.split("|"))
_OF_ONE = frozenset("highest lowest largest smallest biggest greatest".split())


@dataclass(frozen=True)
class Ends:
    """Which end of a ranking of groups is asked for, and how much of it; ``plain`` says that a bare "most" asks."""

    order: Literal["value_desc", "value_asc"]
    limit: int
    plain: bool = False
    said: str = ""
    of_one: bool = False
    """Whether the word may as well speak of one row: "the highest amount" is a total, an average or a single one."""


def read_ends(draft: Draft) -> Ends | None:
    """The end of a ranking that a question asks for; its words count as understood."""
    for place, form in enumerate(_FORMS):
        found = draft.take(form)
        if found is None:
            continue
        groups = found.groupdict()
        number = groups.get("n") or groups.get("m")
        end = groups["end"]
        superlative = place >= 3 and draft.take(_SUPERLATIVE) is not None
        default = 1 if superlative or place == 2 else LISTED
        limit = default if number is None else _NUMBERS.get(number) or int(number)
        order: Literal["value_desc", "value_asc"] = "value_asc" if end in _LOWS else "value_desc"
        of_one = superlative and end in _OF_ONE
        return Ends(order, min(max(limit, 1), MOST_RANKED), superlative, found.group().strip(), of_one)
    return None
