"""Which passages of a pile can be sides of one dispute: those of the time and of the thing that is asked about.

Facts may come from all passages; but what is said of another year, or of something that shares only the occasion with
what is asked, agrees with nobody and contradicts nobody, and must not count for or against an answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from averment.agents.researcher.facets import without_opening_capital
from averment.agents.researcher.facts import PilePassage, ReadPile, years_asked, years_of
from averment.language.claims.names import find_names, name_words
from averment.language.claims.piles import group_answers
from averment.language.stems import root, stem
from averment.language.tokens import roots_of

_MARKS = re.compile("[\u2122\u00ae\u00a9]")
_ORDINALS = {
    word: str(number)
    for number, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        start=1,
    )
}
_TELLING = 2
"""So many words must be left of a question without a name, beside its relation, to tell what it is about."""


_RELATION = 0.7
"""From which weight on a word marks the relation asked for, and not what is asked about."""


def filter_conflicts(pile: ReadPile) -> ReadPile:
    """The pile with its answers as only these passages give them."""
    if not _is_named(pile):
        return replace(pile, passages=(), heard=(), entries=())
    kept = _of_the_thing(pile, _of_the_time(pile, range(len(pile.passages))))
    if len(kept) == len(pile.passages):
        return pile
    heard = tuple(pile.heard[place] for place in kept)
    passages = tuple(pile.passages[place] for place in kept)
    return replace(pile, passages=passages, heard=heard, entries=tuple(group_answers(pile.focus, heard)))


def _is_named(pile: ReadPile) -> bool:
    """Whether a passage names something that the question names, where it names anything."""
    asked = [spoken_words(name.text) for name in find_names(without_opening_capital(pile.question))]
    held = [spoken_words(_words(passage)) for passage in pile.passages]
    return not asked or any(name <= words for name in asked for words in held)


def spoken_words(text: str) -> set[str]:
    """The words of a name or a text as names are compared: without marks of trade, of one or of many, with numbers.

    "The Maxwell awards" speaks of the Maxwell Award, "the eleventh season" of Season 11.
    """
    words = name_words(_MARKS.sub("", text))
    numbers = {_ORDINALS[word] for word in words if word in _ORDINALS}
    return {stem(word) for word in words} | numbers


def _of_the_time(pile: ReadPile, places: Sequence[int]) -> list[int]:
    """Of a question about a year, the passages that name that year, or none."""
    asked = years_asked(pile.focus)
    return [place for place in places if not asked or _may_be_of(asked, pile.passages[place])]


def _may_be_of(asked: set[str], passage: PilePassage) -> bool:
    named = years_of(passage)
    return not named or bool(asked & named)


def _of_the_thing(pile: ReadPile, places: Sequence[int]) -> list[int]:
    """Of a question that names nothing, the passages that hold as many of its telling words as any, or one less."""
    relation = {word for word, weight in pile.focus.cues.items() if weight >= _RELATION}
    telling = {root(word) for word in pile.focus.spoken} - relation - years_asked(pile.focus)
    if find_names(without_opening_capital(pile.question)) or len(telling) < _TELLING:
        return list(places)
    shares = {place: len(telling & roots_of(_words(pile.passages[place]))) for place in places}
    most = max(shares.values(), default=0)
    return [place for place in places if most < _TELLING or shares[place] >= most - 1]


def _words(passage: PilePassage) -> str:
    return f"{passage.title} {passage.text}"
