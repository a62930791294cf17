"""The result of a research as data: its answer part by part, the documents it cites, and what is absent."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from averment.agents.researcher.absent import absent_claim, absent_of
from averment.agents.researcher.model_loop.loop import narrative_of
from averment.agents.researcher.questions import MAIN, ResearchQuestion, asked_questions, planned_questions
from averment.agents.researcher.recall import PassageReader, QuestionReading

if TYPE_CHECKING:
    from averment.agents.researcher.answered import Reply
    from averment.agents.researcher.facts import FoundFact
    from averment.runtime.decisions import Conclusion
    from averment.runtime.run_context import RunContext
    from averment.tools.search_corpus import PinnedSource

_COMPARED = ("status", "created", "authors", "author", "version")


def reply_of(work: RunContext, reader: PassageReader) -> Reply | None:
    """The reply to the question itself."""
    return next((read.reply for read in reader.read_all(work) if read.question.facet == MAIN), None)


def result_of(work: RunContext, reader: PassageReader, conclusion: Conclusion) -> dict[str, Any]:
    """The answer, its parts, the documents it cites, what is absent, and the questions that were planned and asked."""
    reply = reply_of(work, reader)
    answered = conclusion.status in ("completed", "partial_success")
    open_parts = reply is None or not reply.answered or bool(reply.missing)
    reads = {read.question.id: read for read in reader.read_all(work)}
    thin = narrative_of(work, reader).thin
    return {
        "answer": conclusion.answer,
        "status": conclusion.status,
        "parts": [
            {"question": part.question, "answer": part.answer, "how": part.how, "odds": part.odds, "note": part.note}
            for part in (reply.parts if reply is not None else ())
        ],
        "cited": [cited_at(work, reply, fact) for fact in reply.facts] if reply is not None and answered else [],
        "absent": absent_of(work, reply).model_dump(mode="json") | {"text": absent_claim(work, reply).text}
        if open_parts and not (answered and reply is None)
        else None,
        "nearest": [cited_at(work, reply, fact) for fact in reply.nearest] if reply is not None else [],
        "questions": [
            {
                "id": one.id,
                "text": one.text,
                "priority": one.priority,
                "depth": one.depth,
                "parent_id": one.parent_id,
                "outcome": _outcome(one, reads.get(one.id), reply, thin=one in thin),
            }
            for one in {each.id: each for each in (*planned_questions(work), *asked_questions(work))}.values()
        ],
    }


def _outcome(question: ResearchQuestion, read: QuestionReading | None, reply: Reply | None, *, thin: bool) -> str:
    """What became of a question, as the rest of the report has it: none of them vanishes."""
    if read is None:
        return "not asked"
    if question.facet == MAIN and reply is not None:
        return "answered" if reply.answered and not reply.missing else "touched on" if read.facts else "nothing found"
    return "answered" if read.answered and not thin else "touched on" if read.facts else "nothing found"


def cited_at(work: RunContext, reply: Reply, fact: FoundFact) -> dict[str, Any]:
    """A place of a document that an answer cites: the document's name, its title, section and date, and the words."""
    source = next(one for one in reply.sources if one.snapshot_sha256 == fact.passage.snapshot_sha256)
    return {
        "document": document_name(source.url),
        "title": source.title,
        "url": source.url,
        "section": list(section_of(work, source, fact.evidence.start)),
        "published": source.published_at,
        "text": " ".join(fact.wording.split()),
        "quote": fact.evidence.quote,
        "snapshot_sha256": fact.evidence.snapshot_sha256,
        "start": fact.evidence.start,
        "end": fact.evidence.end,
    }


def document_name(url: str) -> str:
    """The name of the file at an address, or the address itself where it names none."""
    return PurePosixPath(unquote(urlsplit(url).path)).name or url


def section_of(work: RunContext, source: PinnedSource, start: int) -> tuple[str, ...]:
    """The headings above a place of an archived text; none in its head, or where it has none."""
    catalogue = work.services.texts.corpus.catalogue
    body = catalogue.structure(source.snapshot_sha256, source.kind, source.url, source.title)
    path: tuple[str, ...] = ()
    for block in body.blocks:
        if block.units and block.units[0].start > start:
            break
        path = block.path
    return path


def compared_fields(work: RunContext, reader: PassageReader) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]:
    """Documents that the answer sets beside each other, with the fields they have: a header and rows; else nothing."""
    reply = reply_of(work, reader)
    how = {part.how for part in reply.parts if part.answer} if reply is not None else set[str]()
    if reply is None or how != {"documents"}:
        return (), ()
    catalogue = work.services.texts.corpus.catalogue
    chosen = dict.fromkeys(fact.passage.snapshot_sha256 for fact in reply.facts)
    sources = [next(one for one in reply.sources if one.snapshot_sha256 == sha256) for sha256 in chosen]
    bodies = [catalogue.structure(one.snapshot_sha256, one.kind, one.url, one.title) for one in sources]
    keys = [key for key in _COMPARED if any(body.values(key) for body in bodies)]
    if len(bodies) < 2 or not keys:
        return (), ()
    rows = [
        (source.title, *("; ".join(field.value for field in body.values(key)) for key in keys))
        for source, body in zip(sources, bodies, strict=True)
    ]
    return ("document", *keys), tuple(rows)
