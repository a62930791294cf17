"""Retelling: a sentence in other words than its source's stands only where it can be laid over the source.

``check_support`` asks whether a span speaks of the same values, names and matters; that a number belongs to another
noun, that winner and loser are exchanged or a verb turned round it cannot see. Prose that takes the place of a quote
must pass this as well: no word that the source does not say (but for close synonyms), the source's order, limits and
denials at the words they belong to, and nothing left out but what commas set apart. Too much is cut rather than too
little: the quote itself is always there to be told.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

from averment.evidence.support import Support, SupportFault, check_support
from averment.language.claims import Likeness, read_stance, read_values
from averment.language.claims.names import find_names, name_words
from averment.language.stems import root, stem
from averment.language.tokens import Token, tokenise

_NEAR = 0.6
_SYNONYMS = """
    build construct erect
    buy purchase acquire
    begin start commence
    end finish conclude
    increase rise grow climb
    decrease fall decline drop
    film movie
    company firm
    large big
    found establish
    show demonstrate
    help aid assist
    inhabitant resident
    deepen deeper
    close shut
    receive get
"""
_NEUTRAL = frozenset("make take place occur happen become".split())
"""Verbs that carry nothing of their own: "was made deeper" for "was deepened"."""
_TURNING = frozenset(
    """
    not no nor never without neither cannot hardly only some few several many most all every each any both either if
    unless except may might could would should must will can more less fewer least over under above below until before
    after since than nearly almost about around approximately partly mostly often sometimes rarely usually former
    """.split()
)
"""Words that turn or limit the word they stand before."""
_SIGN = re.compile(r"[,;:()\[\]–—]|(?<= )(?:and|but|while|because|which|who)(?= )")
_OPENING = re.compile(r"^(?:The|It|He|She|They|This|These|Its|His|Her|Their)\b[\sa-z-]*$")


@dataclass(frozen=True, slots=True)
class _Word:
    """A word or number that carries meaning, with its place and the turning words right before it."""

    root: str
    start: int
    end: int
    turned: frozenset[str]


def check_told(sentence: str, quote: str, likeness: Likeness | None = None, *, named: str = "") -> Support:
    """Whether a sentence retells a quote; ``named`` is the sentence before the quote that names its subject."""
    whole = f"{named} {quote}".strip()
    support = check_support(sentence, whole, likeness)
    if support.supported and likeness is not None and likeness.is_there and support.likeness < _NEAR:
        support = _refused(support, "words", "the span speaks of something else")
    if support.fault == "negation" and not (read_stance(whole).hedged and not read_stance(sentence).hedged):
        # A denial in a part that is left out denies nothing of the rest; what follows looks at every single one.
        support = replace(support, supported=True, fault=None, reason="")
    if not support.supported:
        return support
    fault = _first_fault(sentence.strip(), quote, named)
    return support if fault is None else _refused(support, *fault)


def _refused(support: Support, fault: SupportFault, reason: str) -> Support:
    return replace(support, supported=False, fault=fault, reason=reason)


def _first_fault(said: str, quote: str, named: str) -> tuple[SupportFault, str] | None:
    if named and read_stance(named).negated:
        return "negation", "the sentence that names the subject denies something"
    ours, theirs = read_stance(said), read_stance(quote)
    if theirs.attribution and not ours.attribution:
        return "certainty", "the span says it in someone's name, the sentence in its own"
    words, source = _words(said), _words(quote)
    if named:
        words = _without_subject(words, named)
    words = [word for word in words if word.root not in _NEUTRAL or any(word.root == one.root for one in source)]
    known = {word.root for word in source}
    strange = next((word for word in words if word.root not in known), None)
    if strange is not None:
        return "words", "the span does not use a word of the sentence"
    path = _laid(words, source) or _laid(_date_moved(said, words, quote), source)
    if not words or path is None:
        return "order", "the sentence puts what the span says in another order"
    laid = [source[place] for place in path]
    for word, other in zip(sorted(words, key=lambda one: _place(one, laid)), laid, strict=False):
        if word.root == other.root and word.turned != other.turned:
            return "negation", "a word that turns or limits another one was added, moved or left out"
    return _left_out(quote, laid, named)


def _words(text: str) -> list[_Word]:
    """The words that carry meaning, each with those that turn it."""
    found: list[_Word] = []
    turned: set[str] = set()
    for token in tokenise(text):
        if token.kind == "word" and (token.normal in _TURNING or token.normal.endswith("n't")):
            turned.add("not" if token.normal.endswith("n't") else token.normal)
        elif not token.is_stop:
            found.append(_Word(_canonical(token), token.start, token.end, frozenset(turned)))
            turned = set()
    return found


def _canonical(token: Token) -> str:
    plain = root(token.stem)
    return _grouped().get(plain, plain)


@cache
def _grouped() -> dict[str, str]:
    table: dict[str, str] = {}
    for line in _SYNONYMS.strip().splitlines():
        roots = [root(stem(word)) for word in line.split()]
        table |= dict.fromkeys(roots, roots[0])
    return table


def _without_subject(words: list[_Word], named: str) -> list[_Word]:
    """The words without the subject they begin with, where it is the one that the sentence before names."""
    names = find_names(named, skip=[value.span for value in read_values(named) if value.kind == "moment"])
    subject = {root(stem(word)) for word in name_words(names[0].text)} if names else set[str]()
    subject |= {root(word) for word in (name_words(names[0].text) if names else ())}
    place = 0
    while place < len(words) and words[place].root in subject:
        place += 1
    return words[place:]


def _laid(words: list[_Word], source: list[_Word]) -> list[int] | None:
    """The places in the source at which the words stand in their order, as late as the last one allows."""
    places: list[int] = []
    place = len(source)
    for word in reversed(words):
        place = next((one for one in range(place - 1, -1, -1) if source[one].root == word.root), -1)
        if place < 0:
            return None
        places.append(place)
    return places[::-1] if places else None


def _date_moved(said: str, words: list[_Word], quote: str) -> list[_Word]:
    """The words with a date that the sentence has at its other end put where the source has it."""
    spans = [value.span for value in read_values(said) if value.kind == "moment"]
    inside = [word for word in words if any(start <= word.start and word.end <= end for start, end in spans)]
    if not inside or inside not in (words[: len(inside)], words[-len(inside) :]):
        return words
    outside = [word for word in words if word not in inside]
    given = [value.span for value in read_values(quote) if value.kind == "moment"]
    early = bool(given) and given[0][0] < len(quote) / 2
    return [*inside, *outside] if early else [*outside, *inside]


def _place(word: _Word, laid: list[_Word]) -> int:
    return next((place for place, one in enumerate(laid) if one.root == word.root), len(laid))


def _left_out(quote: str, laid: list[_Word], named: str) -> tuple[SupportFault, str] | None:
    """What is wrong with what was left out: it must be set apart by signs, or be the pronoun that was replaced."""
    kept = {word.start for word in laid}
    dropped = [word for word in _words(quote) if word.start not in kept]
    ends = [0, *(word.start for word in laid), len(quote)]
    for left, right in pairwise(ends):
        inside = [word for word in dropped if left <= word.start < right]
        if not inside:
            continue
        carried = left == 0 and bool(named) and bool(_OPENING.match(quote[:right].strip()))
        opened = left == 0 or _SIGN.search(quote, left, inside[0].end + 1)
        closed = right == len(quote) or _SIGN.search(quote, inside[-1].end, right)
        if not carried and not (opened and closed):
            return "order", "something was left out that the rest depends on"
    return None
