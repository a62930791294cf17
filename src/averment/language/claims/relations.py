"""Words that mark one relation: who asks for an artist is answered by "album by", "recorded by", "singer".

Groups of stems, each a relation that questions and texts name in different words. A word of a group stands for all of
it; the word itself counts most.
"""

from __future__ import annotations

from functools import lru_cache

from averment.language.stems import root
from averment.language.word_lists import word_lists

_LISTS = word_lists("claims.relations")
_GROUPS = _LISTS["groups"]
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
