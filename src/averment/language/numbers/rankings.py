"""How many from which end: "top 5", "the three most expensive", "bottom 10", "first 20 rows", "5th highest"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from averment.language.numbers.quantities import find_quantities
from averment.language.tokens import Span, fold

End = Literal["top", "bottom", "first", "last"]
_BEFORE = re.compile(
    r"(?<!\w)(?:(?P<top>top|highest|largest|biggest|best|greatest|leading|most)|(?P<bottom>bottom|lowest|smallest|worst|least|fewest)|"
    r"(?P<first>first|initial|head|earliest)|(?P<last>last|final|tail|latest|most\s+recent)|(?P<limit>limit(?:ed)?(?:\s+to)?))\s*-?\s*$"
)
_AFTER = re.compile(
    r"\s+(?:(?:of\s+the|different|unique|distinct)\s+)?(?:(?P<top>top|highest|largest|biggest|best|greatest|most|tallest|longest|oldest|heaviest|richest|busiest|leading)|"
    r"(?P<bottom>bottom|lowest|smallest|worst|least|fewest|shortest|youngest|lightest|cheapest|poorest)|"
    r"(?P<first>earliest|first)|(?P<last>latest|newest|most\s+recent))(?:[- ]\w+)?\b"
)
_TIME = re.compile(r"\s*(?:full\s+|calendar\s+)?(?:days?|weeks?|months?|quarters?|years?|hours?|minutes?)\b")


@dataclass(frozen=True, slots=True)
class Ranking:
    """A count of rows from one end of an order; with ``nth`` only the row at that place is meant."""

    count: int
    end: End
    text: str
    span: Span
    nth: bool = False


def find_rankings(text: str) -> list[Ranking]:
    """Every ranked count a text asks for, in order; "last 3 months" is time and none of these."""
    folded = fold(text)
    found: list[Ranking] = []
    for amount in find_quantities(text):
        if (
            amount.kind not in ("cardinal", "ordinal", "duration")
            or amount.value != int(amount.value)
            or amount.value < 1
        ):
            continue
        start, end = amount.span
        after = _AFTER.match(folded, end)
        before = _BEFORE.search(folded, 0, start) if amount.kind != "ordinal" else None
        if after:
            found.append(_ranking(text, int(amount.value), after, (start, after.end()), amount.kind == "ordinal"))
        elif (
            before
            and amount.kind == "cardinal"
            and not (before["top"] == "most" and folded[: before.start()].endswith("at "))
        ):
            if (before["first"] or before["last"]) and _TIME.match(folded, end):
                continue
            if (before["first"] or before["last"]) and amount.text == "one":
                continue  # "the first one" is a pronoun.
            if before["bottom"] == "least" and folded[: before.start()].endswith("at "):
                continue
            found.append(_ranking(text, int(amount.value), before, (before.start(), end), False))
    return found


def _ranking(text: str, count: int, match: re.Match[str], span: Span, nth: bool) -> Ranking:
    groups = match.groupdict()
    end: End = "top"
    for name in ("top", "bottom", "first", "last"):
        if groups.get(name):
            end = name
    if groups.get("limit"):
        end = "first"
    return Ranking(count, end, text[span[0] : span[1]], span, nth)
