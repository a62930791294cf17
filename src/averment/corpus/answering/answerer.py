"""From a question to an answer with its places, or to a reason for silence: exact ways first, the guess last."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from averment.corpus.answering.answer import DocumentAnswer, TextPlace, silent
from averment.corpus.answering.binding import Binder, Embed
from averment.corpus.answering.card import DocumentCard
from averment.corpus.answering.expect import fits, is_told, lacks_what_decides, verdict_of
from averment.corpus.answering.features import FEATURES
from averment.corpus.answering.fields import Fields
from averment.corpus.answering.library import Library, TextLine
from averment.corpus.answering.question import CorpusQuestion, split_parts, take_apart
from averment.corpus.answering.releases import find_release, release_of, wants_release
from averment.corpus.answering.sentences import (
    Odds,
    SentenceCandidate,
    find_candidates,
    fitted_odds,
    logit,
    standing_of,
    stopped,
)
from averment.corpus.answering.span_reader import SpanOpinion, SpanReader
from averment.corpus.answering.ways import Ways
from averment.corpus.answering.windows import window_of
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
_TELLING_ROOM = 115
_SHORT_LEAD = 25
_MAY_GO_ON = frozenset({"sentence", "list", "row"})
_WORTH = 0.2
"""A second sentence is told whose odds are at least such a share of the first one's."""
_CONTEXT = 75
"""So many words a sentence has with its neighbours."""


def tell(question: CorpusQuestion, library: Library, line: TextLine, room: int = _TELLING_ROOM) -> DocumentAnswer:
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
    room = _TELLING_ROOM - (len(lead.text.split()) if lead is not None else 0)
    if sum(len(text.split()) for text in texts) > room:
        each = max(6, room // len(texts))
        texts = [" ".join(re.split(r"(?<=[.:;])\s", text)[0].split()[:each]) for text in texts]
    opening = "" if lead is None else f"{lead.text} " if lead.text.endswith((".", ":")) else f"{lead.text}: "
    told = opening + "; ".join(text.rstrip(".;,") for text in texts) + "."
    units = [*([lead] if lead is not None else []), *(unit for item in items for unit in item.units[:1])]
    return DocumentAnswer(told, _places(line, units[:12]), "list")


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


READ = 8
"""So many candidates are read."""
_FAR = 8.0
READ_FEATURES = ["first", "read", "share", "any", "behind_read", *FEATURES]
"""What the curve of read candidates sees, by name."""


def read_again(
    question: CorpusQuestion, library: Library, found: Sequence[SentenceCandidate], reader: SpanReader, odds: Odds
) -> list[SentenceCandidate]:
    """The candidates in the order of what their features and the reader say together; the unread ones come last."""
    listed = list(found[:READ])
    windows = [window_of(library, library.lines[one.line]) for one in listed]
    return reordered(found, reader.read(question.text, windows), odds)


def reordered(
    found: Sequence[SentenceCandidate], opinions: Sequence[SpanOpinion], odds: Odds
) -> list[SentenceCandidate]:
    """Candidates, of which the first ones have opinions, by the odds that both give."""
    read = [
        replace(one, features=features, odds=odds.read_of(features), words=opinion.words)
        for one, opinion, features in zip(found, opinions, with_opinions(found, opinions), strict=False)
    ]
    read.sort(key=lambda one: (-one.odds, one.line))
    least = min((one.odds for one in read), default=1.0)
    return [*read, *(replace(one, odds=min(one.odds, least)) for one in found[len(read) :])]


def with_opinions(found: Sequence[SentenceCandidate], opinions: Sequence[SpanOpinion]) -> list[dict[str, float]]:
    """The features of read candidates: their own, the first odds, and the reader's score by itself and beside others.

    The share is that of a sentence among all that were read and "none of them"; ``any`` is what all have together.
    """
    scores = [max(-_FAR, min(_FAR, one.score)) for one in opinions]
    top = max(scores, default=0.0)
    whole = 1.0 + sum(math.exp(score) for score in scores)
    return [
        {
            **one.features,
            "first": logit(one.odds),
            "read": score,
            "share": math.exp(score) / whole,
            "any": 1 - 1 / whole,
            "behind_read": score - top,
        }
        for one, score in zip(found, scores, strict=False)
    ]


_COMPARED = 8
_NEAREST = 3
_PLAIN = 0.75
"""Odds of a sentence by itself from which it stands without a second one."""
_CELL = 0.5
"""Odds from which one cell of a table is told: of 19 over five folders that curves had not seen, all were right."""

_TELLS_ITSELF = ("date", "number", "duration", "person")
"""What is asked for can be told by its form alone."""
_SAME = 40
"""Answers that begin with so many like letters tell the same."""
_ROOM = 110
"""So many words an answer has at most."""


class Answerer:
    """Answers questions over some documents."""

    def __init__(
        self,
        library: Library,
        embed: Embed | None,
        *,
        known: Collection[str] | None = None,
        odds: Odds | None = None,
        reader: SpanReader | None = None,
    ) -> None:
        self.library = library
        self.binder = Binder(library, embed)
        self.fields = Fields(self.binder)
        self._embed = embed
        self._known = known
        self._room = _ROOM
        self.resolved: list[str] = []
        self._odds = odds
        self._reader = reader
        rank = None if embed is None else lambda text, texts: _near(embed, text, texts)
        self._ways = Ways(library, self.fields, rank)

    def ask(self, text: str) -> list[tuple[str, DocumentAnswer]]:
        """Each part of a question with what is told for it."""
        found: list[tuple[str, DocumentAnswer]] = []
        subject = ""
        parts = split_parts(text)
        self._room = _ROOM // len(parts)
        for part in parts:
            asked = _carried(part, subject) if subject else part
            told = (self._told_already(part, found[0][1]) if found else None) or self.part(asked)
            found.append((part, told))
            if told.answer and not subject:
                subject = told.subject or self._label(told)
        return found

    def _told_already(self, part: str, first: DocumentAnswer) -> DocumentAnswer | None:
        """The first answer again, where it tells a later part too: the kind of thing and every word of it."""
        question = take_apart(part, self.library, known=self._known)
        if not first.answer or question.expects not in _TELLS_ITSELF or question.missing or question.bound:
            return None
        said = set(keys(first.answer))
        open_terms = {term.key for term in question.terms if term.role != "soft"} - {question.focus}
        fitting = fits(question, first.answer, (), ()) >= 1
        return replace(first) if fitting and all(is_met(one, said) for one in open_terms) else None

    def _label(self, told: DocumentAnswer) -> str:
        card = self.library.cards[told.documents[-1]] if told.documents else None
        return "" if card is None else f"{card.kind.upper()} {card.number}" if card.number else card.title

    def part(self, text: str) -> DocumentAnswer:
        """The answer to one question, or why there is none."""
        trail: list[TextPlace] = []
        resolved = self.fields.resolve(text, trail)
        if resolved is None:
            return silent("What the question speaks of is not in the documents.")
        self.resolved.append(resolved)
        question = take_apart(resolved, self.library, known=self._known)
        if question.missing:
            return silent(f"{', '.join(question.missing)} is not among the documents.")
        told = self.fields.premise(question)
        told = told or self._ways.status(question) or self._ways.documents(question) or self._ways.field(question)
        told = told or find_release(question, self.library) or find_definition(question, self.library)
        told = told or self._ways.section(question)
        if told is None and question.bound and question.expects == "thing" and not question.terms:
            told = silent("The question says nothing about the document it names.")
        if told is None:
            told = self.sentence(question)
        if told.answer:
            told.places = [*trail, *told.places]
            named = re.search(r"\b([A-Z][a-z]+ \d+\.\d+)\b", resolved)
            told.subject = named[1] if named and not trail else ""
        return told

    def sentence(self, question: CorpusQuestion) -> DocumentAnswer:
        """The sentence that answers, where its odds are past the bar."""
        word = stopped(question)
        if word:
            return silent(f"No document speaks of {_as_asked(question, word)}.")
        odds = self._odds or fitted_odds()
        found = find_candidates(question, self.library, self._embed, odds)
        if not found:
            return silent("No sentence holds the numbers and names of the question.")
        known: dict[int, DocumentAnswer] = {}
        tellings = self._tellings(question, found, known)
        standing = standing_of(found, [one.answer for one in tellings])
        plain, read = odds.standing(standing), None
        if self._reader is not None and odds.read:
            found = read_again(question, self.library, found, self._reader, odds)
            tellings = self._tellings(question, found, known)
            standing = standing_of(found, [one.answer for one in tellings])
            read = odds.standing(standing)
        lines = [self.library.lines[one.line] for one in found[:_COMPARED]]
        told = with_second(tellings, self.library, lines, [one.odds for one in found], self._room)
        named = named_above(self.library, lines[0])
        share = covered(question, told.answer, named)
        told.odds, bar = round(odds.together(plain, read, share), 4), odds.bar_for(read is not None)
        told.words = found[0].words
        whole = standing["own"] >= 1 and standing["fits"] >= 1
        if told.answer and whole and (found[0].odds >= _PLAIN or _repeated(lines, tellings)):
            # Every word of the question is there with what it asks for: plainly, or in another document too.
            told.odds = max(told.odds, bar)
        if told.how == "cell" and told.odds >= _CELL:
            # Row and column of a table are both met.
            told.odds = max(told.odds, bar)
        if told.answer and told.odds >= bar and not lacks_what_decides(question, told.answer, named):
            return told
        near = [TextPlace(line.document, line.unit.start, line.unit.end, line.unit.text) for line in lines[:_NEAREST]]
        note = told.note or "No sentence is likely enough to answer this."
        return DocumentAnswer(note=note, odds=told.odds, nearest=near)

    def _tellings(
        self, question: CorpusQuestion, found: Sequence[SentenceCandidate], known: dict[int, DocumentAnswer]
    ) -> list[DocumentAnswer]:
        """What is told for the first candidates; each line is told once, since reading only changes their order."""
        first = [one.line for one in found[:_COMPARED]]
        known |= {n: tell(question, self.library, self.library.lines[n], self._room) for n in first if n not in known}
        return [known[n] for n in first]


def _repeated(lines: Sequence[TextLine], tellings: Sequence[DocumentAnswer]) -> bool:
    """Whether another document tells the first answer too, or begins to tell it in the same words."""
    first = tellings[0].answer[:_SAME]
    return any(
        line.document != lines[0].document and one.answer.startswith(first)
        for line, one in zip(lines[1:], tellings[1:], strict=True)
    )


def _as_asked(question: CorpusQuestion, word: str) -> str:
    return next((each for each in re.findall(r"\w[\w-]*", question.text) if each.lower().startswith(word[:4])), word)


def _near(embed: Embed, text: str, texts: list[str]) -> list[float]:
    vectors = embed([text, *texts])
    return [round(float(one), 3) for one in vectors[1:] @ vectors[0]]


def _carried(part: str, subject: str) -> str:
    """A later part speaks of what the first one was about."""
    if re.search(r"\b(?:it|its|they|that one)\b", part):
        return re.sub(r"\b(?:it|its|they|that one)\b", subject, part, count=1)
    return f"{part.rstrip('?')} of {subject}?" if len(part.split()) < 6 else part
