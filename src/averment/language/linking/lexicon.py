"""The words of analytics that mean the same or stand for each other: a lexicon of our own, small and checked by hand.

``ABBREVIATIONS`` maps a short form to its words, ``SYNONYMS`` puts words of one meaning in one group, ``IMPLIED``
maps a word of a question to the attributes it asks about ("oldest" to age). Words are stems in normal form.
"""

from __future__ import annotations

from averment.language.word_lists import word_lists

_LISTS = word_lists("lexicon")
_SHORT = _LISTS["short"]
ABBREVIATIONS: dict[str, tuple[tuple[str, ...], ...]] = {}
for _entry in _SHORT.replace("\n", " ").split(";"):
    _key, _, _words = _entry.strip().partition(": ")
    if _words:
        ABBREVIATIONS[_key] = (*ABBREVIATIONS.get(_key, ()), tuple(_words.split()))

_GROUPS = _LISTS["groups"]
SYNONYMS: dict[str, frozenset[str]] = {}
for _line in _GROUPS.strip().splitlines():
    _group = _line.split()
    for _word in _group:
        SYNONYMS[_word] = SYNONYMS.get(_word, frozenset()) | (frozenset(_group) - {_word})

_HINTS = _LISTS["hints"]
IMPLIED: dict[str, frozenset[str]] = {}
for _line in _HINTS.strip().splitlines():
    _left, _, _right = _line.partition(":")
    for _word in _left.split():
        IMPLIED[_word] = IMPLIED.get(_word, frozenset()) | frozenset(_right.split())
