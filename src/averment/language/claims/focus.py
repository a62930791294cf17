"""What a question asks for: the kind of answer, the thing it is about, and the words that mark the relation.

"Who directed the film “Baby Doll”?" asks for a person, about Baby Doll, and *direct*, *director* or *film by* mark the
place where a text answers it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from averment.language.stems import root
from averment.language.tokens import Token, fold, quoted_spans, tokenise
from averment.language.word_lists import patterns, word_lists

_RELATIONS_LISTS = word_lists("claims.relations")
_GROUPS = _RELATIONS_LISTS["groups"]
_MEMBER = 0.7


@lru_cache(maxsize=4096)
def related(word: str) -> dict[str, float]:
    """The roots that may mark a word's relation: its own with 1, those of its groups with less."""
    own = root(word)
    marks = {own: 1.0}
    for group in _groups():
        # The first four words of a group name its relation; the others only mark it.
        if own in group[:4]:
            for other in group:
                marks.setdefault(other, _MEMBER)
    return marks


@lru_cache(maxsize=1)
def _groups() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(root(word) for word in line.split()) for line in _GROUPS.strip().splitlines())


AnswerKind = Literal["date", "number", "person", "place", "name", "kind", "definition"]
"""Person, place and name are proper names; kind is a common noun (a sport); definition says what a thing is."""

_LISTS = word_lists("claims.focus")
_PLACE_NOUNS = _LISTS["place_nouns"]
_DATE_NOUNS = _LISTS["date_nouns"]
_NUMBER_NOUNS = _LISTS["number_nouns"]
_PERSON_NOUNS = _LISTS["person_nouns"]
_NAME_NOUNS = _LISTS["name_nouns"]
_KINDS: tuple[tuple[AnswerKind, frozenset[str]], ...] = (
    ("date", frozenset(_DATE_NOUNS.split())),
    ("place", frozenset(_PLACE_NOUNS.split())),
    ("number", frozenset(_NUMBER_NOUNS.split())),
    ("person", frozenset(_PERSON_NOUNS.split())),
    ("name", frozenset(_NAME_NOUNS.split())),
)
_HOW = re.compile(r"\bhow (?:many|much|old|long|far|tall|big|large|high|deep|fast|heavy|often|wide)\b")
_HOW_NOUN = re.compile(r"\bhow (?:many|much) (?P<noun>[a-z]+(?: [a-z]+)?)")
_PATTERNS = patterns("focus", "averment.language")
_WH_NOUN = re.compile(_PATTERNS["wh_noun"])
_OF_NOUN = re.compile(_PATTERNS["of_noun"])
_POSSESSED = re.compile(r"'s (?P<noun>[a-z][a-z -]*?)\??$")
_DEFINES = re.compile(_PATTERNS["defines"])
_OTHER = 0.4
_FILLERS = frozenset("current new main primary common name first last latest other another lead".split())
_LINKING = frozenset("associate affiliate belong locate refer take place include member play serve involve".split())


@dataclass(frozen=True, slots=True)
class Focus:
    """A question as a reader needs it.

    ``subject`` are the stems of what it is about, ``name`` the same as written where it is a name, ``cues`` the roots
    that mark the relation with a weight from 0 to 1, ``limits`` the numbers and years that restrict it, ``spoken``
    every stem it says.
    """

    question: str
    kind: AnswerKind
    noun: str
    name: str
    subject: frozenset[str]
    cues: dict[str, float]
    limits: frozenset[str]
    verb: str = ""
    spoken: frozenset[str] = frozenset()
    parts: frozenset[tuple[str, str]] = frozenset()

    @property
    def words(self) -> frozenset[str]:
        """Every stem of the question that carries meaning."""
        return self.subject | frozenset(self.cues) | self.limits


@lru_cache(maxsize=1024)
def read_focus(question: str) -> Focus:
    """What a question, or a topic in a few words, asks for."""
    folded = fold(question).strip()
    noun = "" if folded.startswith(("when", "where", "what do", "what did")) else _noun(folded)
    kind = _kind(folded, noun)
    words = [token for token in tokenise(question) if not token.is_stop]
    name, inside = _name(question, words)
    outside = [word for word in words if word.stem not in inside and word.kind == "word"]
    verb = _verb(folded, outside)
    cues = _cues(noun, verb, outside)
    if re.search(r"\bwhere\b|\blocat", folded):
        cues = {**related("locate"), **cues}
    # Another number, as of "Splatoon 2", belongs to a name.
    limits = frozenset(word.normal for word in words if word.normal.isdigit() and len(word.normal) == 4)
    parts = numbered_parts(words)
    subject = frozenset(inside) or frozenset(
        word.stem for word in outside if cues.get(root(word.stem), 0.0) <= _OTHER or word.text[:1].isupper()
    )
    return Focus(
        question, kind, noun, name, subject - limits, cues, limits, verb, frozenset(word.stem for word in words), parts
    )


ORDINALS = {
    word: str(number)
    for number, word in enumerate(
        """
        first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth
        fifteenth sixteenth seventeenth eighteenth nineteenth twentieth
        """.split(),
        1,
    )
}
"""Ordinals in words, as digits: "the eleventh season" and "season 11" are one."""
_DIGITS = re.compile(r"(?<=[0-9])(?:st|nd|rd|th)$")
_NEAR = 3
_PARTS = frozenset("season episode part chapter volume round week phase stage game series act book day".split())


def numbered_parts(words: Sequence[Token]) -> frozenset[tuple[str, str]]:
    """The numbered parts a text names: "season 4" and "the fourth season" are one."""
    found: set[tuple[str, str]] = set()
    for place, word in enumerate(words):
        if word.stem not in _PARTS:
            continue
        after = words[place + 1].normal if place + 1 < len(words) else ""
        before = [other.normal for other in words[max(0, place - _NEAR) : place]]
        numbers = [after, *(ORDINALS.get(one) or _DIGITS.sub("", one) for one in before if not one.isdigit())]
        found |= {(word.stem, number) for number in numbers if number.isdigit()}
    return frozenset(found)


def _cues(noun: str, verb: str, outside: list[Token]) -> dict[str, float]:
    """The noun or verb asked for and its kin; other plain words of the question count little."""
    cues: dict[str, float] = {}
    for word in (*noun.split()[-2:], *(() if noun else (verb,))):
        if word:
            cues |= {mark: max(weight, cues.get(mark, 0.0)) for mark, weight in related(word).items()}
    for word in outside:
        if word.stem not in _FILLERS and not word.text[:1].isupper():
            cues.setdefault(root(word.stem), _OTHER)
    return cues


def _noun(folded: str) -> str:
    for pattern in (_HOW_NOUN, _OF_NOUN, _WH_NOUN, _POSSESSED):
        found = pattern.search(folded)
        if found:
            words = [word for word in found["noun"].replace("-", " ").split() if word not in _FILLERS]
            return " ".join(words[-3:])
    return ""


def _kind(folded: str, noun: str) -> AnswerKind:
    if re.search(r"\bwhen\b", folded):
        return "date"
    if _HOW.search(folded):
        return "number"
    if re.search(r"\bwhere\b", folded):
        return "place"
    heads = noun.split()
    for kind, nouns in _KINDS:
        if heads and (heads[-1] in nouns or (kind in {"date", "number"} and heads[0] in nouns)):
            return kind
    if re.search(r"\bwho(?:m|se)?\b", folded):
        return "person"
    for kind, nouns in _KINDS[:3]:
        if any(re.search(rf"\b(?:what|which) (?:\w+ )?{word}\b", folded) for word in nouns):
            return kind
    if re.search(r"\bname of\b", folded):
        return "name"
    return "definition" if _DEFINES.search(folded) and not noun else "kind"


def _name(question: str, words: list[Token]) -> tuple[str, set[str]]:
    """The thing the question is about: what stands in quotes, else its names, with the stems inside."""
    spans = quoted_spans(question) or _capital_spans(question)
    inside = {word.stem for word in words if any(start <= word.start and word.end <= end for start, end in spans)}
    return " ".join(question[start:end] for start, end in spans), inside


_CAPITALS = re.compile(_PATTERNS["capitals"])
_OPENERS = frozenset(
    "ceo what who whom whose which where when how why in on at is was are were did does do the a an".split()
)


def _capital_spans(question: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for found in _CAPITALS.finditer(question):
        start, end = found.span()
        first = re.match(r"[\w']+", question[start:end])
        while first and first.group().casefold() in _OPENERS:
            start += first.end()
            start += len(question[start:end]) - len(question[start:end].lstrip())
            first = re.match(r"[\w']+", question[start:end])
        text = question[start:end].rstrip("?.,'")
        if any(char.isupper() for char in text) or (text[:1].isdigit() and not text.isdigit()):
            spans.append((start, start + len(text)))
    return spans


def _verb(folded: str, words: list[Token]) -> str:
    """The verb of "who acquired X" or "when was X released": the last or first plain word that is no linking word."""
    plain = [word.stem for word in words if word.stem not in _LINKING and word.stem not in _FILLERS]
    if not plain:
        return ""
    return plain[0] if folded.startswith(("who", "which", "what")) else plain[-1]
