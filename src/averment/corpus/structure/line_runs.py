"""Runs of lines in a body: how far they go, and what they are without their marks."""

from __future__ import annotations

import re

from averment.corpus.structure.shape import TextUnit
from averment.corpus.structure.tables import Line

BULLET = re.compile(r"^(\s*)(?:[-*+•‣]|\d{1,3}[.)]|#\.|\([a-z0-9]{1,2}\)|[a-z]\))\s+(?=\S)")
"""How an item of a list begins."""
_MARKED_Q, _MARKED_A = re.compile(r"^\s*Q\d*[.:)]\s+(?=\S)"), re.compile(r"^\s*A\d*[.:)]\s+\S")


def indented(lines: list[Line], at: int, indent: int) -> int:
    """The end of the lines that stand deeper than ``indent``."""
    while at < len(lines) and (not lines[at][0].strip() or len(lines[at][0]) - len(lines[at][0].lstrip()) > indent):
        at += 1
    return at


def after_fence(lines: list[Line], at: int) -> int:
    """The line behind a fenced block that begins here."""
    mark = lines[at][0].strip()[:3]
    at += 1
    while at < len(lines) and not lines[at][0].strip().startswith(mark):
        at += 1
    return at + 1


def bullet_indent(line: str) -> int:
    """How deep the bullet of a line stands; -1 where it has none."""
    match = BULLET.match(line)
    return -1 if match is None else len(match[1])


def without_double_colon(units: tuple[TextUnit, ...]) -> tuple[TextUnit, ...]:
    """Sentences of which the last one no longer ends in two colons."""
    return tuple(TextUnit(re.sub(r"::$", ":", unit.text), unit.start, unit.end, unit.code) for unit in units)


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch of a text without the blanks at its ends."""
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())


def marked_question(lines: list[Line], at: int, most: int) -> tuple[str, int]:
    """The question that begins here with its mark ("Q)"), up to the mark of its answer or a blank line.

    With how many lines it has: 0 where none begins, or where it has more than ``most``.
    """
    end = at + 1
    while end < len(lines) and lines[end][0].strip() and not _MARKED_A.match(lines[end][0]):
        end += 1
    if not _MARKED_Q.match(lines[at][0]) or end - at > most or end == len(lines):
        return "", 0
    return _MARKED_Q.sub("", " ".join(text.strip() for text, _ in lines[at:end])), end - at
