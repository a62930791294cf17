"""Verbs in the past, and the verb that each is of: "rang" and "rung" are of "ring"."""

from __future__ import annotations

from averment.language.word_lists import word_lists

_OF = {
    form: verb
    for verb, *forms in (
        line.split() for line in word_lists("deeds", "averment.agents.assistant")["forms"].splitlines()
    )
    for form in forms
}
_SAME = frozenset(form for form, verb in _OF.items() if form == verb)


def verb_of(word: str) -> str | None:
    """The verb that a word is a past form of; None where it is none. Regular forms keep their ending."""
    plain = word.casefold()
    if plain in _OF:
        return _OF[plain]
    return plain if len(plain) > 4 and plain.endswith("ed") and not plain.endswith("eed") else None


def commands_too(word: str) -> bool:
    """Whether a past form is written like a command: "put", "read", "cut"."""
    return word.casefold() in _SAME
