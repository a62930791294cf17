"""Changelogs: a heading names a release, often with its date, and what stands below it came with that release."""

from __future__ import annotations

import re

from averment.corpus.answering.answer import DocumentAnswer, TextPlace
from averment.corpus.answering.expect import MONTH
from averment.corpus.answering.library import Library, TextLine
from averment.corpus.answering.question import CorpusQuestion
from averment.corpus.answering.words import key, keys, kin_of, number
from averment.corpus.structure.shape import Block

_RELEASE = re.compile(r"^\W*(?:[A-Za-z][\w.-]* )?(?:v|version |release )?\d+\.\d+(?:\.\w+)*\b", re.IGNORECASE)
_LONGEST = 8
_WANTED = frozenset((key("version"), key("release")))
_DONE = re.compile(
    r"\b(?:add|introduce|drop|remove|deprecate|fix|change|rename|replace|start|begin|stop|become|support|get|gain)\w*\b"
)


_VERSION = re.compile(r"v?(\d+(?:\.(?:\d+|x))*)", re.IGNORECASE)
_VERSIONS = re.compile(
    r"\b(?!(?:in|on|at|of|than|to|from|until|by|since|for|over|under|after|before|and|or|about) )"
    r"[a-z][\w.-]* v?(\d{1,3}(?:\.\d+)*)\b(?![.-]?\w|\s*%)"
)
"""Numbers behind a name, as versions are written."""
_HEADED = re.compile(r"^\W*(?:[A-Za-z][\w.-]* )?(?:v|version |release )?(\d+\.\d+(?:\.\d+)*)\b(.*)$", re.IGNORECASE)
_EARLY = re.compile(r"\s*[-.]?\s*(?:rc|a|b|alpha|beta|dev|pre)[\d.-]*\b", re.IGNORECASE)
_DAY = re.compile(rf"\b(?:19|20)\d\d\b|\b{MONTH}\.? \d{{1,2}}\b", re.IGNORECASE)
_DATED = re.compile(r"(?:release[- ]date|released?|date)\b", re.IGNORECASE)
_CAME_OUT = re.compile(
    r"^when (?:was|were|did|has) .*\b(?:released?|published|ship|shipped|come out|appear)\b|\brelease (?:date|day)\b|"
    r"\bdate of (?:the )?(?:release|version)\b"
)
_TIMES = frozenset(
    map(key, "release released date day publish published ship shipped final version appear out".split())
)
_ODDS = 0.9


def release_of(block: Block) -> str:
    """The heading above a block that names a release; nothing where none does."""
    return next(
        (title for title in reversed(block.path) if _RELEASE.match(title) and len(title.split()) <= _LONGEST), ""
    )


def is_of_another_release(question: CorpusQuestion, block: Block) -> bool:
    """Whether the first cell of a row is a version, and the question names only others."""
    header, cell = block.cells[0] if block.cells else ("", "")
    match = _VERSION.fullmatch(cell.strip()) if "." in cell or _WANTED & set(keys(header)) else None
    asked = {number(one) for one in _VERSIONS.findall(question.low)}
    if match is None or not asked:
        return False
    mine = number(match[1])
    return not any(mine == one or mine in kin_of(one) or mine.startswith(f"{one}.") for one in asked)


def find_release(question: CorpusQuestion, library: Library) -> DocumentAnswer | None:
    """When a release came out: what stands in its heading, or in its section as the date of the release.

    The rest of the question must name the document, and one document alone may have such a release.
    """
    asked = [number(one) for one in _VERSIONS.findall(question.low)]
    if len(asked) != 1 or not _CAME_OUT.search(question.low):
        return None
    rest = {t.key for t in question.terms if t.role not in ("number", "soft") and t.key not in _TIMES}
    found: list[tuple[str, TextLine]] = []
    for line in library.lines:
        card = library.cards[line.document]
        title = release_of(library.block_of(line))
        match = _HEADED.match(title) if rest <= card.title_keys | card.name_keys else None
        if not match or number(match[1]) not in {asked[0], *kin_of(asked[0])} or _EARLY.match(match[2]):
            continue
        if _DAY.search(match[2]) or (_DATED.match(line.unit.text) and _DAY.search(line.unit.text)):
            found.append((title, line))
    if len({line.document for _, line in found}) != 1:
        return None
    title, line = found[0]
    places = [TextPlace(line.document, line.unit.start, line.unit.end, line.unit.text)]
    return DocumentAnswer(f"{title}: {line.unit.text}", places, "sentence", _ODDS)


def wants_release(question: CorpusQuestion) -> bool:
    """Whether a question asks for the release in which something came, or for when it came."""
    if question.focus in _WANTED or re.search(r"\b(?:which|what) (?:\w+ )?(?:version|release)\b", question.low):
        return True
    return question.expects == "date" and bool(_DONE.search(question.low))
