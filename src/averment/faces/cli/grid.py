"""Rows in columns, for a terminal or a file: plain text, since richer tables take longer to load than to ask for."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import zip_longest

GAP = "  "
NARROW = 8
"""No column is folded below this width."""


def grid_lines(rows: Sequence[Sequence[str]], right: Sequence[bool], width: int | None) -> list[str]:
    """The rows as lines, columns aligned; with a width, cells are folded until each line fits it."""
    count = max((len(row) for row in rows), default=0)
    widths = [max((_cells(row[place]) for row in rows if place < len(row)), default=0) for place in range(count)]
    if width is not None:
        while sum(widths) + len(GAP) * (count - 1) > width and max(widths) > NARROW:
            widths[widths.index(max(widths))] -= 1
    lines: list[str] = []
    for row in rows:
        folded = [_fold(text, widths[place]) for place, text in enumerate(row)]
        for parts in zip_longest(*folded, fillvalue=""):
            padded = [
                _pad(part, widths[place], to_the_right=place < len(right) and right[place])
                for place, part in enumerate(parts)
            ]
            lines.append(GAP.join(padded).rstrip())
    return lines


def _cells(text: str) -> int:
    """How many places of a terminal the text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def _pad(text: str, width: int, *, to_the_right: bool) -> str:
    blanks = " " * (width - _cells(text))
    return blanks + text if to_the_right else text + blanks


def _fold(text: str, width: int) -> list[str]:
    """The text in pieces of at most that width, between words where that is possible."""
    pieces: list[str] = []
    while _cells(text) > width:
        end, taken = 0, 0
        while end < len(text) and taken + _cells(text[end]) <= max(width, 2):
            taken += _cells(text[end])
            end += 1
        space = text.rfind(" ", 0, end + 1)
        cut = space if space > 0 else end
        pieces.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*pieces, text]
