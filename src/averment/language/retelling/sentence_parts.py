"""The closed classes of words by which a sentence is taken apart without knowing what its nouns and verbs are.

The lists, and what each is for, stand in ``words.toml``.
"""

from __future__ import annotations

import re

from averment.language.retelling.synonyms import Words
from averment.language.word_lists import word_lists


def _sets(names: str) -> tuple[frozenset[str], ...]:
    lists = word_lists("retelling.parts")
    return tuple(frozenset(lists[name].split()) for name in names.split())


CHANGES, MODALS, BE, HAVE, DO, NOT = _sets("changes modals be have do not")
CLAUSES, FRONTED, _OTHER_PREPOSITIONS, JOINS, RELATIVES = _sets("clauses fronted prepositions joins relatives")
SPEECH, REASONS, LIMITS, MEASURES, QUANTIFIERS = _sets("speech reasons limits measures quantifiers")
EDITIONS, DATIVE, ARTICLES, PRONOUNS, MONTHS = _sets("editions dative articles pronouns months")
DEGREES, PLAIN_ADVERBS = _sets("degrees plain_adverbs")
AUXILIARIES = MODALS | BE | HAVE | DO | NOT
PREPOSITIONS = FRONTED | _OTHER_PREPOSITIONS
NO_VERBS = (
    AUXILIARIES | PREPOSITIONS | RELATIVES | JOINS | CLAUSES | ARTICLES | QUANTIFIERS | LIMITS | REASONS | {"of", "an"}
)
YEAR = re.compile(r"(?:1\d|20)\d\d|\d{4}-\d\d(?:-\d\d)?")


def is_adverb(word: str) -> bool:
    """Whether a word is an adverb that says the same anywhere beside its verb."""
    return word in PLAIN_ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in DEGREES)


def floats(words: Words, at: int) -> bool:
    """Whether a word is an adverb of the clause, not of the noun or number that it stands with."""
    before = words[at - 1] if at else ""
    within = before in ARTICLES | PREPOSITIONS | QUANTIFIERS | {"of"} or before[:1].isdigit()
    return is_adverb(words[at]) and not within


def joins(words: Words) -> bool:
    """Whether something is joined in some words, other than the ends of a span or the bounds of a value."""
    for at, word in enumerate(words):
        span = "between" in words[max(0, at - 5) : at]
        bound = words[at + 1 : at + 2] in {("later",), ("newer",), ("earlier",), ("older",), ("more",), ("less",)}
        if word == ";" or (word in JOINS and not span and not bound):
            return True
    return False


def split_parts(words: Words) -> list[Words]:
    """What stands behind a verb, part by part; whole where clauses or joined things make its order count.

    A part whose preposition may belong to the noun before it stays with the part that it follows ("to a mine in
    Silesia"); what has a place of its own with the verb (to, from, by, a time) does not.
    """
    if not words:
        return []
    if joins(words) or set(words) & (RELATIVES | AUXILIARIES | PRONOUNS | {",", "if", "when", "because", "so", "than"}):
        return [words]
    starts = [0]
    for at in range(1, len(words)):
        end = next((place for place in range(at + 1, len(words)) if begins_part(words, place)), len(words))
        free = words[at] in {"to", "from", "by"} or words[starts[-1]] not in PREPOSITIONS or timed(words[at:end])
        if begins_part(words, at) and free:
            starts.append(at)
    return [words[start:end] for start, end in zip(starts, [*starts[1:], len(words)], strict=True)]


def begins_part(words: Words, at: int) -> bool:
    """Whether a part begins at a word: a condition, or a preposition that belongs to nothing before it."""
    if words[at] == "only" and words[at + 1 : at + 2] and words[at + 1] in CLAUSES:
        return True
    before = words[at - 1] if at else ""
    if before in PREPOSITIONS | LIMITS or (words[at] in {"before", "after"} and before in MEASURES):
        return False
    return words[at] in PREPOSITIONS | {"if", "when", "unless", "whenever", "while"}


def timed(words: Words) -> bool:
    """Whether a phrase says when or how long: it holds a year, a day, a version or a length of time."""
    return any(word in MEASURES | EDITIONS | MONTHS or YEAR.fullmatch(word) is not None for word in words)
