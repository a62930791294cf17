"""The words that are told for a sentence: a list with its lead, a cell with its row, a sentence with its neighbour."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from averment.corpus.answering.answer import DocumentAnswer, TextPlace, silent
from averment.corpus.answering.expect import is_told, verdict_of
from averment.corpus.answering.library import Library, TextLine
from averment.corpus.answering.question import CorpusQuestion
from averment.corpus.answering.releases import release_of, wants_release
from averment.corpus.answering.words import STOP, is_met, keys, kin_of
from averment.corpus.structure.shape import Block, TextUnit

_LEANS = re.compile(
    r"(?:This|That|These|Those|It|They|He|She|Therefore|Thus|However|But|So|I therefore|Instead|Both|Such|Otherwise)\b"
    r"|(?:In|For|With|By|On) (?:this|that|these|those|such)\b"
)
_OPENS = re.compile(r":$|\b(?:following|follows|these|below)\b|\b(?:are|is)$", re.IGNORECASE)
"""How a sentence ends or speaks whose list belongs to it; one that merely stands above a list opens none."""
_WHOLE = re.compile(r"(?:\S+\s+){3,}\S+[.!][\"')\]”’]*$")
_NOUN = re.compile(r"The [a-z]+ (?:[a-z]+ )?[a-z]+")
_SAID = re.compile(r"(?:A\d?[.:)] )?(Yes|No)\b(?! (?:one|longer|more|other)\b)")
_ROOM = 115
_SHORT_LEAD = 25
_MAY_GO_ON = frozenset({"sentence", "list", "row"})
_WORTH = 0.2
"""A second sentence is told whose odds are at least such a share of the first one's."""
_CONTEXT = 75
"""So many words a sentence has with its neighbours."""


def tell(question: CorpusQuestion, library: Library, line: TextLine, room: int = _ROOM) -> DocumentAnswer:
    """What is told for a line, with its places; what stands around it is told where it fits into so many words."""
    block = library.block_of(line)
    if block.kind == "row":
        return _cell(question, line, block)
    opens = block.kind != "item" and bool(_OPENS.search(line.unit.text)) and bool(library.items_after(line))
    listing = question.wants_list or (opens and question.expects not in ("yesno", "date", "number", "duration"))
    if listing and (question.wants_list or block.kind != "item"):
        told = _items(library, line, block)
        if told is not None:
            return told
    units = [line.unit]
    text = line.unit.text
    example = library.example_after(line)
    if example is not None and line.size + len(example.text.split()) <= room:
        units, text = [line.unit, example], f"{text} {example.text}"
    lead = block.lead if block.kind == "item" and ":" not in text[:40] else None
    if lead is not None and _OPENS.search(lead.text) and len(lead.text.split()) < min(_SHORT_LEAD, room - line.size):
        units.insert(0, lead)
        text = f"{lead.text.rstrip(':')}: {text}"
    if len(units) == 1:
        units = _with_neighbours(question, library, line, min(room, _CONTEXT))
        text = " ".join(unit.text for unit in units)
    if wants_release(question) and (release := release_of(block)):
        text = f"{release}: {text}"
    said = _verdict(question, library, line) if question.expects == "yesno" else ""
    said = "" if text.startswith(said) else f"{said}: "
    return DocumentAnswer(f"{said}{text}", _places(line, units), "sentence")


def _with_neighbours(question: CorpusQuestion, library: Library, line: TextLine, room: int) -> list[TextUnit]:
    """A sentence with what stands beside it in its section, as far as there is room.

    What it leans on comes first; then the sentence after it, which explains or goes on, and the one before it.
    """
    units, words = [line.unit], line.size

    def take(unit: TextUnit | None, at: int) -> None:
        nonlocal words
        if unit is not None and words + len(unit.text.split()) <= room:
            units.insert(at, unit)
            words += len(unit.text.split())

    leans = line.before is not None and (line.leans or _leans(question, line.unit, line.before))
    if leans:
        take(line.before, 0)
    take(line.after or _sentence(library.paragraph_beside(line, 1)), len(units))
    if not leans:
        take(line.before or _sentence(library.paragraph_beside(line, -1)), 0)
    return units


def _sentence(unit: TextUnit | None) -> TextUnit | None:
    """A unit that is a whole sentence; a date, a caption or a label of its own says nothing beside another one."""
    return unit if unit is not None and _WHOLE.search(unit.text) and is_told(unit.text) else None


def with_second(
    tellings: Sequence[DocumentAnswer], library: Library, lines: Sequence[TextLine], odds: Sequence[float], room: int
) -> DocumentAnswer:
    """The first telling with the likeliest other one of its section, where that adds something and has room.

    The sentence that answers often stands near one that has more words of the question.
    """
    told = tellings[0]
    here = (lines[0].document, library.block_of(lines[0]).path)
    for line, other, likely in zip(lines[1:], tellings[1:], odds[1:], strict=False):
        if likely < _WORTH * odds[0] or told.how not in _MAY_GO_ON:
            break
        if (line.document, library.block_of(line).path) != here or line.unit.text in told.answer:
            continue
        own = _places(line, [line.unit])
        for places in (other.places if other.how == "sentence" else own, own):
            new = [one for one in places if one.text not in told.answer]
            text = " ".join(one.text for one in new)
            if len(told.answer.split()) + len(text.split()) <= room:
                ahead = new[0].start < told.places[0].start and not _SAID.match(told.answer)
                answer = f"{text} {told.answer}" if ahead else f"{told.answer} {text}"
                return replace(told, answer=answer, places=[*new, *told.places] if ahead else [*told.places, *new])
    return told


def named_above(library: Library, line: TextLine) -> set[str]:
    """The keys of what a line stands under: its headings, the title and the name of its document."""
    card = library.cards[line.document]
    return {*card.title_keys, *card.name_keys, *(one for title in library.block_of(line).path for one in keys(title))}


def covered(question: CorpusQuestion, answer: str, named: Collection[str]) -> float:
    """The share of what a question asks about that stands in what is told or is ``named`` above it."""
    said = {*keys(answer), *named}
    asked = [term for term in question.terms if term.role != "soft" and term.weight > 0]
    met = sum(term.weight for term in asked if is_met(term.key, said))
    return met / sum(term.weight for term in asked) if asked else 1.0


def _verdict(question: CorpusQuestion, library: Library, line: TextLine) -> str:
    """Yes or No: as the sentence opens, as the answer opens whose question stands above it, else by its predicate.

    A heading is the question where it has most of its words.
    """
    block = library.block_of(line)
    title = block.path[-1] if block.path else ""
    named = {one for one in keys(title) if one not in STOP}
    asked = {term.key for term in question.terms}
    met = {one for one in named if is_met(one, asked)}
    opening = line.unit.text
    if title.endswith("?") and 2 * len(met) >= min(len(named), len(asked)):
        blocks = library.bodies[line.document].blocks
        opening = next(one.units[0].text for one in blocks if one.path == block.path and one.units)
    if match := _SAID.match(opening):
        return match[1]
    return verdict_of(question, line.unit.text)


def _leans(question: CorpusQuestion, unit: TextUnit, before: TextUnit) -> bool:
    """Whether a sentence needs the one before it: it opens with a pronoun, or with a noun that the other one names."""
    if _LEANS.match(unit.text):
        return True
    said, named = set(keys(unit.text)), set(keys(before.text))
    hard = {term.key for term in question.terms if term.role not in ("soft", "number")}
    return bool(_NOUN.match(unit.text)) and bool(hard & (named - said))


def _places(line: TextLine, units: list[TextUnit]) -> list[TextPlace]:
    return [TextPlace(line.document, unit.start, unit.end, unit.text) for unit in units]


def _cell(question: CorpusQuestion, line: TextLine, block: Block) -> DocumentAnswer:
    """The cell that is asked for, where the row's key and a header are; else the whole row."""
    asked = set(question.asked)
    kin = {other for one in asked for other in kin_of(one)} - asked
    places = _places(line, [line.unit])
    name = block.cells[0][1]
    met = [_met(header, asked, kin) for header, _ in block.cells[1:]]
    best = max(((one, -place) for place, one in enumerate(met, start=1)), default=(0.0, 0))
    if best[0] == 0 or met.count(best[0]) > 1 or not set(keys(name)) & asked:
        lead = (
            f"{block.lead.text.rstrip(':')}: " if block.lead is not None and len(block.lead.text.split()) < 20 else ""
        )
        return DocumentAnswer(f"{lead}{line.unit.text}", places, "row")
    header, value = block.cells[-best[1]]
    if not re.search(r"\w", value):
        return silent(f"The table has no {header} for {name}.")
    return DocumentAnswer(f"{name}: {header}: {value}.", places, "cell")


def _met(header: str, asked: Collection[str], kin: Collection[str]) -> float:
    """How far a header is asked for: its words that the question has, less a little for those that it has not."""
    own = [one for one in dict.fromkeys(keys(header)) if one not in STOP]
    found = sum(1.0 if one in asked else 0.7 if one in kin else 0.0 for one in own)
    return found - 0.1 * (len(own) - found) if found else 0.0


def _items(library: Library, line: TextLine, block: Block) -> DocumentAnswer | None:
    """The whole list that a lead or an item belongs to, as much of it as a person reads."""
    if block.kind == "item":
        blocks = library.bodies[line.document].blocks
        items, lead = [one for one in blocks if one.kind == "item" and one.group == block.group], block.lead
    else:
        items, lead = library.items_after(line), line.unit
    if len(items) < 2:
        return None
    texts = [item.text for item in items]
    room = _ROOM - (len(lead.text.split()) if lead is not None else 0)
    if sum(len(text.split()) for text in texts) > room:
        each = max(6, room // len(texts))
        texts = [" ".join(re.split(r"(?<=[.:;])\s", text)[0].split()[:each]) for text in texts]
    opening = "" if lead is None else f"{lead.text} " if lead.text.endswith((".", ":")) else f"{lead.text}: "
    told = opening + "; ".join(text.rstrip(".;,") for text in texts) + "."
    units = [*([lead] if lead is not None else []), *(unit for item in items for unit in item.units[:1])]
    return DocumentAnswer(told, _places(line, units[:12]), "list")
