"""A light English stemmer of our own: plurals and verb endings back to the word a schema would use.

``stem`` aims at the dictionary form ("cities" to city, "hired" to hire); where a word has no rule it comes back
unchanged. ``root`` cuts further and is for comparing only: two words with one root are forms of one word. No
derivation is undone ("government" stays), since names that differ that much are usually different names.
"""

from __future__ import annotations

import re
from functools import lru_cache

from averment.language.word_lists import word_lists

_LISTS = word_lists("stems")
_IRREGULAR = {
    form: lemma
    for lemma, _, forms in (line.partition(":") for line in _LISTS["irregular"].splitlines())
    for form in forms.split()
}

_UNCHANGED = frozenset(_LISTS["unchanged"].split())

_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")
_SHORT = re.compile(r"^[^aeiou]*[aeiouy][^aeiouwxy]$")

# Ends of a verb that has lost its e before -ed or -ing: produc-ed, measur-ed, combin-ed.
_LOST_E = tuple(_LISTS["lost_e"].split())
_KEPT = tuple(_LISTS["kept"].split())


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The dictionary form of a casefolded English word as far as endings tell; other words unchanged."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) < 4 or word in _UNCHANGED or not word.isascii() or not word.isalpha():
        return (
            word[:-1] if len(word) == 3 and word.endswith("s") and word[-2] not in "aeious" and word.isalpha() else word
        )
    if word.endswith("s"):
        return _singular(word)
    for ending in ("ing", "ed"):
        if word.endswith(ending):
            return _present(word, word[: -len(ending)], ending)
    return word


def _singular(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    if word.endswith("oes") and len(word) > 5:
        return word[:-2]
    if word.endswith(("ss", "us", "is")):
        return word
    return word[:-1]


def _present(word: str, base: str, ending: str) -> str:
    if len(base) < 2 or not _VOWEL.search(base) or (ending == "ed" and base.endswith("e")):
        return word
    if ending == "ed" and base.endswith("i"):
        return base[:-1] + "y"
    if _DOUBLED.search(base) and len(base) > 3:
        return base[:-1]
    if _needs_final_e(base):
        return base + "e"
    return base


def _needs_final_e(base: str) -> bool:
    if base in _KEPT:
        return False
    if base.endswith(_LOST_E) or (base.endswith("at") and not base.endswith(("eat", "oat"))):
        return True
    # One short syllable closed by one consonant has lost its e: hir-ed, nam-ed, fil-ed.
    return bool(_SHORT.match(base))


@lru_cache(maxsize=65536)
def root(word: str) -> str:
    """A form for comparing only: the stem without its final e, final y as i; one root means one word."""
    base = stem(word)
    if len(base) > 3 and base.endswith("e"):
        base = base[:-1]
    if len(base) > 3 and base.endswith("y"):
        base = base[:-1] + "i"
    return base
