"""Notes that come with a question: definitions of its terms ("ASP = total sales / number of sales") put in their place.

A request may hold a question and, in later paragraphs, how its words are to be understood. Only definitions change the
question; advice on how to compute ("join the tables first") is for readers that write queries by hand.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_ENTRY = re.compile(
    r"(?:^|(?<=[\s.;]))(?P<name>[A-Z][A-Za-z]*[A-Z][A-Za-z]*)\s*(?:\((?P<gloss>[^)=]{3,60})\)\s*)?=\s*(?P<body>.+?)"
    r"(?=[.;\n]\s|[.;\n]?$|\s[A-Z][A-Za-z]*[A-Z][A-Za-z]*\s*(?:\([^)=]{3,60}\)\s*)?=|\sTo [a-z]+\s)",
    re.DOTALL,
)
_TAIL = re.compile(
    r"\s*(?:,|\b(?:in the|in a|within|over a|over the|for a|for the|during|using|where|expressed|inclusive|for recent|"
    r"for each|who have recently|per)\b).*$",
    re.DOTALL | re.IGNORECASE,
)
_RATIO = re.compile(r"^\(?(?P<top>[^/*()]+?)\s*/\s*(?P<bottom>[^/*()]+?)\)?\s*(?P<times>[*x×]\s*100)?\s*$")


@dataclass(frozen=True)
class Noted:
    """A question with its defined terms written out; ``terms`` are the names that were replaced."""

    text: str
    terms: tuple[str, ...] = ()
    question: str = ""
    notes: str = ""
    """The question and its notes as they were written."""


def read_notes(text: str) -> Noted:
    """The question of a request, its defined terms replaced by what they are."""
    question, _, notes = text.strip().partition("\n\n")
    asked, given = question, notes
    notes = " ".join(
        line.strip() if line.strip().endswith((".", ";")) else f"{line.strip()}."
        for line in notes.split("\n")
        if line.strip()
    )
    defined: dict[str, str] = {}
    for found in _ENTRY.finditer(notes):
        written = _written_out(found["body"])
        if written:
            defined.setdefault(found["name"], written)
    said: list[str] = []
    for name, written in defined.items():
        pattern = re.compile(rf"\b{re.escape(name)}\b(?:\s*\([^)]*\))?")
        if pattern.search(question):
            said.append(name)
            question = _put(question, pattern, written)
    return Noted(question, tuple(said), asked, given)


def _put(question: str, pattern: re.Pattern[str], written: str) -> str:
    """The first saying of a term written out; what is said again of it is the same thing."""
    first = pattern.search(question)
    assert first is not None  # only terms that are said come here
    rest = question[first.end() :]
    rest = re.sub(rf",?\s*(?:and\s+)?(?:the\s+)?{pattern.pattern}", "", rest)
    return f"{question[: first.start()]}{written}{rest}"


def _written_out(body: str) -> str:
    body = " ".join(body.split()).strip(" .;")
    ratio = _RATIO.match(body)
    if ratio is not None:
        top, bottom = _phrase(ratio["top"]), _phrase(ratio["bottom"])
        factor = "percentage ratio" if ratio["times"] else "ratio"
        return f"{factor} of {top} to {bottom}"
    if re.search(r"[=/*+()]| - ", body):
        return ""
    return _phrase(_TAIL.sub("", body))


def _phrase(words: str) -> str:
    plain = " ".join(words.split())
    return plain[:1].lower() + plain[1:] if plain[1:2].islower() else plain
