"""Taking a sentence apart into the statements that it joins, so that each can be held against a source of its own.

Statements are joined by words that say nothing themselves (and, but, while, whereas, a semicolon). Where two of them
share a part ("A and B are open", "A opens daily and closes at ten") it is said again for both. A word that would make
one the reason, the condition or the measure of the other joins nothing, and where what stands before may hold over what
follows (a condition, a year, a speaker, a negation) the two are not taken apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from averment.language.retelling.sentence_parts import AUXILIARIES, CLAUSES, FRONTED, PREPOSITIONS, YEAR

Tokens = tuple[str, ...]
Pair = tuple[Tokens, Tokens]

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*%?|\w+(?:['’.-]\w+)*|[^\w\s]", re.UNICODE)
_JOINS = frozenset("and but while whereas ;".split())
_SETTING_APART = frozenset("while whereas".split())
_ASIDE = tuple(
    tuple(turn.split())
    for turn in "by contrast;in contrast;on the other hand;in turn;however;likewise;similarly;also;too;both".split(";")
)
"""Turns of phrase that only say that two statements stand beside each other."""
_HOLDING = frozenset("not never no nor neither few only if unless when whenever that because between or".split())
_PRONOUNS = frozenset("it they he she".split())
_SINGULAR = {"are": "is", "were": "was", "have": "has", "do": "does"}
_LONGEST = 90


def tokens_of(text: str) -> Tokens:
    """The words and marks of a sentence, without its full stop."""
    found = _TOKEN.findall(" ".join(text.split()))[: _LONGEST + 1]
    while found and found[-1] in {".", "!", "?"}:
        found.pop()
    return tuple(found) if len(found) <= _LONGEST else ()


def plainer(tokens: Tokens) -> list[Tokens]:
    """The sentence, and the sentence without the turns that only set its statements beside each other."""
    kept: list[str] = []
    at = 0
    while at < len(tokens):
        turn = next((one for one in _ASIDE if _folded(tokens[at : at + len(one)]) == one), None)
        if turn is None:
            kept.append(tokens[at])
            at += 1
            continue
        at += len(turn)
        if tokens[at : at + 1] == (",",) and (not kept or kept[-1] in {",", ";"}):
            at += 1
            if kept and kept[-1] == ",":
                kept.pop()
    return list(dict.fromkeys([tokens, tuple(kept)]))


def pairs_of(tokens: Tokens) -> Iterator[Pair]:
    """Every way to read a sentence as two statements."""
    if tokens and tokens[0].casefold() in _SETTING_APART:
        for at, word in enumerate(tokens):
            if word == "," and 1 < at < len(tokens) - 1:
                yield tokens[1:at], tokens[at + 1 :]
    for at in range(1, len(tokens) - 1):
        if tokens[at].casefold() in _JOINS:
            yield from _at(tokens, at)


def _at(tokens: Tokens, at: int) -> Iterator[Pair]:
    join, apart = tokens[at].casefold(), tokens[at - 1] == ","
    left, right = tokens[: at - 1] if apart else tokens[:at], tokens[at + 1 :]
    if right[0] == ",":
        right = right[1:]
    if not left or not right:
        return
    if _free(left, right, apart=apart or join in _SETTING_APART, ends=join == ";"):
        yield from _plain(left, right)
    # What holds over the first statement is said again for the second.
    last = max((place for place, word in enumerate(left) if word.casefold() in _HOLDING), default=-1)
    if not _ends_in_time(left, right):
        for shared in range(max(1, last + 1), len(left)):
            yield left, (*left[:shared], *right)
        if left[0].casefold() not in CLAUSES | FRONTED and last < 0:
            yield from _gapped(left, right)
    for shared in range(1, len(right)):
        if not any(word.casefold() in _HOLDING for word in left):
            for tail, whole in _numbered(right[shared:], right):
                yield (*left, *tail), whole


def _plain(left: Tokens, right: Tokens) -> Iterator[Pair]:
    yield left, right
    if right[0].casefold() in _PRONOUNS:
        yield from ((left, (*left[:shared], *right[1:])) for shared in range(1, len(left)))
    elif right[0].casefold() in FRONTED and "," in right:
        after = right.index(",") + 1
        if right[after : after + 1] and right[after].casefold() in _PRONOUNS:
            for shared in range(1, len(left)):
                yield left, (*right[:after], *left[:shared], *right[after + 1 :])


def _free(left: Tokens, right: Tokens, *, apart: bool, ends: bool) -> bool:
    """Whether nothing of the first statement may hold over the second, nor a year of the second over the first."""
    if ends:
        return True
    first, second = left[0].casefold(), right[0].casefold()
    if first in CLAUSES | FRONTED and second not in CLAUSES | FRONTED:
        return False
    if apart:
        return True
    return not any(word.casefold() in _HOLDING for word in left) and not _ends_in_time(left, right)


def _ends_in_time(left: Tokens, right: Tokens) -> bool:
    """Whether a year ends the sentence that may be the year of both."""
    timed = len(right) > 2 and YEAR.fullmatch(right[-1]) is not None and right[-2].casefold() in PREPOSITIONS
    return timed and not any(YEAR.fullmatch(word) for word in left)


def _numbered(tail: Tokens, right: Tokens) -> Iterator[Pair]:
    """What two subjects share, said of each: "are" becomes "is"."""
    yield tail, right
    place = next((at for at, word in enumerate(tail) if word.casefold() in _SINGULAR), None)
    if place is not None:
        single = _SINGULAR[tail[place].casefold()]
        ahead = len(right) - len(tail)
        yield (
            (*tail[:place], single, *tail[place + 1 :]),
            (*right[: ahead + place], single, *right[ahead + place + 1 :]),
        )


def _gapped(left: Tokens, right: Tokens) -> Iterator[Pair]:
    """ "The west freezes in January and the east in February": the verb is said again before the same preposition."""
    for place in range(1, len(right) - 1):
        word = right[place].casefold()
        if word not in PREPOSITIONS:
            continue
        for at in range(2, len(left)):
            if left[at].casefold() != word:
                continue
            start = at - 1
            while start > 1 and left[start - 1].casefold() in AUXILIARIES:
                start -= 1
            yield left, (*right[:place], *left[start:at], *right[place:])
        return


def _folded(tokens: Tokens) -> Tokens:
    return tuple(word.casefold() for word in tokens)
