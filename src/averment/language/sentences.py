"""Prose cut into sentences that know where they stand, and lists joined so that they read well."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from averment.language.tokens import Span
from averment.language.word_lists import word_lists

_LISTS = word_lists("sentences")
_ABBREVIATIONS = frozenset(_LISTS["abbreviations"].split())
"""Words whose full stop does not end a sentence by itself."""
_DOTTED = re.compile(r"^(?:[a-z]\.)+[a-z]?$")
_END = re.compile(
    r"(?P<mark>[.!?…]+(?=[\"'”’)\]»]*(?:\s|$|[\"'“(\[]|[A-Z]))|[。！？]+)(?P<close>[\"'”’)\]»]*)|\n[ \t]*\n+|"
    r"\n(?=[ \t]*(?:[-*•]|[0-9]+[.)])[ \t])"
)
_STARTER = re.compile(r"\s*[\"'“‘(\[]*(?P<first>\S)")
# Abbreviations that close a sentence when the next word begins with a capital.
_MAY_END = frozenset("etc inc ltd co corp llc plc jr sr al bros".split())

_OPENERS = frozenset(
    "The A An It In This That These He She They We But And However There If On At For I You As When While Its".split()
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of a text: ``text`` is exactly what stands between ``start`` and ``end``."""

    text: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Where the sentence stands."""
        return (self.start, self.end)


def split_sentences(text: str) -> list[Sentence]:
    """The sentences of a text in order; only white space lies outside them.

    Decimals, initials, abbreviations, addresses and numbered items do not end a sentence; blank lines and list items
    do.
    """
    found: list[Sentence] = []
    start = 0
    for mark in _END.finditer(text):
        if mark["mark"] is not None and not _ends(text, mark, start):
            continue
        _add(found, text, start, mark.end())
        start = mark.end()
    _add(found, text, start, len(text))
    return found


def _add(found: list[Sentence], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    trimmed = piece.strip()
    if trimmed:
        begin = start + len(piece) - len(piece.lstrip())
        found.append(Sentence(trimmed, begin, begin + len(trimmed)))


def _ends(text: str, mark: re.Match[str], start: int) -> bool:
    if mark["mark"] != ".":
        after = _STARTER.match(text, mark.end())
        if mark["mark"].startswith((".", "…")) and after and after["first"].islower():
            return False
        if mark["close"] and after and after["first"].islower():
            return False
        return (
            bool(mark["close"]) or mark.end() == len(text) or text[mark.end()].isspace() or mark["mark"][0] in "。！？"
        )
    before = re.search(r"(\S+)$", text[start : mark.start()])
    word = before.group(1).lstrip("\"'“‘([") if before else ""
    after = _STARTER.match(text, mark.end())
    if mark.end() < len(text) and not text[mark.end()].isspace() and not mark["close"]:
        return False  # example.com, 3.5, v1.Final
    if after is None:
        return True
    first = after["first"]
    if first.islower():
        return False
    folded = word.casefold()
    if folded in _ABBREVIATIONS:
        return folded in _MAY_END and first.isupper()
    if re.fullmatch(r"[^\W\d_]", word):
        return False  # An initial: J. Smith.
    if _DOTTED.match(folded):
        return folded not in {"e.g", "i.e", "a.k.a"} and first.isupper() and not _is_name_after(text, mark.end())
    # "1. First item": the number that opens an item ends nothing.
    return not (word.isdigit() and len(word) <= 3 and text[start : mark.start()].strip() == word)


def _is_name_after(text: str, place: int) -> bool:
    """After "U.S." a capital may go on with the name ("U.S. Navy"); a common opener decides."""
    word = re.match(r"\s*(\w+)", text[place:])
    return not (word and word.group(1) in _OPENERS)


def join_list(items: Sequence[str], *, conjunction: str = "and") -> str:
    """Items as one phrase: "A", "A and B", "A, B and C"; semicolons where an item holds a comma or the conjunction."""
    shown = [item.strip() for item in items if item.strip()]
    if len(shown) < 2:
        return "".join(shown)
    heavy = any("," in item or f" {conjunction} " in f" {item} " for item in shown)
    if not heavy:
        return f"{', '.join(shown[:-1])} {conjunction} {shown[-1]}"
    return f"{'; '.join(shown[:-1])}; {conjunction} {shown[-1]}"
