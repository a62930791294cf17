"""Other shapes of one sentence: relative clauses, genitives and comparisons said the other way round."""

from __future__ import annotations

from collections.abc import Iterator

from averment.language.retelling.sentence_parts import ARTICLES, AUXILIARIES, NOT, PREPOSITIONS
from averment.language.retelling.synonyms import Words, is_past

_FINITE = AUXILIARIES - NOT
_LONGEST_OWNED = 3
_CONVERSE = {
    word: other
    for pair in """
    faster slower; larger smaller; bigger smaller; higher lower; older newer; longer shorter; earlier later; heavier
    lighter; cheaper dearer; stronger weaker; wider narrower; deeper shallower; warmer colder; safer riskier
    """.split(";")
    for word, other in (pair.split(), pair.split()[::-1])
} | {"older": "younger"}


def other_shapes(words: Words) -> Iterator[Words]:
    """The sentence in the other shapes that it may have without another meaning."""
    for shape in (_joined, _reduced, _genitives, _compared):
        yield from shape(words)


def _joined(words: Words) -> Iterator[Words]:
    """ "The project, which was started by A, is kept by B" as "the project was started by A and is kept by B"."""
    commas = [at for at, word in enumerate(words) if word == ","]
    if len(commas) == 2:
        first, second = commas
        relative, finite = words[first + 1 : first + 3], words[second + 1 : second + 2]
        if relative[:1] in {("which",), ("who",)} and relative[1:] and {relative[1], *finite} <= _FINITE:
            yield (*words[:first], *words[first + 2 : second], "and", *words[second + 1 :])


def _reduced(words: Words) -> Iterator[Words]:
    """ "Functions that are marked as hot" as "functions marked as hot"."""
    for at in range(1, len(words) - 2):
        relative = words[at] in {"that", "which", "who"} and words[at + 1] in {"is", "are"}
        compared = words[at + 3 : at + 4] == ("than",)
        if relative and (compared or is_past(words[at + 2])) and words[at - 1].isalpha():
            yield (*words[:at], *words[at + 2 :])


def _genitives(words: Words) -> Iterator[Words]:
    """ "The museum's north wing" as "the north wing of the museum"."""
    for at, word in enumerate(words):
        if not word.endswith("'s") or word in {"it's", "that's", "there's", "let's"}:
            continue
        start = at - 1 if at and words[at - 1] in ARTICLES else at
        owner = (*words[start:at], word[:-2])
        for end in range(at + 2, min(at + 2 + _LONGEST_OWNED, len(words) + 1)):
            owned = words[at + 1 : end]
            if not set(owned) & (PREPOSITIONS | _FINITE | {","}):
                yield (*words[:start], "the", *owned, "of", *owner, *words[end:])


def _compared(words: Words) -> Iterator[Words]:
    """ "A is faster than B" as "B is slower than A"; only where the whole sentence is the comparison."""
    for at in range(2, len(words) - 2):
        if words[at] in _CONVERSE and words[at + 1] == "than" and words[at - 1] in {"is", "are", "was", "were"}:
            ours, theirs = words[: at - 1], words[at + 2 :]
            if not {*ours, *theirs} & (PREPOSITIONS | {",", "and", "or", "not", "no", "that"}):
                yield (*theirs, words[at - 1], _CONVERSE[words[at]], "than", *ours)
