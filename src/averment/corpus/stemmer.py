"""Porter's algorithm: English words cut to a form that their inflections and derivations share.

Full-text search wants the deep cut ("regulation", "regulates" and "regulatory" near each other), unlike the schema
linking elsewhere, which wants dictionary words. The stem is a key for comparing and is never shown.
"""

from __future__ import annotations

import re
from functools import lru_cache

_CONSONANT = "[^aeiou]"
_VOWEL = "[aeiouy]"
_C = _CONSONANT + "[^aeiouy]*"
_V = _VOWEL + "[aeiou]*"
_MEASURE_ABOVE_0 = re.compile(f"^({_C})?{_V}{_C}")
_MEASURE_IS_1 = re.compile(f"^({_C})?{_V}{_C}({_V})?$")
_MEASURE_ABOVE_1 = re.compile(f"^({_C})?{_V}{_C}{_V}{_C}")
_HAS_VOWEL = re.compile(f"^({_C})?{_VOWEL}")
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")
_SHORT = re.compile(f"^{_C}{_VOWEL}[^aeiouwxy]$")

_STEP_2 = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "logi": "log",
}
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = tuple("al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize".split())
_SUFFIX_2 = re.compile("^(.+?)(" + "|".join(sorted(_STEP_2, key=len, reverse=True)) + ")$")
_SUFFIX_3 = re.compile("^(.+?)(" + "|".join(sorted(_STEP_3, key=len, reverse=True)) + ")$")
_SUFFIX_4 = re.compile("^(.+?)(" + "|".join(sorted(_STEP_4, key=len, reverse=True)) + ")$")


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The stem of a lower-case word; words that are short or not plain ASCII letters come back unchanged."""
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    # A y at the start is a consonant; a capital keeps it out of the vowel classes.
    if word[0] == "y":
        word = "Y" + word[1:]
    word = _endings(_plurals(word))
    if word.endswith("y") and _HAS_VOWEL.match(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _SUFFIX_2, _STEP_2)
    word = _replaced(word, _SUFFIX_3, _STEP_3)
    word = _derivations(word)
    return _final_e(word).lower()


def _plurals(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _endings(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _MEASURE_ABOVE_0.match(word[:-3]) else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            if not _HAS_VOWEL.match(base):
                return word
            if base.endswith(("at", "bl", "iz")):
                return base + "e"
            if _DOUBLE.search(base):
                return base[:-1]
            return base + "e" if _SHORT.match(base) else base
    return word


def _replaced(word: str, suffix: re.Pattern[str], table: dict[str, str]) -> str:
    found = suffix.match(word)
    if found and _MEASURE_ABOVE_0.match(found[1]):
        return found[1] + table[found[2]]
    return word


def _derivations(word: str) -> str:
    found = _SUFFIX_4.match(word)
    if found:
        return found[1] if _MEASURE_ABOVE_1.match(found[1]) else word
    if word.endswith(("sion", "tion")) and _MEASURE_ABOVE_1.match(word[:-3]):
        return word[:-3]
    return word


def _final_e(word: str) -> str:
    if word.endswith("e"):
        base = word[:-1]
        if _MEASURE_ABOVE_1.match(base) or (_MEASURE_IS_1.match(base) and not _SHORT.match(base)):
            word = base
    if word.endswith("ll") and _MEASURE_ABOVE_1.match(word):
        word = word[:-1]
    return word
