"""What a name or a date is in its sentence: the beaten one of a contest, a mere title, the date of another event.

"Who won?" is not answered by the one who was defeated, "who?" not by an award or a line of a menu, and "when was it
released?" not by the day it was announced. Each is told from the words around a stretch, never from which name it is.
"""

from __future__ import annotations

import re

from averment.language.claims.focus import Focus
from averment.language.claims.names import name_words
from averment.language.stems import root, stem
from averment.language.tokens import Span, fold
from averment.language.word_lists import patterns, word_lists

_BY_TITLE = (
    r"(?:(?:the|his|her|fellow|world|no\.?|number|top|defending|reigning|champions?|former|rivals?|holders?|seed(?:ed)?"
    r"|[0-9-]+|[a-z]+(?:ian|ish|ese|ican)) ){0,4}$"
)
_BEATS = re.compile(
    r"\b(?:(?:defeat|beat|thrash|trounce|oust|upset|outlast|overpower|edge|topple|dethrone)(?:s|ed|d|ing|ting)?"
    r"(?: out| past)?|overcame|overcomes?|bt|def\.?"
    r"|(?:wins?|won|victory|victories|triumph(?:s|ed)?|success|prevail(?:s|ed)?)\b[^.;:]{0,30}?\b(?:over|against)"
    r"|ahead of|runners?-up) " + _BY_TITLE
)
_PATTERNS = patterns("roles", "averment.language")
_IS_BEATEN = re.compile(_PATTERNS["is_beaten"])
_WINS = 0.7

_LISTS = word_lists("claims.roles")
_HAPPENINGS = frozenset(_LISTS["happenings"].split())
_ROLES = frozenset(_LISTS["roles"].split())
_EVENTS = frozenset(root(word) for word in _LISTS["events"].split())
_CLOSE = 6
_SPEAKS = re.compile(_PATTERNS["speaks"])
_ARTICLE = re.compile(r"\b(?:[Aa]n?|[Tt]he|first|another) $")
_GOES_ON = re.compile(_PATTERNS["goes_on"])
_FORMER = re.compile(_PATTERNS["former"])
_NOW = re.compile(r"\b(?:who|what|which)\b.*\b(?:is|are)\b|\b(?:current|currently|new|now)\b")
_REFERS = re.compile(_PATTERNS["refers"])


def is_beaten(focus: Focus, text: str, span: Span) -> bool:
    """Whether the question asks who won and the stretch names one who lost."""
    if focus.cues.get(root("win"), 0.0) < _WINS:
        return False
    folded = fold(text)
    return bool(_BEATS.search(folded[: span[0]]) or _IS_BEATEN.match(folded, span[1]))


def names_nobody(name: str) -> bool:
    """Whether a run of capitals names an event, a role or a line of a menu, and so nobody."""
    words = [word for word in name_words(name) if not word.isdigit()]
    if not words:
        return True
    return words[-1] in _HAPPENINGS or all(word in _ROLES or word in _HAPPENINGS for word in words)


def is_speaker(focus: Focus, text: str, span: Span) -> bool:
    """Whether a name only tells what it thinks: a question of who did it is not answered by who spoke of it."""
    return focus.kind == "person" and bool(_SPEAKS.match(fold(text), span[1]))


def is_part_of_a_name(focus: Focus, text: str, span: Span) -> bool:
    """Whether a name goes on with a noun that makes it the name of something else: "Adult Alternative Songs"."""
    return focus.kind == "person" and bool(_GOES_ON.match(text, span[1]))


def is_by_origin(focus: Focus, text: str, span: Span) -> bool:
    """Whether a stretch only tells where someone is from: "a Colombian" names nobody."""
    word = text[slice(*span)]
    if focus.kind != "person" or " " in word or not word.endswith(("an", "ish", "ese", "ic")):
        return False
    return bool(_ARTICLE.search(text[: span[0]]))


def is_former(focus: Focus, text: str) -> bool:
    """Whether the question asks who is it now and the sentence speaks of someone who was."""
    asked = fold(focus.question)
    return focus.kind == "person" and bool(_NOW.search(asked) and not focus.limits and _FORMER.search(fold(text)))


def refers_back(text: str) -> bool:
    """Whether a sentence speaks of a thing named elsewhere: "the game", "it"."""
    return bool(_REFERS.search(fold(text)))


def of_another_event(focus: Focus, text: str, span: Span) -> float:
    """Whether the verb nearest before a date, or right behind it, is an event the question does not ask about."""
    before = re.findall(r"[^\W\d_]+", text[max(0, span[0] - 80) : span[0]])[-_CLOSE:]
    for word in reversed(before):
        form = root(stem(word.casefold()))
        if form in focus.cues:
            return 0.0
        if form in _EVENTS:
            return 1.0
    return 0.0
