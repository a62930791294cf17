"""The snapshot of a source: its text in one normal form, whose SHA-256 is its name and whose offsets spans count in.

Normalising removes what a reader cannot see (controls, zero-width and direction marks, tag characters), so that what is
quoted is what is shown. It is idempotent: the snapshot of a snapshot is itself.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

_LINE_ENDS = re.compile(r"\r\n?|[\u2028\u2029\x0b\x0c\x85]")
_BLANKS = re.compile(r"[^\S\n]+")
_BLANK = re.compile(r"[^\S\n]")
_TAB = 8
_GAP = " " * 80
_LONG = re.compile(r" {81,}")
"""Further apart nothing stands in a table; what is pushed out of sight comes back."""
_MANY_LINES = re.compile(r"\n{3,}")
# Joiners carry meaning in several scripts; every other format character is invisible.
_JOINERS = frozenset("\u200c\u200d")


def normalise(text: str, *, laid_out: bool = False) -> str:
    """The text with one kind of line end, single blanks, at most one empty line in a row, and nothing invisible.

    Where blanks say what belongs together (``laid_out``: indented lists, columns of a table) they stay within a line.
    """
    text = text.encode("utf-8", "replace").decode("utf-8")
    text = _LINE_ENDS.sub("\n", text)
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    if not text.isprintable():
        text = "".join(map(_visible, text))
    if laid_out:
        text = "\n".join(_LONG.sub(_GAP, _BLANK.sub(" ", line.expandtabs(_TAB)).rstrip()) for line in text.split("\n"))
        text = _MANY_LINES.sub("\n\n", text).strip("\n")
    else:
        text = _BLANKS.sub(" ", text)
        text = "\n".join(line.strip() for line in text.split("\n"))
        text = _MANY_LINES.sub("\n\n", text).strip()
    # Taking a mark away may leave letters that compose; a second pass settles them.
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _visible(character: str) -> str:
    if character in "\n\t" or character in _JOINERS:
        return character
    category = unicodedata.category(character)
    if category in ("Cc", "Cf", "Co", "Cs"):
        return ""
    return " " if category == "Zs" else character


def digest(content: bytes) -> str:
    """The SHA-256 of bytes, the key of the archive."""
    return hashlib.sha256(content).hexdigest()
