"""From a question to an answer with its places, or to a reason for silence: exact ways first, the guess last."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace

from averment.corpus.answering.answer import DocumentAnswer, TextPlace, silent
from averment.corpus.answering.binding import Binder, Embed
from averment.corpus.answering.definitions import find_definition
from averment.corpus.answering.expect import fits, lacks_what_decides
from averment.corpus.answering.fields import Fields
from averment.corpus.answering.library import Library, TextLine
from averment.corpus.answering.question import CorpusQuestion, split_parts, take_apart
from averment.corpus.answering.releases import find_release
from averment.corpus.answering.sentences import (
    Odds,
    SentenceCandidate,
    find_candidates,
    fitted_odds,
    standing_of,
    stopped,
)
from averment.corpus.answering.shortlist import read_again
from averment.corpus.answering.span_reader import SpanReader
from averment.corpus.answering.telling import covered, named_above, tell, with_second
from averment.corpus.answering.ways import Ways
from averment.corpus.answering.words import is_met, keys

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
