"""``document.answer``: the answer to a question from archived documents, with its places; or what was searched.

Fields, joins over fields, cells, lists and sections come first; a sentence is told only where its odds are past the
bar. The documents are pinned by the digest of their archived text, so that the call can be repeated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pydantic import Field

from averment.tools.search_corpus import PinnedSource
from averment.tools.tool import Args, Output, ToolContext, tool

if TYPE_CHECKING:
    from averment.corpus.answering.card import DocumentCard
    from averment.corpus.structure.shape import Structure

MOST_DOCUMENTS = 200


class DocumentAnswerArgs(Args):
    """A question, the archived documents that may answer it, and what is known of its words."""

    question: str = Field(min_length=1, max_length=1000, description="The question in plain words.")
    sources: tuple[PinnedSource, ...] = Field(max_length=MOST_DOCUMENTS, description="Archived documents by digest.")
    documents: int = Field(default=0, ge=0, description="How many documents the corpus has in all.")
    holding: dict[str, int] = Field(
        default_factory=dict, description="For keys of the question: how many documents hold them."
    )
    known: tuple[str, ...] = Field(default=(), description="Keys of the question that some document holds.")


class AnswerPlace(Output):
    """A stretch of an archived text that an answer rests on, and its plain words."""

    source: int
    start: int
    end: int
    text: str
    quote: str = Field(description="The stretch word for word, as it is archived.")


class AnsweredPart(Output):
    """One part of a question: its answer and how it was found, or why there is none and what comes nearest."""

    question: str
    answer: str
    how: str
    odds: float
    note: str
    words: str = Field(default="", description="The words of a sentence that answer, as the reader sees it.")
    places: tuple[AnswerPlace, ...]
    nearest: tuple[AnswerPlace, ...]


class DocumentAnswerOutput(Output):
    """The parts of the question in their order, and how much was searched."""

    parts: tuple[AnsweredPart, ...]
    documents: int
    sentences: int


def document_answer(args: DocumentAnswerArgs, context: ToolContext) -> DocumentAnswerOutput:
    """Read the pinned texts as structure and answer from them."""
    from averment.corpus.answering.answer import TextPlace
    from averment.corpus.answering.answerer import Answerer
    from averment.corpus.answering.library import KeyCounts, Library

    catalogue = context.archive().catalogue
    bodies: list[Structure] = []
    cards: list[DocumentCard] = []
    for one in args.sources:
        context.check()
        bodies.append(catalogue.structure(one.snapshot_sha256, one.kind, one.url, one.title))
        cards.append(catalogue.card(bodies[-1]))
    seen = KeyCounts(args.documents, args.holding) if args.documents else None
    library = Library(cards, seen, bodies)
    embed = catalogue.embed if catalogue.can_embed else None
    context.check()
    answerer = Answerer(library, embed, known=frozenset(args.known), reader=catalogue.reader)
    found = answerer.ask(args.question)

    def placed(places: Sequence[TextPlace]) -> tuple[AnswerPlace, ...]:
        shown: list[AnswerPlace] = []
        for one in places:
            text = context.archive().snapshot(args.sources[one.document].snapshot_sha256)
            start, end = long_enough(text, one.start, one.end)
            quote = text[start:end]
            shown.append(AnswerPlace(source=one.document, start=start, end=end, text=one.text, quote=quote))
        return tuple(shown)

    return DocumentAnswerOutput(
        parts=tuple(
            AnsweredPart(
                question=part,
                answer=told.answer,
                how=told.how,
                odds=round(told.odds, 4),
                note=told.note,
                words=told.words,
                places=placed(told.places),
                nearest=placed(told.nearest),
            )
            for part, told in found
        ),
        documents=len(bodies),
        sentences=len(library.lines),
    )


def long_enough(text: str, start: int, end: int, least: int = 10) -> tuple[int, int]:
    """The stretch, or where it is too short to be quoted the lines it stands in, and more of them above."""
    while end - start < least and (start or end < len(text)):
        start = text.rfind("\n", 0, max(0, start - 1)) + 1 if start else 0
        stop = text.find("\n", end)
        end = len(text) if stop < 0 else stop if start == 0 else end
    return start, end


DOCUMENT_ANSWER = tool(
    "document.answer",
    document_answer,
    "Answer a question from archived documents, with the places it rests on, or say what comes nearest.",
    cost_seconds=1.0,
)
