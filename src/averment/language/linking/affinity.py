"""How near a word of a question is to a word of a name, by tiers that never mix: each has its own range of scores."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

from averment.language.linking.lexicon import ABBREVIATIONS, IMPLIED, SYNONYMS
from averment.language.stems import root, stem
from averment.language.tokens import STOP_WORDS

How = Literal["exact", "stem", "abbreviation", "synonym", "implied", "typo", "subset", "embedding"]

SCORES: dict[How, float] = {
    "exact": 1.0,
    "stem": 0.97,
    "abbreviation": 0.9,
    "synonym": 0.82,
    "typo": 0.78,
    "implied": 0.7,
    "subset": 0.6,
    "embedding": 0.5,
}
"""The score of each tier for a single word; a link's score is built from these."""

_ORDER: tuple[How, ...] = ("exact", "stem", "abbreviation", "synonym", "typo", "implied", "subset", "embedding")


def worst(tiers: list[How]) -> How:
    """The least sure of some tiers."""
    return max(tiers, key=_ORDER.index)


@lru_cache(maxsize=262_144)
def compare(word: str, name: str) -> tuple[How, float] | None:
    """The tier and score by which a question's word stands for a name's word; None when it does not."""
    if word == name:
        return "exact", SCORES["exact"]
    if root(word) == root(name):
        return "stem", SCORES["stem"]
    if _shortens(name, word) or _shortens(word, name):
        return "abbreviation", SCORES["abbreviation"]
    one, two = stem(word), stem(name)
    if two in SYNONYMS.get(one, ()):
        return "synonym", SCORES["synonym"]
    # A word of the lexicon is spelled as meant: "price" is no slip for "prize".
    if one not in SYNONYMS and word not in IMPLIED and _is_typo(word, name):
        return "typo", SCORES["typo"]
    if len(word) > 4 and name[1:] == word:
        return "subset", SCORES["subset"]  # Pclass, eVolume: one letter glued to the word.
    if two in IMPLIED.get(word, ()) or two in IMPLIED.get(one, ()):
        return "implied", SCORES["implied"]
    return None


def _shortens(short: str, full: str) -> bool:
    """Whether one word is a short form of the other: by the lexicon, as its beginning, or as its consonants."""
    if len(short) >= len(full):
        return False
    base = stem(full)
    if any(len(words) == 1 and words[0] in (base, full) for words in ABBREVIATIONS.get(short, ())):
        return True
    if short in ABBREVIATIONS or short in STOP_WORDS or not short.isalpha() or not full.isalpha():
        return False
    if 3 <= len(short) <= 5 and len(full) >= len(short) + 3 and full.startswith(short) and short not in SYNONYMS:
        # "dep" for department; a whole word such as "car" for "cargo" must not pass.
        return short[-1] not in "aeiou" and not _is_common(short)
    return (
        3 <= len(short) <= 5
        and not set(short[1:]) & set("aeiou")
        and short == _skeleton(full)[: len(short)]
        and len(full) > 4
    )


_COMMON = frozenset(
    """
    car cat dog man men sun son sea set sit car cup cut day end far fat fun gas get god gun hat hot ice job key kid
    law leg let lot low map mix net new old own pay pen per pet red run sad sex sky tax tea ten top try two use van
    war way web wet win form port part past post rest rich card cart case cast chart char past plan plant point pop
    star stat start stand ship shop show hand hard head heart her here his host hour inter just kind king land last
    late lead leg line list long lord main mark mass mean meter mid mini miss mode mon moon most nation nor north not
    out over park pass path perform person ping pro prop prim pub pur real rep room sal scar sea sens serv side sing
    slow some son song sound south spar spec spin step super sup sur tab ten term test text than that them then there
    thin this time ton town trans trip under univers up us use val ver vis wall ward war water weak week well west
    when whit who wild will wind wing with word work
    """.split()
)


def _is_common(word: str) -> bool:
    return word in _COMMON


def _skeleton(word: str) -> str:
    return word[0] + "".join(char for char in word[1:] if char not in "aeiou")


def _is_typo(word: str, name: str) -> bool:
    """One slip in words of five letters or more, two in nine or more; the first letter holds, numbers never match."""
    shorter = min(len(word), len(name))
    if shorter >= 4 and word.isalpha() and _undoubled(word) == _undoubled(name):
        return True
    if shorter < 5 or word[0] != name[0] or not (word.isalpha() and name.isalpha()):
        return False
    allowed = 1 if shorter < 9 else 2
    return abs(len(word) - len(name)) <= allowed and distance(word, name, allowed) <= allowed


def _undoubled(word: str) -> str:
    return "".join(char for place, char in enumerate(word) if char != word[place - 1 : place])


def distance(one: str, two: str, limit: int) -> int:
    """How many letters must be put in, left out, changed or swapped with their neighbour; limit + 1 when more."""
    if abs(len(one) - len(two)) > limit:
        return limit + 1
    before: list[int] = []
    row = list(range(len(two) + 1))
    for place, char in enumerate(one, 1):
        fresh = [place]
        for other, target in enumerate(two, 1):
            cost = min(row[other] + 1, fresh[other - 1] + 1, row[other - 1] + (char != target))
            if before and other > 1 and char == two[other - 2] and one[place - 2] == target:
                cost = min(cost, before[other - 2] + 1)
            fresh.append(cost)
        if min(fresh) > limit and (not before or min(row) > limit):
            return limit + 1
        before, row = row, fresh
    return min(row[-1], limit + 1)
