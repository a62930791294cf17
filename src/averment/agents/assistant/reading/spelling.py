"""Slips of the hand in the words that command: "remnid me", "shwo my taks". The user's own words for things stay.

Only the first word is taken for a command, only where it is no word of its own, and only by one slip: two letters in
the wrong order, or, in long words, one letter too many, too few, or wrong.
"""

from __future__ import annotations

import re

from averment.language.word_lists import word_lists

COMMANDS = (
    *("remind", "delete", "remove", "complete", "finish", "update", "change", "rename"),
    *("show", "list", "mark", "undo"),
)
_TASKS = ("task", "tasks")
_ANYWHERE = (
    *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "tomorrow", "everything"),
    *("except", "done", "make", "high", "priority", "urgent", "every", "next", "completed", "finished"),
)
"""Words that say when, how urgent and which; they are put right wherever they stand."""
_LONG = 6
_WORD = re.compile(r"[A-Za-z]+")
_COURTESY = frozenset({"please", "pls", "can", "could", "you", "hey", "hi", "ok", "okay", "also", "and"})
_LISTS = word_lists("spelling", "averment.agents.assistant")
_REAL = frozenset(_LISTS["real"].split())
_ENDINGS = ("s", "d", "r", "ed", "ing", "er", "ly")
_SHORT_FORMS: dict[str, str] = _LISTS["short_forms"]


def corrected(text: str) -> str:
    """The message with its command put right, if a slip of the hand hides one."""
    command_seen = False

    def put_right(found: re.Match[str]) -> str:
        nonlocal command_seen
        word = found.group()
        plain = word.casefold()
        if plain in _SHORT_FORMS:
            command_seen = True
            return _SHORT_FORMS[plain]
        if any(_swapped(plain, known) for known in _TASKS):
            return next(known for known in _TASKS if _swapped(plain, known))
        meant = next((known for known in _ANYWHERE if _slipped(plain, known)), None)
        if meant is not None:
            command_seen = command_seen or meant == "make"
            return meant
        if command_seen or plain in _COURTESY:
            return word
        command_seen = True
        return next((known for known in COMMANDS if _slipped(plain, known)), word)

    return _WORD.sub(put_right, text)


def _slipped(word: str, known: str) -> bool:
    if word == known or word in _REAL or (word.startswith(known[:-1]) and word.endswith(_ENDINGS)):
        return False
    return _swapped(word, known) or (len(known) >= _LONG and _one_off(word, known))


def _swapped(word: str, known: str) -> bool:
    """Whether two neighbouring letters changed places."""
    if len(word) != len(known) or word == known:
        return False
    differing = [at for at in range(len(word)) if word[at] != known[at]]
    return (
        len(differing) == 2
        and differing[1] == differing[0] + 1
        and word[differing[0]] == known[differing[1]]
        and word[differing[1]] == known[differing[0]]
    )


def _one_off(word: str, known: str) -> bool:
    """Whether one letter is too many, too few or wrong."""
    if abs(len(word) - len(known)) > 1:
        return False
    at = next((at for at, (left, right) in enumerate(zip(word, known, strict=False)) if left != right), None)
    if at is None:
        return len(word) != len(known)
    tails = ((word[at + 1 :], known[at:]), (word[at:], known[at + 1 :]), (word[at + 1 :], known[at + 1 :]))
    return any(left == right for left, right in tails)
