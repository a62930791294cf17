"""The words that ask for something, as the grammar's one word list has them."""

from __future__ import annotations

import re
import tomllib
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Literal

WEAK = ("which", "list", "yes_no", "any", "only", "both", "known", "count", "times", "top")
"""Cues of words that are often said for nothing."""
FREE = ("which", "list", "yes_no", "any", "only", "both", "known", "by", "count", "times", "top")
"""Cues that lose nothing where a plan does not answer to them."""

Degree = Literal["plain", "more", "most", "least"]

_SECTIONS = ("aggregate", "count", "rank", "group", "compare", "share", "change", "negation", "ask")
LONGEST = 6
"""The most words that a phrase of the list has."""


@cache
def _lists() -> dict[str, dict[str, Any]]:
    text = resources.files("averment.reading.grammar").joinpath("cues.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


@cache
def phrases() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Every phrase that asks for something, with the names of what it may ask for."""
    found: dict[tuple[str, ...], list[str]] = {}
    for section in _SECTIONS:
        for name, listed in _lists()[section].items():
            for phrase in listed:
                found.setdefault(tuple(phrase.split()), []).append(name)
    return {phrase: tuple(dict.fromkeys(names)) for phrase, names in found.items()}


@cache
def parts() -> dict[tuple[str, ...], str]:
    """Every phrase that names a step of time: "monthly", "day of the week"."""
    return {tuple(phrase.split()): part for part, listed in _lists()["part"].items() for phrase in listed}


@cache
def plain(name: str) -> frozenset[str]:
    """A list of plain words: ``stop``, ``rows`` or ``units``."""
    return frozenset(_lists()["plain"][name].split())


@cache
def spelt_out(code: str) -> frozenset[str]:
    """The words that a code of the data stands for: women for F."""
    return frozenset(_lists()["values"].get(code, "").split())


@cache
def measures(word: str) -> frozenset[str]:
    """What columns are called that hold what a word speaks of in general: money, time, people's ages."""
    found = _lists()["measure"]
    return frozenset(found.get(word, found.get(word.removesuffix("s"), "")).split())


@cache
def spellings_of_unit(word: str) -> frozenset[str]:
    """How else a unit is spelt: hours and hrs."""
    return next(
        (words for spelt in _lists()["unit"].values() if word in (words := frozenset(spelt.split()))), frozenset()
    )


@cache
def coded_words() -> frozenset[str]:
    """Every word that a code may stand for."""
    return frozenset(word for words in _lists()["values"].values() for word in words.split())


Ways = tuple[tuple[bool, tuple[str, ...]], ...]
"""What an adjective measures: whether more of it is the greater number, and the names of such numbers."""


@cache
def grades() -> dict[tuple[str, ...], tuple[Degree, Ways]]:
    """Every form of the adjectives that measure: "old", "older" and "oldest", "well paid" and "best paid"."""
    found: dict[tuple[str, ...], tuple[Degree, Ways]] = {}
    for word, body in _lists()["grade"].items():
        ways: Ways = tuple((way[0] == "+", tuple(way[1:])) for way in (each.split() for each in body.split("|")))
        found[tuple(word.split())] = ("plain", ways)
        found["least", word] = ("least", ways)
        for form in _compared(word, "er", "more"):
            found.setdefault(tuple(form.split()), ("more", ways))
        for form in _compared(word, "est", "most"):
            found.setdefault(tuple(form.split()), ("most", ways))
    return found


def _compared(word: str, ending: str, before: str) -> list[str]:
    """The forms of an adjective with an ending or a word before it."""
    first, *rest = word.split()
    if rest:
        well = {"well": {"er": "better", "est": "best"}, "highly": {"er": "higher", "est": "highest"}}
        return [" ".join([well.get(first, {}).get(ending, f"{before} {first}"), *rest])]
    base = word
    if word.endswith("y"):
        base = word[:-2] + "i" if word.endswith("ey") else word[:-1] + "i"
    elif word.endswith("e"):
        base = word[:-1]
    elif re.search(r"[^aeiou][aeiou][bdgmnt]$", word):
        base = word + word[-1]
    irregular = {("good", "er"): "better", ("good", "est"): "best", ("bad", "er"): "worse", ("bad", "est"): "worst"}
    irregular |= {("far", "er"): "farther", ("far", "est"): "farthest"}
    return [irregular.get((word, ending), base + ending), f"{before} {word}"]


@lru_cache(maxsize=20_000)
def is_light(word: str) -> bool:
    """Whether a word names nothing, so that nothing is lost where it finds no place."""
    return word in plain("stop") or len(word) < 2
