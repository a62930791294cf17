"""A sentence of a source told in other words: another order, another voice, without its asides, and nothing else.

A retelling passes if it shares a reading with its sentence (``language.retelling``): every word of both is accounted
for, so that nothing is added, dropped or turned. Before that, only the end of a sentence, or what stands between commas
or brackets, may go, where it begins as an aside: a reason, a relative clause, a further clause, who somebody is. What
turns, hedges, limits or attributes a statement stays. A pronoun may give way to the name that the sentence before it
begins with.
"""

from __future__ import annotations

import re
from collections import Counter

from averment.claims.relation import Relation
from averment.claims.sealed import SealedResult
from averment.claims.speech import has, value_of
from averment.evidence.bind import literal
from averment.language.retelling.readings import readings_of
from averment.records.claim import Claim

_TOKEN = re.compile(r"\w+(?:['’.,-]\w+)*|[^\w\s]", re.UNICODE)
_PRONOUN = re.compile(r"^(?:It|He|She|They|This|These)\b")
_NO_NAME = re.compile(r"(?:I|We|You|It|He|She|They|This|These|That|Those|There|Here|)")
_MOST_ASIDES = 2
_ASIDES = frozenset("because which who whose where and so".split())
"""Words that an aside begins with: what stands before it is said whole without it."""
_FINITE = frozenset("is was are were has have had will can may must should does did".split())
_HOLDING = frozenset("not never no nor neither few only if unless when whenever that because between".split())
"""Words that may hold over what is joined behind them: nothing joined may go then."""
_LINKS = [[word, ","] for word in "however moreover furthermore additionally also nevertheless indeed finally".split()]
"""Openings that tie a sentence to the one before it and say nothing of their own."""
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
    if not text.strip():
        return False
    said = readings_of(text)
    return any(
        said & readings_of(part) for each in (quote, *_named(text, quote, before)) for part in _without_asides(each)
    )


def _named(text: str, quote: str, before: str) -> list[str]:
    """The quotation with the name that the sentence before begins with, where it opens with a pronoun."""
    opening = _PRONOUN.match(quote.strip())
    if opening is None or not before:
        return []
    words, given = text.split(), before.split()
    shared = next((at for at, pair in enumerate(zip(words, given, strict=False)) if pair[0] != pair[1]), 0)
    name = " ".join(given[:shared])
    capitals = all(word[:1].isupper() or word in {"of", "the", "and", "de", "von", "van"} for word in given[:shared])
    is_name = capitals and _NO_NAME.fullmatch(name) is None
    return [f"{name}{quote.strip()[opening.end() :]}"] if is_name else []


def _tokens(text: str) -> list[str]:
    found = _TOKEN.findall(" ".join(text.split()))
    while found and found[-1] in {".", "!", "?"}:
        found.pop()
    return found


def _without_asides(quote: str) -> list[str]:
    """The quotation, and what is left of it without one or two of its asides."""
    whole = _tokens(quote)
    found = {tuple(whole): None}
    if [word.casefold() for word in whole[:2]] in _LINKS:
        found[tuple(whole[2:])] = None
    for _ in range(_MOST_ASIDES):
        for given in list(found):
            for start in range(1, len(given)):
                found |= {(*given[:start], *given[end:]): None for end in _ends(list(given), start)}
    return [quote, *(" ".join(each) for each in list(found)[1:])]


def _ends(given: list[str], start: int) -> list[int]:
    """Where an aside that begins at a place may end: nowhere where none begins there."""
    opens, first = given[start], given[start + 1].casefold() if start + 1 < len(given) else ""
    if opens == "(":
        ends = [given.index(")", start) + 1] if ")" in given[start:] else []
    elif opens in {",", ";", "–", "—"} and (first in _ASIDES or opens == ";" or _some_of(given[start + 1 : start + 4])):
        commas = [at + 1 for at in range(start + 1, len(given)) if given[at] == opens]
        ends = [*(commas if first in {"which", "who", "whose", "where"} else []), len(given)]
    elif opens == "," and first in {"a", "an", "the"}:
        commas = [at + 1 for at in range(start + 1, len(given) - 1) if given[at] == ","][:1]
        ends = [end for end in commas if given[end].casefold() not in {"and", "or", "but", "a", "an", "the"}]
    elif opens.casefold() == "because" or (opens.casefold() == "and" and first in _FINITE and _free(given[:start])):
        ends = [len(given)]
    else:
        ends = []
    return [end for end in ends if not _BINDING & {word.casefold() for word in given[start:end]}]


def _free(before: list[str]) -> bool:
    """Whether nothing before a joined verb holds over it."""
    return not _HOLDING & {word.casefold() for word in before}


def _some_of(words: list[str]) -> bool:
    """Whether an aside begins that tells of a part: "of which", "half of whom"."""
    return any(words[at : at + 2] in (["of", "which"], ["of", "whom"]) for at in (0, 1))


def _holds(claim: Claim, _sealed: SealedResult | None) -> bool:
    if Counter(value.role for value in claim.values) - Counter({"quote": 1, "subject": 1}):
        return False
    quote = value_of(claim, "quote").evidence
    before = value_of(claim, "subject").evidence if has(claim, "subject") else None
    if quote.kind != "span" or (before is not None and before.kind != "span"):
        return False
    return restates(claim.words.get("said", ""), quote.quote, before.quote if before is not None else "")


RELATIONS = (
    Relation(
        "restated",
        "A sentence of an archived source in another order, voice or synonym, or without its asides.",
        _holds,
        lambda claim: literal(claim.words["said"]),
        silent=frozenset({"quote", "subject"}),
    ),
)
