"""A light English stemmer of our own: plurals and verb endings back to the word a schema would use.

``stem`` aims at the dictionary form ("cities" to city, "hired" to hire); where a word has no rule it comes back
unchanged. ``root`` cuts further and is for comparing only: two words with one root are forms of one word. No
derivation is undone ("government" stays), since names that differ that much are usually different names.
"""

from __future__ import annotations

import re
from functools import lru_cache

_IRREGULAR = {
    form: lemma
    for lemma, forms in {
        "address": "addresses addressed addressing",
        "analysis": "analyses",
        "axis": "axes",
        "basis": "bases",
        "be": "am is are was were been being",
        "begin": "began begun beginning",
        "bring": "brought",
        "bus": "buses busses",
        "business": "businesses",
        "buy": "bought buying",
        "campus": "campuses",
        "cancel": "cancelled canceled cancelling canceling cancels",
        "calorie": "calories",
        "child": "children",
        "choose": "chose chosen",
        "come": "came coming",
        "cookie": "cookies",
        "cost": "costs costing",
        "compute": "computed computing computes",
        "create": "created creates creating",
        "criterion": "criteria",
        "crisis": "crises",
        "die": "died dies dying",
        "diagnosis": "diagnoses",
        "do": "does did done doing",
        "drive": "drove driven",
        "fall": "fell fallen",
        "fly": "flew flown flies flying",
        "foot": "feet",
        "gas": "gases",
        "get": "got gotten getting",
        "give": "gave given",
        "go": "goes went gone going",
        "grow": "grew grown",
        "half": "halves",
        "have": "has had having",
        "hold": "held",
        "hypothesis": "hypotheses",
        "index": "indices indexes",
        "join": "joined joining",
        "keep": "kept",
        "know": "knew known",
        "label": "labelled labelling",
        "leaf": "leaves",
        "leave": "left leaving",
        "life": "lives",
        "lose": "lost losing",
        "make": "made making",
        "man": "men",
        "matrix": "matrices",
        "medium": "media",
        "meet": "met",
        "model": "modelled modelling",
        "mouse": "mice",
        "move": "moved moving",
        "movie": "movies",
        "patch": "patches",
        "pay": "paid paying",
        "person": "people persons",
        "phenomenon": "phenomena",
        "purchase": "purchased purchases purchasing",
        "quiz": "quizzes",
        "release": "released releases releasing",
        "rise": "rose risen",
        "run": "ran running",
        "see": "saw seen",
        "sell": "sold",
        "send": "sent",
        "shelf": "shelves",
        "show": "shown showed",
        "speak": "spoke spoken",
        "spend": "spent",
        "status": "statuses",
        "take": "took taken",
        "teach": "taught",
        "tie": "ties tied tying",
        "tooth": "teeth",
        "total": "totalled totalling",
        "travel": "travelled travelling",
        "use": "used uses using",
        "virus": "viruses",
        "win": "won winning",
        "wife": "wives",
        "woman": "women",
        "write": "wrote written",
        "zero": "zeros zeroes",
    }.items()
    for form in forms.split()
}

_UNCHANGED = frozenset(
    """
    always analytics athletics bed bias biweekly bring bus business campus canvas census chaos christmas class across
    address corps during economics embed evening feed gas gross hundred king lens less loss mathematics morning mass
    miss need news physics pass plus politics press process red ring seed series shed sing species speed spring
    statistics status string success surplus thing this thus us various versus virus was wedding weed wing wireless
    access bonus focus genus corpus logistics mercedes texas paris kansas arkansas illinois congress progress atlas
    iris tennis ceiling clothing nothing something anything everything ping sibling sterling viking
    """.split()
)

_VOWEL = re.compile(r"[aeiouy]")
_DOUBLED = re.compile(r"([bdfgmnprt])\1$")
_SHORT = re.compile(r"^[^aeiou]*[aeiouy][^aeiouwxy]$")

# Ends of a verb that has lost its e before -ed or -ing: produc-ed, measur-ed, combin-ed.
_LOST_E = tuple(
    """
    bl cl dl fl gl kl pl tl iz yz v dg chang rang nc rc ic ac uc eg ag rg lg u as os is aus eas ens ers urs quir uir
    tur sur jur gur plor gnor par clar pir tir spir plet delet ecut ibut itut put vit nit lud vid cid vad sum nam bin
    fin clin min dul pil rol scrib crib urat
    """.split()
)
_KEPT = (
    "treat",
    "repeat",
    "heat",
    "seat",
    "float",
    "format",
    "chat",
    "focus",
    "bias",
    "put",
    "limit",
    "unit",
    "permit",
)


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
