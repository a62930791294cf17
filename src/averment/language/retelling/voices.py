"""Who does what in a clause: one reading for its active and its passive voice, whichever it stands in."""

from __future__ import annotations

from collections.abc import Iterator

from averment.language.retelling.sentence_parts import (
    ARTICLES,
    AUXILIARIES,
    BE,
    CHANGES,
    DATIVE,
    DO,
    EDITIONS,
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
    begins_part,
    joins,
    split_parts,
)
from averment.language.retelling.synonyms import Words, base_of, is_past

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
