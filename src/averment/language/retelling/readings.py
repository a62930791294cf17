"""The readings of a sentence: what it says, the same for every order and voice that it may be said in.

A sentence is a clause and what is set beside it: conditions, times, places, adverbs. These may stand first or last. A
clause with an agent is read as who does what, so that the active and the passive voice meet. Two sentences say the same
if they share a reading; every word of both is in it, so nothing is added, dropped or changed for another word than one
of the closed lists of synonyms gives. Where an order may turn the sense (joined clauses, relative clauses, speech,
negation with a reason) the sentence is left as it stands.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from averment.language.retelling.sentence_parts import (
    CLAUSES,
    FRONTED,
    LIMITS,
    MEASURES,
    NOT,
    PREPOSITIONS,
    REASONS,
    RELATIVES,
    SPEECH,
    YEAR,
    floats,
    is_adverb,
    joins,
    timed,
)
from averment.language.retelling.shapes import other_shapes
from averment.language.retelling.synonyms import Words, base_of, words_of
from averment.language.retelling.voices import Reading, voices_of

_DEPTH = 2
_PAIRS = frozenset(
    tuple(pair.split("_")) for pair in "according_to because_of so_that except_where as_of by_default".split()
)
_LONGEST_FRONT = 7


def same_meaning(text: str, source: str) -> bool:
    """Whether two sentences say the same, by moves of grammar and closed synonyms alone."""
    return bool(readings_of(text) & readings_of(source))


@lru_cache(maxsize=1024)
def readings_of(text: str) -> frozenset[Reading]:
    """All readings of one sentence."""
    words = words_of(text)
    found: set[Reading] = set()
    for said in dict.fromkeys((words, *other_shapes(words))):
        for core, beside in _taken_apart(said, (), _DEPTH):
            found.add(("plain", core, tuple(sorted(beside))))
            floating, rest = _adverbs(core)
            found.add(("plain", rest, tuple(sorted((*beside, *floating)))))
            found |= voices_of(rest, (*beside, *floating))
    return frozenset(found)


def _taken_apart(words: Words, beside: tuple[Words, ...], depth: int) -> Iterator[tuple[Words, tuple[Words, ...]]]:
    """The clause with what was set beside it taken off its ends, in every way that leaves the sense as it is."""
    yield words, beside
    if depth:
        for core, taken in (*_from_front(words), *_from_end(words)):
            yield from _taken_apart(core, (*beside, taken), depth - 1)


def _from_front(words: Words) -> Iterator[tuple[Words, Words]]:
    if "," in words[1:]:
        comma = words.index(",", 1)
        if _opens(words[:comma]) or is_adverb(words[0]):
            yield words[comma + 1 :], words[:comma]
    elif words and words[0] in FRONTED:
        for end in range(2, min(_LONGEST_FRONT, len(words) - 2)):
            yield words[end:], words[:end]


def _from_end(words: Words) -> Iterator[tuple[Words, Words]]:
    for at in range(2, len(words) - 1):
        core, taken = words[:at], words[at:]
        if not _opens(taken):
            continue
        core = core[:-1] if core[-1] == "," else core
        if _may_move(core, taken):
            yield core, taken


def _opens(words: Words) -> bool:
    """Whether some words can be set beside a clause: a condition, a time, a place, a reason, a source."""
    first, second, last = words[0], "".join(words[1:2]), "".join(words[-1:])
    if first in CLAUSES | FRONTED or words[:2] in _PAIRS:
        return second not in {"least", "most"}
    if first in {"for", "every", "each"}:
        return last in MEASURES or (first == "for" and second in {"each", "every"})
    if first == "from" and last in {"on", "onward", "onwards"}:
        return True
    return first in {"from", "by"} and YEAR.fullmatch(second) is not None


def _may_move(core: Words, taken: Words) -> bool:
    """Whether what ends a sentence may open it as well: it belongs to the whole clause, and to nothing inside it."""
    last = core[-1] if core else ""
    if joins(core) or "," in core or last in LIMITS | PREPOSITIONS:
        return False
    if taken[0] in {"before", "after"} and last in MEASURES:
        return False
    if taken[0] in {"in", "on", "at"} and not timed(taken) and set(core) & PREPOSITIONS - {"than"}:
        return False  # It may be the place of the noun before it.
    if set(core) & (RELATIVES | CLAUSES - FRONTED) or any(_speaks(core, at) for at in range(1, len(core) - 1)):
        return False
    return not (set(core) & NOT and taken[0] in REASONS)


def _speaks(core: Words, at: int) -> bool:
    """Whether a clause may follow a verb of speech unmarked."""
    return base_of(core[at]) in SPEECH and core[at + 1] not in PREPOSITIONS


def _adverbs(core: Words) -> tuple[tuple[Words, ...], Words]:
    """The adverbs that say the same anywhere in a clause, and the clause without them."""
    if joins(core) or set(core) & (RELATIVES | {","}):
        return (), core
    free = [at for at in range(len(core)) if floats(core, at)]
    return tuple((core[at],) for at in free), tuple(word for at, word in enumerate(core) if at not in free)
