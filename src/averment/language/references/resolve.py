"""From a person's words to the items of the list they saw."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from averment.language.numbers.number_words import ONES as SPELLED
from averment.language.numbers.number_words import ORDINAL_ONES, ORDINAL_TENS, TENS
from averment.language.stems import stem
from averment.language.word_lists import word_lists

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


Outcome = Literal["resolved", "ambiguous", "out_of_range", "unknown"]

_LISTS = word_lists("references")
VERBS = frozenset(_LISTS["verbs"].split())
SINGLE = frozenset({"it", "that", "this"})
PLURAL = frozenset({"them", "those", "these", "they"})
_STOP = frozenset("the a an my our your of on in at for to about with and or one ones task tasks item thing".split())
_NAME_WORDS = re.compile("[\\w']+|[\u2600-\u27bf\U0001f000-\U0001faff]", re.UNICODE)
_WITH_PRONOUN = frozenset(
    "one ones task tasks item items reminder reminders todo todos entry thing please the both of".split()
)
_ENDINGS = ("ations", "ation", "ions", "ion", "ments", "ment", "als", "al", "ing", "ers", "er", "ed", "es", "e", "s")
NEAR = 0.84
"""How alike a word and a title's word must be written to be taken for a slip of the hand."""


@dataclass(frozen=True, slots=True)
class ListedItem:
    """One item as it was shown."""

    position: int
    title: str


@dataclass(frozen=True, slots=True)
class Reference:
    """What the words name: positions, several candidates to choose among, a number that is not there, or nothing."""

    outcome: Outcome
    positions: tuple[int, ...] = ()
    missing: tuple[int, ...] = ()
    by: Literal["place", "name", "pronoun", ""] = ""


UNKNOWN = Reference("unknown")


def resolve(text: str, listed: Sequence[ListedItem], *, focus: Sequence[int] = ()) -> Reference:
    """What the text refers to in the shown list; ``focus`` holds the positions that were last spoken of."""
    if not listed:
        return UNKNOWN
    exact = _exact(text, listed)
    place = _place(text, listed, focus)
    if exact is not None:
        if place is not None and place.outcome == "resolved" and place.positions != exact.positions:
            return Reference("ambiguous", tuple(sorted({*place.positions, *exact.positions})))
        return exact
    if place is not None:
        return place
    named = _named(text, listed)
    if named.outcome != "unknown":
        return named
    return _several(text, listed, focus)


def _exact(text: str, listed: Sequence[ListedItem]) -> Reference | None:
    """An item whose whole title the text says, once its verbs are set aside."""
    said = content_of(text)
    same = tuple(item.position for item in listed if said and content_of(item.title) == said)
    whole = tuple(item.position for item in listed if item.title.casefold().strip() == text.casefold().strip())
    found = whole or same
    if not found:
        return None
    return Reference("resolved" if len(found) == 1 else "ambiguous", found, by="name")


def _place(text: str, listed: Sequence[ListedItem], focus: Sequence[int]) -> Reference | None:
    try:
        tokens = [token for token in words_of(text) if token not in VERBS or token in {"to"}]
    except NoPlace:
        return None
    tokens = _without_edges(tokens)
    if not tokens:
        return None
    pronoun = _pronoun(tokens, len(listed), focus)
    if pronoun is not None:
        return pronoun
    if "a" in tokens or "an" in tokens:
        return None
    try:
        places = read_places(tokens, len(listed))
    except NoPlace:
        return None
    return _judge(places)


def _judge(places: Places) -> Reference:
    if places.missing:
        return Reference("out_of_range", places.positions, places.missing, by="place")
    if not places.positions:
        return UNKNOWN
    if places.either and len(places.positions) > 1:
        return Reference("ambiguous", places.positions, by="place")
    return Reference("resolved", places.positions, by="place")


def _without_edges(tokens: list[str]) -> list[str]:
    """Joints and the small word "to" at either end carry nothing."""
    while tokens and tokens[0] in {"to", ",", "-", "and"}:
        tokens = tokens[1:]
    while tokens and tokens[-1] in {"to", ",", "-", "and"}:
        tokens = tokens[:-1]
    return tokens


def _pronoun(tokens: list[str], count: int, focus: Sequence[int]) -> Reference | None:
    core = [token for token in tokens if token not in _WITH_PRONOUN]
    if not core or not set(core) <= SINGLE | PLURAL | {"other", "all"} or core == ["all"]:
        return None
    if core == ["other"]:
        rest = [position for position in range(1, count + 1) if position not in focus]
        known = bool(focus) and len(rest) == 1
        return Reference("resolved", tuple(rest), by="pronoun") if known else UNKNOWN
    if {"all", "both"} & set(tokens) and not focus:
        return None  # "all of them" without anything spoken of means the whole list.
    if "both" in tokens and len(focus) != 2:
        return None  # One that was spoken of is not both of them; two on the list may be.
    if not focus:
        return Reference("resolved", (1,), by="pronoun") if count == 1 else UNKNOWN
    if len(focus) > 1 and set(core) & SINGLE:
        return Reference("ambiguous", tuple(focus), by="pronoun")
    return Reference("resolved", tuple(focus), by="pronoun")


def _named(text: str, listed: Sequence[ListedItem]) -> Reference:
    """Items whose titles hold every telling word of the text; slips of the hand are forgiven where only one fits."""
    wanted = content_of(text)
    if not wanted:
        return UNKNOWN
    found = [item.position for item in listed if wanted <= content_of(item.title)]
    if not found:
        found = [item.position for item in listed if all(_near(word, content_of(item.title)) for word in wanted)]
    if not found:
        return UNKNOWN
    return Reference("resolved" if len(found) == 1 else "ambiguous", tuple(found), by="name")


def _several(text: str, listed: Sequence[ListedItem], focus: Sequence[int]) -> Reference:
    """Items named one by one: "milk and the third one"."""
    parts = [part for part in re.split(r",|\band\b|&", text, flags=re.IGNORECASE) if part.strip()]
    if len(parts) < 2:
        return UNKNOWN
    named: set[int] = set()
    for part in parts:
        found = _exact(part, listed) or _place(part, listed, focus) or _named(part, listed)
        if found.outcome != "resolved":
            return found if found.outcome in {"ambiguous", "out_of_range"} else UNKNOWN
        named |= set(found.positions)
    return Reference("resolved", tuple(sorted(named)), by="name")


def content_of(text: str) -> frozenset[str]:
    """The telling words of a text, each by its stem; a picture is a word."""
    words = [word.strip("'").casefold() for word in _NAME_WORDS.findall(text)]
    return frozenset(stem(word) for word in words if word and word not in _STOP | VERBS | {"please"})


def _near(word: str, titles: frozenset[str]) -> bool:
    """Whether a word is a slip of the hand or another form of one of a title's words."""
    if word in titles:
        return True
    if len(word) > 3 and (difflib.get_close_matches(word, titles, n=1, cutoff=NEAR) or _kin(word) in map(_kin, titles)):
        return True
    if len(word) > 3 and any(sorted(word) == sorted(title) and _swapped(word, title) for title in titles):
        return True
    # Of a word of three letters or four, one that is missing is all the slip there can be.
    return any(len(word) >= 3 and len(title) == len(word) + 1 and _lacks_one(word, title) for title in titles)


def _kin(word: str) -> str:
    """What "vaccination" and "vaccinate" share."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            bare = word[: -len(ending)]
            return bare[:-2] if bare.endswith("at") and len(bare) >= 7 else bare
    return word


def _swapped(word: str, title: str) -> bool:
    """Whether two neighbouring letters changed places."""
    apart = [at for at in range(len(word)) if word[at] != title[at]]
    return len(apart) == 2 and apart[1] == apart[0] + 1


def _lacks_one(word: str, title: str) -> bool:
    return word[0] == title[0] and any(title[:at] + title[at + 1 :] == word for at in range(1, len(title)))
