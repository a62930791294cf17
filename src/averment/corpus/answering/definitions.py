"""Definitions: sentences that open with the very thing a question asks about and say what it is."""

from __future__ import annotations

import re

from averment.corpus.answering.answer import DocumentAnswer, TextPlace
from averment.corpus.answering.card import DocumentCard
from averment.corpus.answering.library import Library, TextLine
from averment.corpus.answering.question import CorpusQuestion
from averment.corpus.answering.words import STOP, keys, kin_of

_SAYS = re.compile(
    r"\s(?:(?:is|are)(?= (?:an?|the|any|one|either|simply|used|basically|every|all)\b)|(?:shall )?means?\b|"
    r"refers? to\b|stands? for\b|denotes?\b|is defined as\b)"
)
_QUOTED = re.compile(r"[\"“‘'`][^\"“”‘’]{2,60}[\"”’'`]")
_ODDS = 0.85
_LONGEST = 60


def find_definition(question: CorpusQuestion, library: Library) -> DocumentAnswer | None:
    """The sentence that defines what is asked about; of several that of a document about it, else none is sure."""
    subject = {term.key for term in question.terms if term.role != "soft"}
    if question.expects != "definition" or not subject or question.bound:
        return None
    asked = {term.key for term in question.terms}
    everywhere = {one for one in subject if library.is_common(one)}
    found = [
        line
        for line in library.lines
        if _defines(line, subject, asked, _names(library.cards[line.document]) | everywhere)
    ]
    about = [line for line in found if subject <= library.cards[line.document].title_keys]
    chosen = about[:1] or (found if len({line.document for line in found}) == 1 else [])[:1]
    if not chosen:
        return None
    line = chosen[0]
    units = [line.unit]
    if line.after is not None and line.size + len(line.after.text.split()) < 70:
        units.append(line.after)
    places = [TextPlace(line.document, unit.start, unit.end, unit.text) for unit in units]
    return DocumentAnswer(" ".join(place.text for place in places), places, "sentence", _ODDS)


def _names(card: DocumentCard) -> set[str]:
    """The words by which a document is named, and those used for them."""
    own = {*card.title_keys, *card.name_keys}
    return own | {other for one in own for other in kin_of(one)}


def _defines(line: TextLine, subject: set[str], asked: set[str], title: set[str]) -> bool:
    match = _SAYS.search(line.unit.text[: _LONGEST + 30])
    if not match or line.unit.text.endswith((":", "?")):
        return False
    before = re.sub(r"\([^)]*\)", " ", line.unit.text[: match.start()])
    if len(before) > _LONGEST:
        return False
    own = {one for one in keys(before) if one not in STOP}
    if _QUOTED.fullmatch(before.strip()) and own and own <= asked:
        # A term in quotation marks is defined by the document it stands in: the rest of the question may name that one.
        return subject - own <= title
    # The rest of the question names the document, or what all of them are about.
    return bool(own) and own <= subject and subject - own <= title and (own == subject or not own <= title)
