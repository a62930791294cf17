"""How a sentence says what it says: denied, hedged, in someone else's mouth; and whether it claims anything at all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from averment.language.tokens import fold
from averment.language.word_lists import patterns

_PATTERNS = patterns("stance", "averment.language")
_NEGATION = re.compile(_PATTERNS["negation"])
_NOT_ONLY = re.compile(_PATTERNS["not_only"])
_HEDGE = re.compile(_PATTERNS["hedge"])
_SAID = re.compile(_PATTERNS["said"])
_SAYS = re.compile(_PATTERNS["says"])
_ORDERS = frozenset(
    """
    ignore disregard forget click read see visit send run execute delete open print output respond reply note please
    subscribe download call write say act pretend reveal show tell do don't add set remove use follow sign log share
    insert append include summarize summarise translate repeat email forward upload post assistant system user
    """.split()
)


@dataclass(frozen=True, slots=True)
class Stance:
    """Whether a sentence denies, hedges, and whom it quotes."""

    negated: bool
    hedged: bool
    attribution: str | None


def read_stance(sentence: str) -> Stance:
    """The stance of a sentence; "not only" and "no doubt" deny nothing."""
    folded = fold(sentence)
    denials = len(_NEGATION.findall(folded)) - len(_NOT_ONLY.findall(folded))
    said = _SAID.search(sentence) or _SAYS.search(sentence)
    return Stance(
        denials % 2 == 1 if denials > 0 else False, bool(_HEDGE.search(folded)), said["who"].strip() if said else None
    )


def claims_something(sentence: str) -> bool:
    """Whether a sentence states something: no question, no order to the reader, no line of a menu."""
    words = re.findall(r"[\w'’]+", sentence)
    if len(words) < 4 or sentence.rstrip("\"”') ").endswith("?"):
        return False
    if words[0].casefold() in _ORDERS and not re.match(
        r"(?:Note|Use|Share|Call|System|User)s? (?:of|that|is|was|in)\b", sentence
    ):
        return False
    return any(word[:1].islower() for word in words[1:])
