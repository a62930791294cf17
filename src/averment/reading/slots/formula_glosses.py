"""Formulas that say how a figure is computed which stands before them: "profit by shop (revenue - cost)".

Such a formula defines a word for this one question, as if somebody had taught it, and is taken out of the question.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from averment.reading.lattice.cutting import cut
from averment.reading.lattice.rivals import EXACT
from averment.reading.understand import understand_formula
from averment.reading.words import cues, graded, operations, word_list

if TYPE_CHECKING:
    from collections.abc import Iterator

    from averment.plans.meaning import Meaning
    from averment.reading.lattice.spans import Lattice
    from averment.reading.schema.schema_view import Schema

_LEAD = r"(?:=\s*|(?:i\.?\s?e\.?|that is|meaning|namely|calculated as|computed as|defined as|which is)\b[.,:]*\s*)"
_BRACKETS = re.compile(rf"\s*\(\s*{_LEAD}?((?:[^()]|\([^()]*\))+)\)(?!\s*[-+*/×÷)])", re.IGNORECASE)
_TAIL = re.compile(rf"\s*(?:[,;:]\s*{_LEAD}?|\b{_LEAD})(.+?)\s*(?=,|[.?!]*$)", re.IGNORECASE)
_WRITTEN = re.compile(r"\w[\s)]*[-+*/×÷]\s*\(?\w")
_FIGURES = frozenset("total average mean median highest lowest largest biggest smallest overall".split())
"""What stands before the name of a figure, whatever that is."""

_NAMED = 0.8
"""From this strength on a word before a figure's noun is a value or a column of its own, and no part of the name."""


def formula_gloss(text: str, schema: Schema) -> tuple[str, Meaning] | None:
    """The text without a formula that defines what stands before it, and what it defines."""
    for start, end, said in _candidates(text):
        name = _headed(text[:start], said, schema)
        made = understand_formula(name, said, schema) if name else None
        if made is not None and not _names_part(name, made, schema):
            return re.sub(r"\s+", " ", f"{text[:start]} {text[end:]}").strip(), made
    return None


def _candidates(text: str) -> Iterator[tuple[int, int, str]]:
    """Where a formula may stand that says over again what is before it: in brackets, or at the end."""
    tails = [found for at in range(len(text)) if (found := _TAIL.match(text, at)) is not None]
    for match in (*_BRACKETS.finditer(text), *tails):
        whole = match.group(1).count("(") == match.group(1).count(")")
        if match.start() and whole and _has_sign(match.group(1)):
            yield match.start(), match.end(), re.sub(r"(?<=\w)/(?=\w)", " / ", match.group(1))


def _has_sign(said: str) -> bool:
    words = re.findall(r"[\w'-]+", said.lower())
    phrases = {" ".join(words[at : at + size]) for size in (1, 2) for at in range(1, len(words) - size)}
    return _WRITTEN.search(said) is not None or bool(phrases & operations().keys())


def _headed(before: str, said: str, schema: Schema) -> str:
    """What a formula is the formula of: the noun of a figure nearest before it, with what describes it."""
    lattice = cut(before, schema)
    words = lattice.words
    named = [at for at, word in enumerate(words) if word in word_list("figure_noun") and words[max(0, at - 1)] != "in"]
    taken = [at for at in range(1, len(words)) if words[at - 1] in _FIGURES and not _is_apart(lattice, at)]
    head = (named or taken)[-1] if named or taken else None
    if head is None:
        return ""
    first = head
    while first and head - first < 2 and not _is_apart(lattice, first - 1):
        first -= 1
    while words[first] in word_list("light"):
        first += 1
    end = head + 1
    if words[end : end + 1] == ["per"] and _is_divisor(lattice, end + 1, said, schema):
        end += 2  # "cost per kilo (freight cost / weight)"
    return " ".join(words[first:end])


def _is_divisor(lattice: Lattice, place: int, said: str, schema: Schema) -> bool:
    """Whether a word names a number of the formula, and not what the figure is told by."""
    parts = {s.data for s in cut(said, schema).spans if s.type == "COLUMN" and s.strength >= _NAMED}
    here = [s.data for s in lattice.spans if s.type == "COLUMN" and s.start == place and s.strength >= _NAMED]
    return any(column in parts and column.has("measure") for column in here)


def _is_apart(lattice: Lattice, place: int) -> bool:
    """Whether a word is no part of a figure's name: it asks for something, or some of the rows are called so."""
    word = lattice.words[place]
    if word in _STOPS or word in graded() or (word,) in cues():
        return True
    return any(s.type in {"VALUE", "TIME"} and s.start <= place < s.end and s.strength >= _NAMED for s in lattice.spans)


def _names_part(name: str, made: Meaning, schema: Schema) -> bool:
    """Whether what stands before a formula is itself a column of it, which is then not defined by it."""
    parts = set(made.columns())
    spans = cut(name, schema).spans
    whole = len(name.split())
    named = [s.data for s in spans if s.type == "COLUMN" and (s.start, s.end) == (0, whole) and s.strength >= EXACT]
    return any((column.table, column.name) in parts for column in named)


_STOPS = word_list("stop") | {"average", "mean", "median", "total", "sum", "between", "and", "or", "by", "each", "per"}
