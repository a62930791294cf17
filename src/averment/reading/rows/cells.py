"""Cells as a reader of tables sees them: plain words, the numbers in a text, dates, times, scores.

Every number is read exactly as the composed query reads it, so that what is found in memory is what the engine returns.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Literal

from averment.language.stems import stem

View = Literal["value", "number", "year", "seconds", "second", "margin", "both"]
"""How a column is read as a number: as it is, by its first number, year, clock time or second number; in a score or a
span of years also by how far its two numbers are apart, and by what they make together."""

Part = Literal["month", "tail", "head", "inside"]
"""What of a text is looked at by itself: its month, what follows its last comma, what its first one ends, brackets."""

NUMBER = r"-?[0-9][0-9,]*\.?[0-9]*"
YEAR = r"([12][0-9]{3})"
MINUTES = r"([0-9]+):[0-9]{2}\.?[0-9]*$"
SECONDS = r"[0-9]+:([0-9]{2}\.?[0-9]*)$"
CLOCK = r"^0?([0-9]+:[0-9]{2})"
LINE = r"^\s*([^\n]*[^\s])"
SECOND = r"[0-9]+\s*[^0-9.,\s]+\s*([0-9]+)"

PARTS: dict[Part, str] = {
    "month": r"(January|February|March|April|May|June|July|August|September|October|November|December|"
    r"Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)",
    "tail": r",\s*([^,\n]*[^,\s])\s*$",
    "head": r"^\s*([^,\n]*[^,\s])\s*,",
    "inside": r"\(([^()\n]+)\)",
}

_PARTS = {part: re.compile(pattern, re.ASCII) for part, pattern in PARTS.items()}
_NUMBER = re.compile(NUMBER)
_YEAR = re.compile(YEAR)
_CLOCK = re.compile(r"([0-9]+):([0-9]{2}\.?[0-9]*)$")
_SECOND = re.compile(SECOND)
_FOOTNOTE = re.compile(r"\[[^\]]*\]|[\u2020\u2021*#^]+$")
_INITIALS = re.compile(r"(?<=\b\w)\.(?=\w\b)")
_WORD = re.compile(r"[0-9]+(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+\.[0-9]+|\w+(?:'\w+)*", re.UNICODE)
_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_MONTHS = "january february march april may june july august september october november december".split()

Raw = str | int | float | date | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what the engine holds, its words in the forms a question may use, and its core without brackets."""

    raw: Raw
    words: tuple[tuple[str, ...], ...]
    """The words in one or several orders; the first is how it is written."""
    core: tuple[str, ...]
    """The words before the first bracket."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing is said in it."""
        return self.raw is None or not self.words[0]


def plain(text: str) -> str:
    """A text in small letters without accents and footnotes, its dashes and quotes plain."""
    text = text.replace("\u2019", "'").replace("\u2018", "'")
    for dash in "\u2010\u2011\u2012\u2013\u2014\u2212":
        text = text.replace(dash, "-")
    if not text.isascii():
        parts = unicodedata.normalize("NFKD", text)
        text = "".join(part for part in parts if not unicodedata.combining(part))
    return _FOOTNOTE.sub("", text).strip().casefold()


@lru_cache(maxsize=65536)
def words_of(text: str) -> tuple[str, ...]:
    """The words and numbers of a text, thousands marks left out, possessives cut."""
    found: list[str] = []
    for word in _WORD.findall(_INITIALS.sub("", plain(text))):
        word = word.removesuffix("'s").replace("'", "")
        if word[0].isdigit():
            word = word.replace(",", "")
        if word:
            found.append(word)
    return tuple(found)


@lru_cache(maxsize=65536)
def stem_of(word: str) -> str:
    """A word's stem; numbers as they are, those of an order without their ending."""
    if word[0].isdigit():
        return word[:-2] if word[-2:] in _ENDINGS and word[:-2].isdigit() else word
    return stem(word)


def read_cell(raw: Raw) -> Cell:
    """A cell as the engine holds it, read."""
    if raw is None:
        return Cell(None, ((),), ())
    if isinstance(raw, datetime):
        raw = raw.date() if not (raw.hour or raw.minute or raw.second) else raw
    if isinstance(raw, date):
        month, day, year = _MONTHS[raw.month - 1], str(raw.day), str(raw.year)
        forms = ((month, day, year), (day, month, year), (month, year))
        return Cell(raw, forms, forms[0])
    if isinstance(raw, str):
        return _read_text(raw)
    number = int(raw) if float(raw).is_integer() else float(raw)
    words = (str(number),)
    return Cell(raw, (words,), words)


@lru_cache(maxsize=65536)
def _read_text(raw: str) -> Cell:
    return Cell(raw, (words_of(raw),), words_of(re.split(r"[(\[\n]", raw, maxsplit=1)[0]))


def cut_part(raw: Raw, part: Part) -> str | None:
    """A part of a cell as the engine cuts it; None where there is none."""
    if isinstance(raw, date):
        return _MONTHS[raw.month - 1][:3].capitalize() if part == "month" else None
    found = _PARTS[part].search(raw) if isinstance(raw, str) else None
    return found.group(1) if found else None


def view_number(raw: Raw, view: View) -> float | None:
    """A cell as a number in one view; None where the engine would find none."""
    if raw is None:
        return None
    if isinstance(raw, date):
        return float(raw.year) if view == "year" else float(raw.toordinal())
    if not isinstance(raw, str):
        return float(raw) if view in {"value", "number"} else None
    return _text_number(raw, view)


@lru_cache(maxsize=65536)
def _text_number(raw: str, view: View) -> float | None:
    if view == "number":
        found = _NUMBER.search(raw)
        text = found.group().replace(",", "") if found else ""
    elif view == "year":
        found = _YEAR.search(raw)
        text = found.group(1) if found else ""
    elif view == "second":
        found = _SECOND.search(raw)
        text = found.group(1) if found else ""
    elif view in {"margin", "both"}:
        one, two = _text_number(raw, "number"), _text_number(raw, "second")
        if one is None or two is None:
            return None
        return abs(one - two) if view == "margin" else one + two
    elif view == "seconds":
        found = _CLOCK.search(raw)
        return 60 * float(found.group(1)) + float(found.group(2)) if found else None
    else:
        return None
    try:
        return float(text) if text else None
    except ValueError:
        return None
