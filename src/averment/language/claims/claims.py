"""Sentences as claims: what is said of what, with which value, for when, and how firmly.

A claim keeps only what the sentence shows. Two claims can be compared when they speak of the same thing and the same
attribute in the same scope; otherwise they say nothing about each other.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from averment.language.claims.claim_values import StatedValue, compare, read_amounts, read_moments, read_values
from averment.language.claims.names import Name, find_names, name_words
from averment.language.claims.stance import Stance, read_stance
from averment.language.stems import root
from averment.language.tokens import Token, tokenise
from averment.language.word_lists import patterns

Clash = Literal["value", "polarity"]
_CLAUSE = re.compile(r"[,;:()]|\b(?:and|but|while|whereas|which|who)\b")
_DATED = frozenset(
    """
    born die found establish form open build built complete release publish launch premiere begin start end create
    incorporate elect appoint marry win host hold abolish close merge acquire buy sign construct erect discover invent
    """.split()
)
_PATTERNS = patterns("claims", "averment.language")
_FORECAST = re.compile(_PATTERNS["forecast"])
_WITHIN = re.compile(r"\b(?:in|within|at|across|throughout|among|for)(?: the)? $", re.IGNORECASE)
_VAGUE = frozenset(
    "time year day month week number part lot total people person way million billion thousand percent".split()
)


@dataclass(frozen=True, slots=True)
class StatedClaim:
    """One value a sentence states: of which names, by which words, in which time, and how.

    ``subject`` are the words of the names it speaks of, ``attribute`` the roots of the words around the value,
    ``scope`` the other moments of the sentence, ``within`` the names a value is restricted to ("in Norway").
    """

    sentence: str
    subject: frozenset[str]
    attribute: frozenset[str]
    head: str
    value: StatedValue | None
    scope: tuple[StatedValue, ...]
    stance: Stance
    within: frozenset[str] = frozenset()


@lru_cache(maxsize=8192)
def read_claims(sentence: str) -> tuple[StatedClaim, ...]:
    """The claims of a sentence: one for each amount, one for the date of an event, or one without a value."""
    moments = read_moments(sentence)
    amounts = read_amounts(sentence, moments)
    stance = read_stance(sentence)
    names = find_names(sentence, skip=[moment.span for moment in moments])
    subject = frozenset(word for name in names for word in name_words(name.text))
    tokens = [token for token in tokenise(sentence) if token.kind == "word"]
    found: list[StatedClaim] = []
    for amount in amounts:
        near = _around(sentence, tokens, amount, subject)
        head, within = _head(tokens, amount), _within(sentence, names, amount)
        found.append(StatedClaim(sentence, subject, near, head, amount, moments, stance, within))
    if not amounts:
        for moment in moments:
            event = _event(tokens, moment)
            if event:
                others = tuple(other for other in moments if other is not moment)
                found.append(StatedClaim(sentence, subject, frozenset({event}), event, moment, others, stance))
    if not found:
        words = frozenset(root(token.stem) for token in tokens if not token.is_stop) - subject
        found.append(StatedClaim(sentence, subject, words, "", None, moments, stance))
    return tuple(found)


def _around(sentence: str, tokens: list[Token], value: StatedValue, subject: frozenset[str]) -> frozenset[str]:
    """The words of the clause the value stands in."""
    cuts = [0, *(found.end() for found in _CLAUSE.finditer(sentence)), len(sentence)]
    start = max((cut for cut in cuts if cut <= value.span[0]), default=0)
    end = min((cut for cut in cuts if cut >= value.span[1]), default=len(sentence))
    return frozenset(
        root(token.stem)
        for token in tokens
        if start <= token.start < end and not token.is_stop and token.normal not in subject and token.normal.isalpha()
    )


def _head(tokens: list[Token], value: StatedValue) -> str:
    """What an amount counts or measures: the noun behind it, else the word before that gives it."""
    after = next((token for token in tokens if token.start >= value.span[1]), None)
    counted = after is not None and after.start - value.span[1] <= 1 and not after.is_stop
    if after is not None and counted and after.stem not in _VAGUE:
        return root(after.stem)
    before = [token for token in tokens if token.end <= value.span[0] and not token.is_stop]
    if before:
        return root(before[-1].stem)
    return root(after.stem) if after is not None and counted else ""


def _within(sentence: str, names: Sequence[Name], value: StatedValue) -> frozenset[str]:
    """The names that restrict a value: "in Norway" at the start of a sentence or behind the value."""
    held = [
        name
        for name in names
        if _WITHIN.search(sentence[: name.span[0]])
        and (name.span[0] >= value.span[1] or not sentence[: name.span[0]].strip().count(" "))
    ]
    return frozenset(word for name in held for word in name_words(name.text))


def _event(tokens: list[Token], moment: StatedValue) -> str:
    """The event a date belongs to: the nearest dated verb before it."""
    for token in reversed([token for token in tokens if token.end <= moment.span[0]][-8:]):
        if root(token.stem) in {root(word) for word in _DATED}:
            return root(token.stem)
    return ""


def clash(one: StatedClaim, other: StatedClaim) -> Clash | None:
    """Why two claims cannot both hold, or None when they can or speak of different things."""
    if not _same_subject(one, other) or not _same_scope(one, other):
        return None
    if one.value is None or other.value is None:
        return "polarity" if _opposed(one, other) else None
    if one.value.kind != other.value.kind or one.stance.negated != other.stance.negated:
        return None
    if not one.head or one.head != other.head or not _same_attribute(one, other):
        return None
    if one.within != other.within or _foretells(one) != _foretells(other):
        return None
    if _also_says(one, other.value) or _also_says(other, one.value):
        return None
    return "value" if compare(one.value, other.value) == "different" else None


def _foretells(claim: StatedClaim) -> bool:
    """Whether a claim is a forecast, a plan or said with reserve: what came of it may differ."""
    return claim.stance.hedged or bool(_FORECAST.search(claim.sentence))


def _also_says(claim: StatedClaim, value: StatedValue) -> bool:
    """Whether a claim's sentence states that value as well, as lists of areas and shares do."""
    return any(compare(known, value) == "same" for known in read_values(claim.sentence))


def agrees(one: StatedClaim, other: StatedClaim) -> bool:
    """Whether two claims say the same thing of the same subject in the same scope."""
    if not _same_subject(one, other) or not _same_scope(one, other) or one.stance.negated != other.stance.negated:
        return False
    if one.value is None or other.value is None:
        return one.value is other.value and _overlap(one.attribute, other.attribute) >= 0.6
    return one.head == other.head and compare(one.value, other.value) == "same"


def _same_subject(one: StatedClaim, other: StatedClaim) -> bool:
    """One side's names lie among the other's: a name of its own on each side means two different things."""
    smaller, larger = sorted((one.subject, other.subject), key=len)
    return bool(smaller) and smaller <= larger and 2 * len(smaller) >= len(larger)


def _same_attribute(one: StatedClaim, other: StatedClaim) -> bool:
    return one.value is not None and (one.value.kind == "moment" or _overlap(one.attribute, other.attribute) >= 0.5)


def _same_scope(one: StatedClaim, other: StatedClaim) -> bool:
    """Times compared first: different years are different facts; a time named by one side only leaves them apart."""
    if bool(one.scope) != bool(other.scope):
        return False
    return all(any(compare(mine, theirs) != "different" for theirs in other.scope) for mine in one.scope)


def _opposed(one: StatedClaim, other: StatedClaim) -> bool:
    alike = min(len(one.attribute), len(other.attribute)) >= 3 and _overlap(one.attribute, other.attribute) >= 0.8
    return alike and one.stance.negated != other.stance.negated and not one.stance.hedged and not other.stance.hedged


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))
