"""Markup to plain text, and paragraphs to sentences that know their place in the raw text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from averment.corpus.structure.shape import Dialect, TextUnit

_ROLE = re.compile(r":([\w:+-]+):`([^`]*)`")
_RST_LINK = re.compile(r"`([^`<]*?)\s*<[^`>]*>`_{0,2}")
_MD_TAGS = re.compile(
    r"</?(?:a|b|i|p|br|em|strong|code|sub|sup|div|span|details|summary|img|kbd|u|h[1-6]|center|li|ul|ol)\b[^>]{0,300}>",
    re.IGNORECASE,
)
_LITERAL = re.compile(r"``(.+?)``|(?<![`\w])`([^`<>]{1,80})`(?![`\w])", re.DOTALL)
_BOUNDARY = re.compile(r"[.!?][\"')\]*_`]*\s+(?=[\"'(\[*_`:<-]*[A-Z0-9`]|[a-z_]+\()")
_NO_END = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|al|mr|mrs|ms|dr|st|no|nr|approx|resp|incl|inc|ltd|co|corp|fig|sec|ca|jr|sr|prof)|"
    r"(?<!\w)[A-Za-z]|^\s*(?:\d{1,3}|#))\.$",
    re.IGNORECASE,
)
_SHORTEST = 3
_ANCHOR = re.compile(r"\s*[¶§]$")
"""The mark behind a heading or an entry that links to it."""


def plain(raw: str, dialect: Dialect) -> str:
    """A raw text as a person reads it: without marks, roles, targets and comments; white space is one blank."""
    if dialect == "text":
        text = re.sub(r"(?<![\w*])\*\*(\S[^*\n]{0,80}?)\*\*(?![\w*])", r"\1", raw)
    else:
        text = _plain_rst(raw) if dialect == "rst" else _plain_markdown(raw)
    return _ANCHOR.sub("", " ".join(text.split()))


def _role(match: re.Match[str]) -> str:
    name, text = match[1], match[2]
    if found := re.fullmatch(r"(.*\S)\s*<[^>]*>", text, re.DOTALL):
        return found[1]
    text = text.lstrip("~!")
    # A role whose whole text is a number is a reference to a numbered document: its name belongs to it.
    return f"{name.upper()} {text.partition('#')[0]}" if re.fullmatch(r"\d+(?:#.*)?", text) else text


def _plain_rst(text: str) -> str:
    text = _ROLE.sub(_role, text)
    text = re.sub(r"(?<!\w)\|(\S[^|\n]*)\|_?(?!\w)", r"\1", text)
    text = _RST_LINK.sub(r"\1", text)
    text = re.sub(r"\s*\[(?:#[\w-]*|\d+|\*|[A-Za-z][\w-]*)\]_(?!\w)", "", text)
    text = re.sub(r"``(.+?)``", r"\1", text, flags=re.DOTALL)
    text = re.sub(r"`([^`]+)`_{0,2}", r"\1", text)
    text = re.sub(r"\*\*(.+?)\*\*", r"\1", text, flags=re.DOTALL)
    text = re.sub(r"(?<![\w*])\*(\S[^*]*?)\*(?![\w*])", r"\1", text)
    return re.sub(r"\\(.)", r"\1", text)


def _plain_markdown(text: str) -> str:
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.DOTALL)
    text = re.sub(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])", " ", text)
    text = re.sub(r"\[([^\]]+)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[\^[^\]]+\]", "", text)
    text = re.sub(r"\[([^\]]+)\]\[[^\]]*\]", r"\1", text)
    text = re.sub(r"(?<![\w\]\\])\[([^\[\]]{2,80})\](?![(\[:])", r"\1", text)
    text = _MD_TAGS.sub(" ", text)
    text = re.sub(r"`+([^`]+)`+", r"\1", text)
    text = re.sub(r"\*\*(.+?)\*\*|__(?=\S)(.+?)__(?!\w)", lambda m: m[1] or m[2], text, flags=re.DOTALL)
    text = re.sub(r"(?<![\w*])\*(\S[^*]*?)\*(?![\w*])", r"\1", text)
    text = re.sub(r"(?<!\w)_(\S[^_]*?)_(?!\w)", r"\1", text)
    text = re.sub(r"\\([^\w\s]|_)", r"\1", text)
    return text.replace("&nbsp;", " ").replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


def literals(raw: str) -> tuple[str, ...]:
    """What stands in back quotes: names of a program's parts."""
    return tuple(" ".join((found[1] or found[2]).split()) for found in _LITERAL.finditer(raw))


def units_of(text: str, start: int, end: int, dialect: Dialect, *, margin: str = "") -> tuple[TextUnit, ...]:
    """The sentences of a stretch of the raw text, each with its place; ``margin`` marks are taken off each line."""
    found: list[TextUnit] = []
    for first, last in _sentences(text, start, end):
        raw = text[first:last]
        shown = re.sub(rf"(?m)^\s*{margin}", "", raw) if margin else raw
        told = plain(shown, dialect)
        if told and re.search(r"\w", told):
            found.append(TextUnit(told, first, last, literals(raw)))
    return tuple(found)


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for match in _BOUNDARY.finditer(text, start, end):
        piece = text[begin : match.end()].strip()
        close = match.start() + 1
        if len(piece) < _SHORTEST or _NO_END.search(text[begin:close]):
            continue
        if text.count("``", begin, match.start()) % 2 or _inside_brackets(text[begin:close]):
            continue
        yield _trimmed(text, begin, match.end())
        begin = match.end()
    if text[begin:end].strip():
        yield _trimmed(text, begin, end)


def _inside_brackets(piece: str) -> bool:
    """Whether a sentence would end inside brackets that it opened; long brackets hold sentences of their own."""
    opened = piece.rfind("(")
    return opened > piece.rfind(")") and len(piece) - opened < 80


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
