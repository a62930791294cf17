"""What a single cell's text looks like: a number, a date, a code, words.

Used on samples only, to tell headers from data and one dialect from another; whole columns are typed in the engine.
"""

from __future__ import annotations

import re
from typing import Literal

Kind = Literal[
    "empty",
    "integer",
    "decimal",
    "date",
    "time",
    "datetime",
    "money",
    "percent",
    "boolean",
    "link",
    "code",
    "word",
    "text",
]

VALUE_KINDS: frozenset[Kind] = frozenset(
    {"integer", "decimal", "date", "time", "datetime", "money", "percent", "boolean", "link"}
)
"""Kinds that a header's name does not have."""

NUMBER_KINDS: frozenset[Kind] = frozenset({"integer", "decimal", "money", "percent"})

_MONTHS = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|sept|oct|nov|dec)[a-z]*"
_NUMBERED = r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})"
_DATE = rf"(?:{_NUMBERED}|\d{{1,2}}[ -]{_MONTHS}[ -]\d{{2,4}})"
_TIME = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?[ap]\.?m\.?)?"
_WRITTEN: tuple[tuple[Kind, str], ...] = (
    ("integer", r"[+-]?\d{1,40}"),
    ("decimal", r"[+-]?(?:\d+[.,]\d*|[.,]\d+)(?:e[+-]?\d+)?|[+-]?\d+e[+-]?\d+|nan|[+-]?inf(?:inity)?"),
    ("decimal", r"[+-]?\d{1,3}(?:[,.' \u00a0\u202f]\d{3})+(?:[.,]\d+)?"),
    ("date", _DATE),
    ("time", _TIME),
    ("datetime", rf"{_DATE}[T ]{_TIME}(?: ?Z| ?[+-]\d\d:?\d\d)?"),
    ("money", r"\(?-?[$€£¥₹]\s?-?\d[\d,.' ]*\)?|-?\d[\d,.' ]*\s?[$€£¥₹]"),
    ("percent", r"[+-]?\d+(?:[.,]\d+)?\s?%"),
    ("boolean", r"true|false"),
    ("link", r"(?:https?|ftp)://\S+|[\w.+-]+@[\w-]+\.[\w.-]+"),
    ("word", r"[^\W\d_]+"),
    ("code", r"[\w.#/+-]*\d[\w.#/+-]*|[\w.#/-]+"),
)
_PATTERNS: tuple[tuple[Kind, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _WRITTEN
)


def kind_of(cell: str) -> Kind:
    """The kind of one cell; white space around it does not count."""
    text = cell.strip()
    if not text:
        return "empty"
    if len(text) > 60:
        return "link" if text.startswith(("http://", "https://")) and " " not in text else "text"
    for kind, pattern in _PATTERNS:
        if pattern.fullmatch(text):
            return kind
    return "text"


def fine_shape(cell: str) -> str:
    """The cell with each digit as 9 and each run of letters as a; long cells are cut."""
    return re.sub(r"[^\W\d_]+", "a", re.sub(r"\d", "9", cell.strip()[:40]))
