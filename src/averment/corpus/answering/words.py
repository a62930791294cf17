"""The keys in which a question and a document meet: stems, whole identifiers with their parts, numbers in one form."""

from __future__ import annotations

import re
from collections.abc import Set
from functools import cache, lru_cache
from importlib import resources

from averment.corpus.stemmer import stem
from averment.corpus.terms import STOP_WORDS, fold

STOP = STOP_WORDS | frozenset(
    """
    many much long over under between during after before very more most other all each both some same only just down
    get gets got give gives given according say says tell make makes made use used uses using one ones there their
    """.split()
)
_TOKEN = re.compile(r"[a-zA-Z]-[A-Za-z]{3,}|\d+(?:[.,]\d+)*(?:%|x\b)?|[^\W\d_][^\W_]*(?:_[^\W_]+)*|__[a-z]+__")
_VERSION_MARK = re.compile(r"\b[vV](?=\d+\.\d)")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+")


def tokens(text: str) -> list[str]:
    """The words, numbers and identifiers of a text as they are written, without accents."""
    return _TOKEN.findall(_VERSION_MARK.sub("", _unaccented(text)))


def _unaccented(text: str) -> str:
    if text.isascii():
        return text
    import unicodedata

    parts = unicodedata.normalize("NFKD", text.replace("ł", "l").replace("Ł", "L"))
    return "".join(part for part in parts if not unicodedata.combining(part))


def number(token: str) -> str:
    """A number in one form: 1,150 is 1150, 3.12.0 is 3.12."""
    token = re.sub(r"(?<=\d),(?=\d{3}\b)", "", token).rstrip("%x,.")
    return re.sub(r"^(\d+\.\d+)\.0$", r"\1", token)


@lru_cache(maxsize=100_000)
def key(word: str) -> str:
    """The key of one word or number."""
    if word[:1].isdigit():
        return number(word)
    small = fold(word)
    if small in STOP:
        return small
    if small[1:2] == "-":
        return f"{small[:2]}{stem(small[2:])}"
    return stem(small) if small.isalpha() else small


def keys(text: str) -> tuple[str, ...]:
    """All keys of a text in order; an identifier gives its parts beside the whole."""
    return _keys(text)


@lru_cache(maxsize=60_000)
def _keys(text: str) -> tuple[str, ...]:
    found: list[str] = []
    for token in tokens(text):
        found.append(key(token))
        if "_" in token:
            found += [key(part) for part in token.split("_") if len(part) > 1]
        elif token[1:2] == "-":
            continue
        elif not token.islower() and not token[1:].islower() and len(token) > 3 and token[0].isalpha():
            parts = _CAMEL.findall(token)
            if len(parts) > 1:
                found += [key(part) for part in parts if len(part) > 1]
    return tuple(found)


def is_number(one: str) -> bool:
    """Whether a key is a number or a version."""
    return one[:1].isdigit()


@cache
def families() -> dict[str, frozenset[str]]:
    """For each key the keys of words that are used for it."""
    lines = resources.files("averment.corpus.answering").joinpath("families.txt").read_text(encoding="utf-8")
    found: dict[str, set[str]] = {}
    for line in lines.splitlines():
        kin = {key(word) for word in line.partition("#")[0].split()}
        for one in kin:
            found.setdefault(one, set()).update(kin - {one})
    return {one: frozenset(kin) for one, kin in found.items()}


def kin_of(one: str) -> frozenset[str]:
    """The keys of words that are used for this one; of a version those that name it with or without its zero."""
    if one.isdigit():
        return frozenset({f"{one}.0"})
    if re.fullmatch(r"\d+\.0", one):
        return frozenset({one[:-2]})
    return families().get(one, frozenset())


def is_met(one: str, said: Set[str]) -> bool:
    """Whether a key, or one of a word that is used for it, is among those that are said."""
    return one in said or not kin_of(one).isdisjoint(said)


def same_word(one: str, other: str) -> bool:
    """Whether two keys are one word: equal, or equal but for an ending that a stem may keep."""
    return one == other or any(
        a + end == b for a, b in ((one, other), (other, one)) for end in ("ing", "ed", "er", "s")
    )
