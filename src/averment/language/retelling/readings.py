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
    ARTICLES,
    AUXILIARIES,
    BE,
    CHANGES,
    CLAUSES,
    DATIVE,
    DO,
    EDITIONS,
    FRONTED,
    HAVE,
    JOINS,
    LIMITS,
    MEASURES,
    MODALS,
    NO_VERBS,
    NOT,
    PREPOSITIONS,
    QUANTIFIERS,
    REASONS,
    RELATIVES,
    SPEECH,
    YEAR,
    begins_part,
    floats,
    is_adverb,
    joins,
    split_parts,
    timed,
)
from averment.language.retelling.synonyms import Words, base_of, is_past, words_of

Reading = tuple[object, ...]
_PAST, _PRESENT, _BARE = "past", "present", "bare"
_OWN = ((), (), False, False, _PRESENT, base_of("own"))


def voices_of(core: Words, beside: tuple[Words, ...]) -> set[Reading]:
    """The readings of a clause as agent, verb, object and further parts."""
    everything = {*core, *(word for part in beside for word in part)}
    if everything & NOT and everything & (QUANTIFIERS | REASONS):
        return set()  # Which of the two holds over the other may change with the voice.
    return {*_passives(core, beside), *_actives(core, beside)}


def _reading(agent: Words, verb: Reading, thing: Words, parts: list[Words]) -> Reading:
    return ("voice", agent, verb, thing, tuple(sorted(parts)))


def _passives(core: Words, beside: tuple[Words, ...]) -> Iterator[Reading]:
    for at in range(2, len(core)):
        start = _group_start(core, at)
        group = core[start:at]
        if not is_past(core[at]) or not set(group) & BE or start == 0 or (beside and joins(core[:start])):
            continue
        verb, thing, rest = _verb(group, core[at], passive=True), core[:start], core[at + 1 :]
        for agent, others in _agents(rest, beside):
            if agent and agent[0][0].isdigit() and base_of(core[at]) in _CHANGES:
                continue
            yield _reading(agent, verb, thing, others)
            bare = next((part for part in others if part[0] not in PREPOSITIONS and part not in beside), None)
            if base_of(core[at]) in _DATIVE_ROOTS and bare is not None:
                left = [part for part in others if part is not bare]
                yield _reading(agent, verb, bare, [*left, ("to", *thing)])


_CHANGES = frozenset(base_of(verb) for verb in CHANGES)
_DATIVE_ROOTS = frozenset(base_of(verb) for verb in DATIVE)


def _agents(rest: Words, beside: tuple[Words, ...]) -> Iterator[tuple[Words, list[Words]]]:
    """Who does it, with the other parts: named by "by", or the edition in which it is done."""
    named = False
    for at, word in enumerate(rest):
        if word != "by" or at + 1 == len(rest):
            continue
        named = True
        only = at > 0 and rest[at - 1] == "only"
        before = rest[: at - 1] if only else rest[:at]
        for end in range(at + 2, len(rest) + 1):
            if end < len(rest) and not begins_part(rest, end):
                continue
            agent = (*(("only",) if only else ()), *rest[at + 1 : end])
            reaches = end < len(rest) and (joins(agent) or bool(set(agent) & RELATIVES))
            if agent[-1] in PREPOSITIONS or not _does(agent) or reaches:
                continue
            yield agent, [*split_parts(before), *split_parts(rest[end:]), *beside]
    if not named:
        parts = [*split_parts(rest), *beside]
        yield (), parts
        for part in parts:
            if part[0] == "in" and set(part[1:3]) & EDITIONS:
                yield part[1:], [one for one in parts if one is not part]


def _does(agent: Words) -> bool:
    """Whether what follows "by" is who does it: no measure, no way of doing it, no edition by which it is done."""
    measure = agent[0][0].isdigit() and (len(agent) == 1 or bool(set(agent) & (MEASURES | {"percent", "%", "points"})))
    return not (measure or agent[0].endswith("ing") or set(agent[:2]) & EDITIONS)


def _actives(core: Words, beside: tuple[Words, ...]) -> Iterator[Reading]:
    for at in range(1, len(core) - 1):
        word, start = core[at], _group_start(core, at)
        agent, group, rest = core[:start], core[start:at], core[at + 1 :]
        if not word.isalpha() or word in NO_VERBS or not _names(agent):
            continue
        if (set(group) & BE and not word.endswith("ing")) or (beside and joins(agent)):
            continue
        if base_of(word) == "belong" and rest[0] == "to" and not group:
            yield _reading(rest[1:], _OWN, agent, list(beside))
            continue
        verb = _verb(group, word, passive=False)
        # "You can use it" is said of anyone, as "it can be used" is.
        agents = [agent, ()] if agent == ("you",) and set(group) & MODALS else [agent]
        for thing, parts in _things(word, rest):
            for who in agents:
                yield _reading(who, verb, thing, [*parts, *beside])


def _things(word: str, rest: Words) -> Iterator[tuple[Words, list[Words]]]:
    """What is done to what, with the other parts; who is given something stands behind "to", whatever the order."""
    for end in range(1, len(rest) + 1):
        thing = rest[:end]
        if end < len(rest) and not begins_part(rest, end):
            continue
        if thing[0] in PREPOSITIONS | LIMITS - {"only"} or thing[-1] in PREPOSITIONS:
            continue
        if end < len(rest) and (joins(thing) or set(thing) & (RELATIVES | {","})):
            continue  # What follows may belong to the last of what is joined, or to the clause inside.
        parts = split_parts(rest[end:])
        yield thing, parts
        if base_of(word) in _DATIVE_ROOTS and not any(part[0] == "to" for part in parts):
            for given in range(1, len(thing)):
                if thing[given] in ARTICLES or thing[given][0].isdigit():
                    yield thing[given:], [*parts, ("to", *thing[:given])]


def _names(agent: Words) -> bool:
    """Whether some words can be what does something."""
    return bool(agent) and agent[-1] not in ARTICLES | PREPOSITIONS | JOINS | {","}


def _group_start(core: Words, at: int) -> int:
    """Where the auxiliaries before a verb begin."""
    while at > 0 and core[at - 1] in AUXILIARIES:
        at -= 1
    return at


def _verb(group: Words, word: str, *, passive: bool) -> Reading:
    """A verb with its mood, negation, aspect and time: what must be the same in both voices."""
    modals = tuple(one for one in group if one in MODALS)
    perfect = next((one for one in group if one in HAVE), None)
    going = "being" in group if passive else bool(set(group) & BE)
    if modals:
        time = _BARE
    elif perfect is not None:
        time = _PAST if perfect == "had" else _PRESENT
    elif passive or going:
        time = _PAST if set(group) & {"was", "were", "got"} else _PRESENT
    elif set(group) & DO:
        time = _PAST if "did" in group else _PRESENT
    else:
        time = _PAST if is_past(word) and not (_same_in_present(word)) else _PRESENT
    return (modals, tuple(sorted(one for one in group if one in NOT)), perfect is not None, going, time, base_of(word))


def _same_in_present(word: str) -> bool:
    return word in {"cost", "cut", "hit", "hurt", "let", "put", "quit", "read", "set", "shut", "split", "spread"}


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
