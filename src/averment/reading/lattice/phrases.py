"""Phrases that ask for one thing as a whole, numbers included: "p95", "in buckets of 200", "into 5 equal groups".

They are data (``lexicon/phrases.toml``). A span of such a phrase carries a name that begins with ``MARK``, with the
numbers behind it, so that accounting can ask whether the plan has exactly these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

from averment.language.numbers.number_words import ONES
from averment.plans.names import plain_number
from averment.reading.words import lexicon, word_list

if TYPE_CHECKING:
    from averment.reading.lattice.spans import Lattice

MARK = "+"
"""What the name of a phrase begins with, which tells it from a plain cue."""

ALONE = 0.85
_SMALL = {word: number for word, number in ONES.items() if number <= 10}
_SLOT = re.compile(r"#%?")


@cache
def _phrases() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Phrases by their first word, or by ``#`` where that is a number."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for section in lexicon("phrases").values():
        for name, phrases in section.items():
            for words in dict.fromkeys(each for phrase in phrases for each in _spelt_out(phrase)):
                found.setdefault("#" if "#" in words[0] else words[0], []).append((words, name))
    return found


def _spelt_out(phrase: str) -> Iterator[tuple[str, ...]]:
    """Every wording of a phrase: strokes part alternatives, a low line joins words, a dash is nothing."""
    for choice in product(*(part.split("/") for part in phrase.split())):
        words = tuple(word for part in choice if part != "-" for word in part.split("_"))
        if words:
            yield words


@cache
def _form(word: str) -> re.Pattern[str]:
    number = r"(\d+(?:\.\d+)?)"
    if word.endswith("#th"):
        return re.compile(r"(\d+)(?:st|nd|rd|th)")
    if word == "#%":
        return re.compile(rf"{number}%")
    return re.compile(rf"{re.escape(word).replace(re.escape('#'), number)}%?")


def _number(word: str, said: str) -> float | None:
    """The number that a word of the question says where the phrase has one."""
    if word == "#" and said in _SMALL:
        return float(_SMALL[said])
    match = _form(word).fullmatch(said)
    return float(match.group(1)) if match is not None else None


def _matched(phrase: tuple[str, ...], words: list[str]) -> list[float] | None:
    """The numbers of a phrase where the words say it, else None."""
    if len(words) < len(phrase):
        return None
    numbers: list[float] = []
    for wanted, said in zip(phrase, words, strict=False):
        if "#" not in wanted:
            if wanted != said and not (wanted.startswith("@") and said in word_list(wanted[1:])):
                return None
            continue
        number = _number(wanted, said)
        if number is None:
            return None
        numbers.append(number)
    return numbers


def _named(name: str, numbers: list[float]) -> str:
    left = iter(numbers)

    def fill(match: re.Match[str]) -> str:
        number = next(left)
        return plain_number(round(number / 100, 6) if match.group() == "#%" else number)

    return _SLOT.sub(fill, name)


def phrase_words() -> set[str]:
    """Every plain word of the phrases."""
    return {word for many in _phrases().values() for phrase, _ in many for word in phrase if word.isalpha()}


def phrase_spans(lattice: Lattice) -> None:
    """Every phrase of the question, with its numbers."""
    known = _phrases()
    for place, word in enumerate(lattice.words):
        for phrase, name in (*known.get(word, ()), *known.get("#", ())):
            numbers = _matched(phrase, lattice.words[place : place + len(phrase)])
            if numbers is None:
                continue
            size = len(phrase)
            made = _named(name, numbers)
            plain = made if name.startswith("quantile ") else f"{MARK}{made}"
            # A single word says less than a whole phrase, and most have other uses.
            strength = min(1.0, 0.9 + 0.02 * size) if size > 1 or numbers else ALONE
            lattice.add(place, place + size, "CUE", strength, (plain,))


def said_phrase(names: tuple[str, ...] | set[str]) -> tuple[str, tuple[float, ...]] | None:
    """What a phrase asks for and its numbers; None where the names are of a plain cue."""
    said = next((name for name in names if name.startswith(MARK)), None)
    if said is None:
        return None
    head, *numbers = said.removeprefix(MARK).split()
    return head, tuple(float(number) for number in numbers)
