"""A snapshot cut into passages: whole paragraphs where they fit, sentences where they do not, positions kept.

A passage is what is ranked and quoted from; it is short enough for a sentence model to read it whole.
"""

from __future__ import annotations

import re

TARGET = 1_000
"""Characters at which a passage is closed at the next paragraph."""
LONGEST = 1_600
"""Characters that a passage has at most, but for a word longer than that."""

Span = tuple[int, int]

_PARAGRAPH = re.compile(r"\n[ \t]*\n+")
_SENTENCE = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|\n")


def cut(text: str) -> list[Span]:
    """The passages of a text in order: they do not overlap, and only white space lies between them."""
    if len(text) <= LONGEST:
        return [span] if (span := _trimmed(text, 0, len(text))) else []
    found: list[Span] = []
    start: int | None = None
    end = 0
    for first, last in _blocks(text):
        if start is not None and (
            last - start > LONGEST or (end - start >= TARGET and not _is_heading(text, start, end))
        ):
            found.append((start, end))
            start = None
        if start is None:
            start = first
        end = last
    if start is not None:
        found.append((start, end))
    return found


def _blocks(text: str) -> list[Span]:
    """Paragraphs, and the sentences of those too long to be one passage."""
    found: list[Span] = []
    for first, last in _split(text, 0, len(text), _PARAGRAPH):
        if last - first <= LONGEST:
            found.append((first, last))
            continue
        for begin, end in _split(text, first, last, _SENTENCE):
            found.extend([(begin, end)] if end - begin <= LONGEST else _pieces(text, begin, end))
    return found


def _pieces(text: str, start: int, end: int) -> list[Span]:
    """A sentence without end cut at blanks, or anywhere when it has none."""
    found: list[Span] = []
    while end - start > LONGEST:
        blank = text.rfind(" ", start + 1, start + LONGEST)
        stop = blank if blank > start else start + LONGEST
        if span := _trimmed(text, start, stop):
            found.append(span)
        start = stop
    if span := _trimmed(text, start, end):
        found.append(span)
    return found


def _split(text: str, start: int, end: int, boundary: re.Pattern[str]) -> list[Span]:
    found: list[Span] = []
    for gap in boundary.finditer(text, start, end):
        if span := _trimmed(text, start, gap.end()):
            found.append(span)
        start = gap.end()
    if span := _trimmed(text, start, end):
        found.append(span)
    return found


def _trimmed(text: str, start: int, end: int) -> Span | None:
    piece = text[start:end]
    inner = piece.strip()
    if not inner:
        return None
    begin = start + piece.index(inner[0])
    return (begin, begin + len(inner))


def _is_heading(text: str, start: int, end: int) -> bool:
    return text.startswith("#", start) and "\n" not in text[start:end]
