"""Places in a list, read from words: "2", "#3", "the first two", "2 through 4", "all but the first"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from averment.language.numbers.number_words import ONES as SPELLED
from averment.language.numbers.number_words import ORDINAL_ONES, ORDINAL_TENS, TENS

ORDINALS = {word: number for word, number in (ORDINAL_ONES | ORDINAL_TENS).items() if 1 <= number <= 20}
CARDINALS = {word: number for word, number in (SPELLED | TENS).items() if 1 <= number <= 20}
NOUNS = frozenset("task tasks item items entry entries reminder reminders todo todos number numbers no nr".split())
ONES = frozenset({"one", "ones"})
FILLERS = frozenset("the my of them these those please on from in list thanks thank you now both lines line".split())
JOINS = frozenset({",", "and", "&", "plus", "also", "then"})
THROUGH = frozenset({"-", "\u2013", "through", "thru", "to", "till", "until"})
EXCEPT = frozenset({"except", "but", "besides", "excluding", "without", "apart", "save", "minus"})
EVERY = frozenset({"all", "everything", "every", "each", "whole", "entire", "lot"})
LAST = frozenset({"last", "final", "bottom", "latest"})
FIRST = frozenset({"top"})

_TOKEN = re.compile(r"#\s?\d+|\d+(?:st|nd|rd|th)\b|\d+|[a-z]+(?:'[a-z]+)?|[,&\u2013-]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Places:
    """What a phrase names: positions that exist, and numbers that do not."""

    positions: tuple[int, ...]
    missing: tuple[int, ...] = ()
    either: bool = False


class NoPlace(ValueError):
    """The phrase does not name places, or says more than places."""


def words_of(text: str) -> list[str]:
    """The phrase as small words, numbers and joints; a word such as "5pm" stays one unknown word."""
    if re.search(r"\d[a-z]", re.sub(r"\d+(?:st|nd|rd|th)\b", "", text.casefold())):
        raise NoPlace(text)
    return [token.casefold().replace(" ", "") for token in _TOKEN.findall(text)]


def read_places(tokens: list[str], count: int) -> Places:
    """The places that the words name in a list of so many items.

    Raises:
        NoPlace: a word is left that has no part in a place.
    """
    either = "or" in tokens
    tokens = ["," if token == "or" else token for token in tokens]
    cut = next((at for at, token in enumerate(tokens) if token in EXCEPT), None)
    if cut is None:
        named = _PlaceReader(tokens, count).read()
        return Places(_within(named, count), _beyond(named, count), either)
    base = _PlaceReader(tokens[:cut], count).read() if _meaning(tokens[:cut]) else list(range(1, count + 1))
    out = _PlaceReader([token for token in tokens[cut + 1 :] if token not in {"for", "from"}], count).read()
    if _beyond(out, count):
        return Places((), _beyond(out, count), either)
    kept = [position for position in base if position not in out]
    return Places(_within(kept, count), _beyond(kept, count), either)


def _meaning(tokens: list[str]) -> list[str]:
    return [token for token in tokens if token not in FILLERS | NOUNS | ONES]


def _within(named: list[int], count: int) -> tuple[int, ...]:
    return tuple(sorted({number for number in named if 1 <= number <= count}))


def _beyond(named: list[int], count: int) -> tuple[int, ...]:
    return tuple(sorted({number for number in named if not 1 <= number <= count}))


class _PlaceReader:
    """Reads a phrase from left to right; every word must find its part."""

    def __init__(self, tokens: list[str], count: int) -> None:
        self._tokens = [token for token in tokens if token not in FILLERS]
        self._both = "both" in tokens
        self._count = count
        self._at = 0

    def read(self) -> list[int]:
        named: list[int] = []
        while self._at < len(self._tokens):
            if self._tokens[self._at] in JOINS:
                self._at += 1
                continue
            named += self._part()
        if not named and self._both:
            if self._count != 2:
                raise NoPlace("both")
            return [1, 2]
        if not named:
            raise NoPlace("nothing")
        return named

    def _part(self) -> list[int]:
        token = self._take()
        if token in NOUNS:
            return self._part() if self._at < len(self._tokens) else self._refuse(token)
        if token in EVERY:
            while self._peek() in NOUNS | ONES | EVERY | {"single"}:
                self._take()
            return list(range(1, self._count + 1))
        if token in LAST | FIRST or token in ORDINALS:
            return self._side(token)
        if token in {"penultimate"}:
            self._noun()
            return [self._count - 1]
        if token == "next" and self._peek() == "to":
            return self._before_last(1)
        number = _number(token)
        if number is None:
            return self._refuse(token)
        if self._peek() in THROUGH and (end := _number(self._peek(1))) is not None:
            self._at += 2
            self._noun()
            if end < number:
                raise NoPlace(token)
            return list(range(number, end + 1))
        self._noun()
        return [number]

    def _side(self, token: str) -> list[int]:
        """ "first", "last three", "second to last", "third"."""
        many = _cardinal(self._peek())
        if many is not None and (token in LAST | FIRST or token == "first") and self._counts():
            self._take()
            self._noun()
            if many > self._count:
                return [many]  # There are not so many; the reader reports the number.
            return list(range(self._count - many + 1, self._count + 1)) if token in LAST else list(range(1, many + 1))
        if token in ORDINALS and self._peek() == "to":
            return self._before_last(ORDINALS[token] - 1)
        self._noun()
        if token in LAST:
            return [self._count]
        return [1] if token in FIRST else [ORDINALS[token]]

    def _counts(self) -> bool:
        """Whether the number after "first" says how many, and is not the noun of "the first one"."""
        return self._peek() not in ONES

    def _before_last(self, steps: int) -> list[int]:
        if self._take() != "to" or self._take() not in LAST:
            raise NoPlace("to last")
        self._noun()
        return [self._count - steps]

    def _noun(self) -> None:
        while self._peek() in NOUNS | ONES:
            self._take()

    def _take(self) -> str:
        if self._at >= len(self._tokens):
            raise NoPlace("end")
        self._at += 1
        return self._tokens[self._at - 1]

    def _peek(self, ahead: int = 0) -> str:
        return self._tokens[self._at + ahead] if self._at + ahead < len(self._tokens) else ""

    def _refuse(self, token: str) -> list[int]:
        raise NoPlace(token)


def _number(token: str) -> int | None:
    bare = token.lstrip("#")
    if bare.isdigit():
        return int(bare)
    if (digits := re.match(r"(\d+)(?:st|nd|rd|th)$", bare)) is not None:
        return int(digits.group(1))
    return CARDINALS.get(bare, ORDINALS.get(bare))


def _cardinal(token: str) -> int | None:
    return int(token) if token.isdigit() else CARDINALS.get(token)
