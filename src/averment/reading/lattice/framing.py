"""Words around a question that ask nothing of a plan: where the data are kept, how far they go, what a term stands for.

Each class is said by its reason. A noun for whoever keeps the data restricts nothing where no column tells keepers
apart; "over the whole period" names all rows there are; a term whose definition stands in brackets behind it is held by
the definition, which has words of its own to account for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.reading.lattice.nouns import PARTS
from averment.reading.words import lexicon, word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice, Span

_NAMED = 0.6
"""From this strength on a word is a name of something in the tables, and asks for it."""

_SPELT = 0.75
"""From this strength on a name holds a word as its own."""

_CALLED = 0.9
"""The same for words that are mostly said without any such meaning."""

_NEAR, _TERMS = 4, 2
"""How many words before a definition may be part of its term, and how many of them may be unknown."""

_FRAME, _EVERYTHING = 0.5, 0.95
_OWN = frozenset("the our this my your".split())
_LEADS = frozenset("in at for of on with by from".split())
_COMPARING = ("gt", "lt", "ge", "le", "eq", "between", "missing", "or_more", "or_less")
_DEFINES = re.compile(r"\(([^()]+)\)|\b(?:i\.?e\.?|that is|meaning|in other words),?\s+([^()?]+)", re.IGNORECASE)
_DIVIDES = frozenset("per minus plus divided times over".split())


def framing_spans(lattice: Lattice) -> None:
    """Hypotheses that words only frame the question."""
    _named_values(lattice)
    _phrases(lattice)
    _keepers(lattice)
    _terms(lattice)


def _named_values(lattice: Lattice) -> None:
    """ "The average value of orders", where a column is called value: it is meant, and no average of anything."""
    named = {s.start for s in lattice.spans if s.type == "COLUMN" and s.strength >= _SPELT and s.text == "value"}
    lattice.spans = [
        s
        for s in lattice.spans
        if not (s.type == "CUE" and s.text.endswith("value of") and s.end - 2 in named and s.end - s.start > 2)
    ]


def _phrases(lattice: Lattice) -> None:
    words = lattice.words
    phrases = [phrase.split() for phrase in lexicon("words")["framing"]["said"]]
    for place in range(len(words)):
        for phrase in phrases:
            end = place + len(phrase)
            if words[place:end] == phrase and not _names_something(lattice, place, end):
                lattice.add(place, end, "STOP", _FRAME)
                if {"all", "whole", "entire", "full"} & set(phrase):
                    lattice.add(place, end, "CUE", _EVERYTHING, ("any",))  # stronger than the cues it is made of


def _names_something(lattice: Lattice, start: int, end: int) -> bool:
    """Whether a value or a column that is no time stands in these words."""
    return any(
        start <= s.start and s.end <= end and s.strength >= _CALLED and lattice.words[s.start] not in PARTS
        for s in lattice.spans
        if s.type in {"VALUE", "COLUMN", "TEST"}
    )


def _keepers(lattice: Lattice) -> None:
    """ "How many have left the company", "what the library has": one keeper, and all rows are of it."""
    words = lattice.words
    for place in range(1, len(words)):
        if words[place] not in word_list("keeper") or words[place - 1] not in _OWN or _is_named(lattice, place):
            continue
        after = words[place + 1] if place + 1 < len(words) else ""
        if any(s.start == place + 1 and s.type in {"COLUMN", "VALUE", "ROW"} for s in lattice.spans) and after:
            continue  # "the company car" is a car
        start = place - 2 if place > 1 and words[place - 2] in _LEADS else place - 1
        lattice.add(start, place + 1, "STOP", _FRAME)


def _terms(lattice: Lattice) -> None:
    """ "Failed exams (grade under 5)", "lost money, i.e. cost more than they made": the definition says it all."""
    for match in _DEFINES.finditer(lattice.question):
        group = 1 if match.group(1) is not None else 2
        inside = [n for n, (s, e) in enumerate(lattice.places) if match.start(group) <= s and e <= match.end(group)]
        if not inside or not inside[0]:
            continue
        held = [s for s in lattice.spans if s.start >= inside[0] and s.end <= inside[-1] + 1]
        formula = _is_formula(lattice, held, inside)
        if not formula and not _is_condition(held):
            continue
        first = next(n for n, (s, _) in enumerate(lattice.places) if s >= match.start())
        near = range(max(0, first - _NEAR), first)
        terms = [n for n in near if _is_term(lattice, n, formula=formula)]
        for place in terms if len(terms) <= _TERMS else ():
            lattice.add(place, place + 1, "STOP", _FRAME)


def _is_condition(held: list[Span]) -> bool:
    compared = any(s.cue(*_COMPARING) for s in held)
    return compared and any(s.type in {"NUMBER", "COLUMN"} and s.strength >= _NAMED for s in held)


def _is_formula(lattice: Lattice, held: list[Span], inside: list[int]) -> bool:
    named = {s.start for s in held if s.type in {"COLUMN", "ROW"} and s.strength >= _NAMED}
    return len(named) > 1 and bool(_DIVIDES & set(lattice.words[inside[0] : inside[-1] + 1]))


def _is_term(lattice: Lattice, place: int, *, formula: bool) -> bool:
    """Whether nothing but the definition can say what a word means; "rate" and its like are what a formula gives."""
    if lattice.words[place] in word_list("stop") or lattice.words[place] in {"and", "or", "but"}:
        return False
    asked = [s for s in lattice.spans if s.start <= place < s.end and s.type == "CUE"]
    rate = formula and bool(asked) and all(s.cue("rate", "share", "ratio") for s in asked)
    return not _is_named(lattice, place) and (not asked or rate)


def _is_named(lattice: Lattice, place: int) -> bool:
    return any(
        s.start <= place < s.end
        and s.type in {"COLUMN", "VALUE", "TEST", "ROW", "DENY", "TIME", "NUMBER", "GRADE", "PART"}
        and s.strength >= _NAMED
        for s in lattice.spans
    )
