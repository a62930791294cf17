"""Proper names in running text: where they stand, and whether two of them may be the same name."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

from averment.language.stems import root, stem
from averment.language.tokens import STOP_WORDS, Span, normalise, strip_accents
from averment.language.word_lists import patterns

_WORD = r"(?:[A-Z](?:\.[A-Z])+\.?|[A-Z]\.(?= ?[A-Z])|(?:Dr|Mr|Mrs|St|Sir|Jr|Sr)\.|[^\W\d_][\w&'’-]*(?:\.[A-Z]\.?)*)"
_LINK = r"(?:of the|of|the|de la|de|la|du|da|di|del|der|den|von|van|bin|ibn|al|el|&|y|e)"
_NOT_NAMES = frozenset(
    """
    january february march april may june july august september october november december jan feb mar apr jun jul aug
    sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun after
    before although though however since during despite also then thus meanwhile later today yesterday according
    because unlike among between first second third one two three four five six seven eight nine ten new mr mrs ms
    says said wins won gets named received beats vs via amid
    retrieved archived edit main page wikipedia categories category references external links see help contents
    """.split()
) | (STOP_WORDS - {"us"})
_OPENERS = frozenset(
    "the a an in on at by for from with of and but or as he she it his her its their this that".split()
)
_POSSESSIVE = re.compile(r"[’']s?$")
_TITLES = frozenset("dr mr mrs ms sir lord lady the jr sr st prof president senator king queen prince judge".split())


@dataclass(frozen=True, slots=True)
class Name:
    """A proper name as written, without a possessive ending."""

    text: str
    span: Span


def find_names(text: str, *, skip: Sequence[Span] = (), breaks: Container[str] = ()) -> list[Name]:
    """The proper names of a text in order: runs of capitalised words, without openers of sentences and calendar words.

    A run that stands in a span to skip, such as a date, is no name; a word whose root is in ``breaks`` ends a run, so
    that "Producer Jimmy Bowen" gives the name alone when producers are asked for.
    """
    found: list[Name] = []
    for start, end in _capital_runs(text, breaks):
        if not any(start < stop and begin < end for begin, stop in skip):
            found.append(Name(text[start:end], (start, end)))
    return found


_PATTERNS = patterns("names", "averment.language")
_NEW_PLACES = re.compile(_PATTERNS["new_places"])
_CAPITAL = re.compile(rf"(?<![\w@#/]){_WORD}")


def _capital_runs(text: str, breaks: Container[str]) -> list[Span]:
    runs: list[Span] = []
    start = end = -1
    for found in _CAPITAL.finditer(text):
        word = found.group()
        opens = word == "New" and _NEW_PLACES.match(text, found.end())
        if not word[0].isupper() or not (opens or _names_something(word)) or root(stem(word.casefold())) in breaks:
            start, end = _closed(runs, text, start, end)
            continue
        gap = text[end : found.start()] if start >= 0 else ""
        if start >= 0 and (gap == " " or re.fullmatch(rf" {_LINK} | [0-9]+ ", gap)) and not _breaks(text[start:end]):
            end = found.end()
        else:
            _closed(runs, text, start, end)
            start, end = found.start(), found.end()
        if _POSSESSIVE.search(word):
            start, end = _closed(runs, text, start, end)
    _closed(runs, text, start, end)
    return runs


def _closed(runs: list[Span], text: str, start: int, end: int) -> tuple[int, int]:
    if start >= 0:
        number = re.match(r" [0-9]{1,2}(?![\w.,%])", text[end:])
        whole = text[start : end + (number.end() if number else 0)]
        short = _POSSESSIVE.sub("", whole)
        if len(short) > 1:
            runs.append((start, start + len(short)))
    return -1, -1


def _names_something(word: str) -> bool:
    folded = _POSSESSIVE.sub("", word).casefold()
    return folded not in _NOT_NAMES and (len(folded) > 1 or word.endswith("."))


def _breaks(run: str) -> bool:
    """A run that ends a sentence does not go on: "by Barclays. The"."""
    return run.endswith(".") and not re.search(r"(?:^|[ .])[A-Z]\.$|(?:Dr|Mr|Mrs|St|Jr|Sr)\.$", run)


def name_words(name: str) -> tuple[str, ...]:
    """The words of a name for comparing: folded, without accents, titles and possessives."""
    plain = normalise(strip_accents(name)).replace(".", "").replace("’", "'")
    words = [_POSSESSIVE.sub("", word) for word in re.findall(r"[^\W_][\w'&-]*", plain)]
    kept = [word for word in words if word not in _TITLES and word not in _OPENERS]
    return tuple(kept or words)


def same_name(one: str, other: str) -> bool:
    """Whether two names may be one: equal words, one inside the other, an initial for a word, or its initials."""
    left, right = name_words(one), name_words(other)
    if not left or not right:
        return False
    if "".join(left) == "".join(right) or set(left) <= set(right) or set(right) <= set(left):
        return True
    if _initials(left, right) or _initials(right, left):
        return True
    short, long = sorted((left, right), key=len)
    return (
        short[-1] == long[-1] and len(short) > 1 and short[0][0] == long[0][0] and min(len(short[0]), len(long[0])) <= 2
    )


def _initials(short: tuple[str, ...], long: tuple[str, ...]) -> bool:
    if len(short) != 1 or len(long) < 2:
        return False
    letters = "".join(word[0] for word in long)
    return len(letters) > 1 and short[0] in {letters, "".join(word[0] for word in long if word not in {"of", "and"})}
