"""The closed classes of words by which a sentence is taken apart without knowing what its nouns and verbs are."""

from __future__ import annotations

import re

from averment.language.retelling.synonyms import Words

CHANGES = frozenset("raise lower reduce increase extend shorten delay exceed grow expand cut".split())
"""Verbs that take a measure of what they do behind "by"."""
MODALS = frozenset("can could may might must shall should will would need".split())
BE = frozenset("is are was were be been being gets get got".split())
HAVE = frozenset("has have had".split())
DO = frozenset("do does did".split())
NOT = frozenset("not never".split())
AUXILIARIES = MODALS | BE | HAVE | DO | NOT

CLAUSES = frozenset("if unless when whenever before after while because since until once although where".split())
"""What a clause begins with that may stand before or after the one it belongs to."""
FRONTED = frozenset("in on at during between since until before after within under throughout".split())
"""Prepositions whose phrase says when, where or in what matter wherever it stands in its clause."""
PREPOSITIONS = FRONTED | frozenset(
    """
    about above across against along among as below behind beside besides beyond by concerning despite down for from
    into like near onto out over per through to toward upon via with without instead than
    """.split()
)
"""Words that begin a part of their own behind a verb; what follows "of" belongs to the noun before it."""
JOINS = frozenset("and or but nor".split())
RELATIVES = frozenset("that which who whose whom what why how whether".split())
SPEECH = frozenset("say claim argue believe report suggest warn think assume expect deni know state show".split())
"""Roots of verbs whose clause need not be marked as one: a condition behind it may be the speaker's or the speech's."""
REASONS = frozenset("because so until since according".split())
"""What a negation may or may not hold over: it stays where it stands."""
LIMITS = frozenset("only even not just except immediately shortly long soon exactly right".split())
MEASURES = frozenset("seconds minutes hours days weeks months years second minute hour day week month year".split())
QUANTIFIERS = frozenset("all every each any most some no both few many several only either neither none half".split())
EDITIONS = frozenset("version release edition pep rfc chapter section article act amendment update patch".split())
"""Things that do in themselves what is done in them: "version 5 removes it" is "it is removed in version 5"."""
DATIVE = frozenset("lend give sell send pay offer grant award hand show teach tell promise".split())
ARTICLES = frozenset("the a this that these those its their his her our my your".split())
NO_VERBS = (
    AUXILIARIES | PREPOSITIONS | RELATIVES | JOINS | CLAUSES | ARTICLES | QUANTIFIERS | LIMITS | REASONS | {"of", "an"}
)
PRONOUNS = frozenset("it he she they them him we you i".split())
MONTHS = frozenset(
    """january february march april june july august september october november december spring summer autumn winter
    """.split()
)
YEAR = re.compile(r"(?:1\d|20)\d\d|\d{4}-\d\d(?:-\d\d)?")
DEGREES = frozenset(
    """
    only nearly exactly approximately merely barely hardly mainly mostly partly especially particularly fully largely
    slightly entirely clearly simply surely really hopefully frankly honestly naturally early weekly likely unlikely
    family reply supply apply assembly rely multiply comply july italy friendly
    """.split()
)
"""Words in -ly that belong to the word beside them, change sense with their place, or are no adverbs."""
PLAIN_ADVERBS = frozenset("daily annually monthly often now perhaps seldom always sometimes yet already still".split())


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
