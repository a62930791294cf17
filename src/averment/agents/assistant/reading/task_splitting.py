"""One task or several: how the words after "add" or "remind me to" fall apart.

"Milk, eggs and call mum" are three things; "buy bread and butter" is one errand. Where both readings are good ("buy
milk and call mum"), both are given, and the user is asked.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from averment.agents.assistant.reading.words import MARK
from averment.language.word_lists import word_lists

MOST_WORDS = 6
"""A piece of a plain enumeration is no longer than this."""

_LISTS = word_lists("several", "averment.agents.assistant")
VERBS = frozenset(_LISTS["verbs"].split())
_DETERMINED = frozenset("the a an my our your his her their its this that these those some any every each".split())
_POINTS_BACK = re.compile(r"\b(?:it|him|her|them|there|one|together|both)\b", re.IGNORECASE)
_FOLLOWS = frozenset("ask tell say see check then wait find let help".split())
_PAIRS = frozenset(_LISTS["pairs"].splitlines())
_TO = re.compile(r"(?:\s*[,;]\s*(?:and\s+|also\s+|then\s+)*|\s+(?:and|&)\s+(?:also\s+|then\s+)?)to\s+", re.IGNORECASE)
_COMMA = re.compile(r"\s*[,;]\s*(?:(?:and|then|also|plus)\s+)*", re.IGNORECASE)
_AND = re.compile(r"\s+(?:and(?:\s+(?:also|then))?|&|plus)\s+", re.IGNORECASE)
_LINE = re.compile(r"^\s*(?:[-*\u2022]|[0-9]{1,3}[.)])\s*")
_NUMBERED = re.compile(r"(?:^|[\s,;]+)\(?(\d{1,2})[.)]\s+")
_SEMICOLON = re.compile(r"\s*;\s*(?:and\s+)?")
_STAR = re.compile(r"(?:^|\s)[*\u2022]\s+")


@dataclass(frozen=True, slots=True)
class Pieces:
    """The likelier reading, and the other one where it is as good."""

    titles: tuple[str, ...]
    other: tuple[str, ...] = ()


def take_apart(rest: str, *, listing: bool, single: bool) -> Pieces:
    """How many tasks the words are; ``listing`` after "add" and its like, ``single`` after "a task to"."""
    whole = (rest.strip(),)
    if not whole[0] or whole[0].casefold() in _PAIRS:
        return Pieces(whole)
    lines = [_LINE.sub("", line).strip() for line in rest.splitlines()]
    if len([line for line in lines if line]) > 1:
        return Pieces(tuple(line for line in lines if line))
    numbered = _enumerated(whole[0])
    if numbered:
        return Pieces(numbered)
    by_semicolon = [piece for piece in _SEMICOLON.split(whole[0]) if piece]
    if len(by_semicolon) > 1:
        return Pieces(tuple(by_semicolon))
    if MARK.search(whole[0]):
        quoted = [piece for piece in re.split(r"\s*(?:,|;|\band\b|&)\s*", whole[0]) if piece]
        return Pieces(tuple(quoted) if all(MARK.fullmatch(piece) for piece in quoted) else whole)
    by_to = _TO.split(whole[0])
    if len(by_to) > 1 and not any(_is_thing(piece) for piece in by_to[1:]):
        return Pieces(tuple(by_to)) if all(_is_act(piece) for piece in by_to) else Pieces(whole, tuple(by_to))
    by_comma = [piece for piece in _COMMA.split(whole[0]) if piece]
    pieces = [part for piece in by_comma for part in _by_and(piece)]
    if len(pieces) < 2:
        return Pieces(whole)
    if all(_is_act(piece) for piece in pieces):
        return _acts(whole, pieces, sure=(listing and not single) or len(by_comma) > 1)
    starts_as_act = _is_act(pieces[0])
    plain = all(len(piece.split()) <= MOST_WORDS for piece in pieces)
    if listing and not single and plain and not starts_as_act:
        return Pieces(tuple(pieces))
    if starts_as_act and len(by_comma) > 1 and _is_act(pieces[-1]) and plain:
        # "buy milk, eggs and call mum": where the first errand ends is for the user to say.
        errand = f"{_joined(pieces[:-1])}"
        return Pieces((errand, pieces[-1]), tuple(pieces))
    return Pieces(whole)


def _acts(whole: tuple[str, ...], pieces: list[str], *, sure: bool) -> Pieces:
    """Acts in a row: several where they stand apart, one where a later one leans on the first."""
    leans = any(
        len(piece.split()) == 1 or _POINTS_BACK.search(piece) or piece.split()[0].casefold() in _FOLLOWS
        for piece in pieces[1:]
    )
    if leans or len(pieces[0].split()) == 1:
        return Pieces(whole)
    return Pieces(tuple(pieces)) if sure else Pieces(whole, tuple(pieces))


def _enumerated(text: str) -> tuple[str, ...]:
    """The pieces of "1) this 2) that", where the numbers count from one; or of stars in one line."""
    marks = list(_NUMBERED.finditer(text))
    if (
        len(marks) > 1
        and [int(mark.group(1)) for mark in marks] == list(range(1, len(marks) + 1))
        and not marks[0].start()
    ):
        ends = [*(mark.start() for mark in marks[1:]), len(text)]
        return tuple(text[mark.end() : end].strip(" ,;") for mark, end in zip(marks, ends, strict=True))
    starred = [piece.strip(" ,;") for piece in _STAR.split(text)]
    return tuple(starred[1:]) if len(starred) > 2 and not starred[0] else ()


def _by_and(piece: str) -> list[str]:
    return [piece] if piece.casefold() in _PAIRS else [part for part in _AND.split(piece) if part]


def _is_act(piece: str) -> bool:
    return bool(piece.split()) and piece.split()[0].casefold().rstrip(",") in VERBS


def _is_thing(piece: str) -> bool:
    """Whether "to" before it was one of direction: "to the shop", "to Ben"."""
    first = (piece.split() or [""])[0]
    return first.casefold() in _DETERMINED or first[:1].isupper() or first[:1].isdigit()


def _joined(pieces: Sequence[str]) -> str:
    return pieces[0] if len(pieces) == 1 else f"{', '.join(pieces[:-1])} and {pieces[-1]}"
