"""A sentence of a source told shorter: what may be left out without changing what it says, and nothing else.

Only the end of a sentence, or what stands between commas or brackets, may go, where it begins as an aside: a reason, a
relative clause, a further clause. What turns, hedges, limits or attributes a statement stays, and so does its
beginning, which says when and of whom. A pronoun may give way to the name that the sentence before it begins with.
"""

from __future__ import annotations

import re
from collections import Counter

from averment.claims.relation import Relation
from averment.claims.sealed import Sealed
from averment.claims.speech import has, value_of
from averment.evidence.bind import literal
from averment.records.claim import Claim

_TOKEN = re.compile(r"\w+(?:['’.,-]\w+)*|[^\w\s]", re.UNICODE)
_PRONOUN = re.compile(r"^(?:It|He|She|They|This|These)\b")
_ASIDES = frozenset("because which who whose where and so".split())
"""Words that an aside begins with: what stands before it is said whole without it."""
_BINDING = frozenset(
    """
    if unless until till when whenever provided except only though although however but reportedly allegedly
    supposedly possibly probably perhaps about around approximately nearly almost roughly likely unlikely estimated
    expected planned proposed forecast according said says say told claimed claims claim argue argues argued warned
    warns false untrue wrong suggest suggests suggested believe believes believed thought denied denies rumoured than
    per
    """.split()
)
"""Words that bind a statement to a condition, a degree of doubt or a speaker: they may not be left out.

What an aside of its own says may be or could be is its own matter, so the modal verbs are not among them.
"""


def restates(text: str, quote: str, before: str = "") -> bool:
    """Whether a text says what a quotation says, or a part that stands by itself; ``before`` names its subject."""
    said = _tokens(text)
    return any(_fits(said, _tokens(each)) for each in (quote, *_named(text, quote, before)))


def _named(text: str, quote: str, before: str) -> list[str]:
    """The quotation with the name that the sentence before begins with, where it opens with a pronoun."""
    opening = _PRONOUN.match(quote.strip())
    if opening is None or not before:
        return []
    words, given = text.split(), before.split()
    shared = next((at for at, pair in enumerate(zip(words, given, strict=False)) if pair[0] != pair[1]), 0)
    name = " ".join(given[:shared])
    capitals = all(word[:1].isupper() or word in {"of", "the", "and", "de", "von", "van"} for word in given[:shared])
    return [f"{name}{quote.strip()[opening.end() :]}"] if name and capitals else []


def _tokens(text: str) -> list[str]:
    found = _TOKEN.findall(" ".join(text.split()))
    while found and found[-1] in {".", "!", "?"}:
        found.pop()
    return found


def _fits(said: list[str], given: list[str]) -> bool:
    """Whether the words said are the words given without some asides."""
    if not said or said[0].casefold() != given[0].casefold():
        return False
    return _rest_fits(said, given, 1, 1)


def _rest_fits(said: list[str], given: list[str], at: int, place: int) -> bool:
    """Whether the rest of what is said is the rest of what is given, from these places on."""
    while at < len(said) and place < len(given) and said[at] == given[place]:
        at, place = at + 1, place + 1
    if at == len(said) and place == len(given):
        return True
    # Something is left out here, or the match ran past the place where it was.
    for back in range(min(at, place)):
        start, resumed = place - back, at - back
        if said[resumed:at] != given[start:place]:
            break
        for end in _ends(given, start):
            after = given[end] if end < len(given) else None
            if after is None and resumed == len(said):
                return True
            if after is not None and resumed < len(said) and _rest_fits(said, given, resumed, end):
                return True
    return False


def _ends(given: list[str], start: int) -> list[int]:
    """Where an aside that begins at a place may end: nowhere where none begins there."""
    if start >= len(given):
        return []
    opens, first = given[start], given[start + 1].casefold() if start + 1 < len(given) else ""
    if opens == "(":
        closes = given.index(")", start) if ")" in given[start:] else -1
        ends = [closes + 1] if closes > 0 else []
    elif opens in {",", ";", "–", "—"} and (first in _ASIDES or opens == ";"):
        commas = [at + 1 for at in range(start + 1, len(given)) if given[at] == opens]
        ends = [*(commas if first in {"which", "who", "whose", "where"} else []), len(given)]
    elif opens.casefold() == "because":
        ends = [len(given)]
    else:
        ends = []
    return [end for end in ends if not _BINDING & {word.casefold() for word in given[start:end]}]


def _holds(claim: Claim, sealed: Sealed | None) -> bool:
    del sealed
    if Counter(value.role for value in claim.values) - Counter({"quote": 1, "subject": 1}):
        return False
    quote = value_of(claim, "quote").evidence
    before = value_of(claim, "subject").evidence if has(claim, "subject") else None
    if quote.kind != "span" or (before is not None and before.kind != "span"):
        return False
    return restates(claim.words.get("said", ""), quote.quote, before.quote if before is not None else "")


RELATIONS = (
    Relation(
        name="restated",
        promise="A sentence of an archived source, without asides that it stands by itself without.",
        holds=_holds,
        render=lambda claim: literal(claim.words["said"]),
        whole_key=False,
        silent=frozenset({"quote", "subject"}),
    ),
)
