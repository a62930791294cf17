"""What a research's documents may say beside their claims: a closed list of frame sentences, and what fills them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from averment.agents.researcher.conclude import TITLE_LENGTH, not_found, part_text
from averment.agents.researcher.inferences import MARK
from averment.agents.researcher.model_loop.accept import MODEL_TITLE
from averment.agents.researcher.model_loop.applied import narrative_of
from averment.agents.researcher.questions import PROPOSED, asked_questions, planned_questions, request_of
from averment.agents.researcher.report_schema import TOLD_BEFORE
from averment.agents.researcher.result import reply_of, section_of
from averment.agents.researcher.rounds import unreachable_pages
from averment.claims.frames import AllowedSentences, Frame
from averment.records.base import iso_z
from averment.records.research.report import SHORT_NOTE

if TYPE_CHECKING:
    from averment.agents.researcher.narrative import ResearchNarrative
    from averment.agents.researcher.recall import PassageReader
    from averment.runtime.decisions import Conclusion
    from averment.runtime.run_context import RunContext

NEAREST_NOTE = "No sentence was found that answers this; these come nearest to it."
NO_CONFLICT = "Among these facts no two were found that cannot both be true."

FRAMES = tuple(
    map(
        Frame,
        (
            "{question}",
            "{heading}",
            "{sentence}",
            "(Source: {title}.)",
            "(Sources: {titles}.)",
            "Nearest passage, which may not answer it: {sentence} (Source: {title}.)",
            "Nearest, but not on it: {titles}.",
            "Not reachable: {page} ({reason})",
            "No source answers: {question}",
            "Not answered, only touched on: {question}",
            "{number}.",
            "{title}:",
            "{number} sources say the same:",
            NEAREST_NOTE,
            SHORT_NOTE,
            NO_CONFLICT,
            MARK,
            TOLD_BEFORE,
            "{quality}",
            "{model}",
            "{place}, characters {number} to {number} of the archived text; confidence {score}, {agreed}",
            "Asked {moment}, {depth} depth.",
        ),
    )
)
"""Every frame sentence of a report."""

HEADINGS = (
    *("Executive summary", "Where sources disagree", "What was not found", "What was asked", "A model's part"),
    *("Sources", "Quality score", "Citations"),
)


def told_by(
    work: RunContext, reader: PassageReader, conclusion: Conclusion, *, quality: str = "", model: Collection[str] = ()
) -> AllowedSentences:
    """Everything that a document about this research may say; ``quality`` and ``model`` are its two counted lines."""
    narrative, reply = narrative_of(work, reader), reply_of(work, reader)
    texts = [claim.text for claim in conclusion.claims]
    if reply is not None:
        texts += [part_text(reply, place) for place in range(len(reply.parts))]
        texts += [not_found(part) for part in reply.parts]
    allowed = _allowed(work, reader, narrative)
    return AllowedSentences((*texts, *HEADINGS), FRAMES, {**allowed, "quality": [quality], "model": list(model)})


def _allowed(work: RunContext, reader: PassageReader, narrative: ResearchNarrative) -> dict[str, Collection[str]]:
    """What each hole may hold, read off the plan and the recorded results, never off the text that is checked."""
    request, reply = request_of(work), reply_of(work, reader)
    facts = list(narrative.owners.values())
    replied = [*reply.facts, *reply.nearest] if reply is not None else []
    questions = [*planned_questions(work), *asked_questions(work)]
    sources = list(narrative.sources.values())
    titles = {*(one.title for one in sources), *(fact.passage.title for fact in (*facts, *replied))}
    cut = {title[:TITLE_LENGTH] for title in titles}
    nearest = [str(title)[:TITLE_LENGTH] for title in work.state.reading.get("nearest", ())]
    spans = [fact.evidence for fact in facts]
    pages = unreachable_pages(work)
    return {
        "question": [request.intent.strip(), *(one.text for one in questions)],
        "heading": [
            *(one.title for one in questions if one.facet != PROPOSED),
            *(f"{MODEL_TITLE} {number}" for number in range(1, len(questions) + 1)),
        ],
        "sentence": [text for fact in (*facts, *replied) for text in (fact.wording, " ".join(fact.wording.split()))],
        "title": [*titles, *cut],
        "titles": _lists([*dict.fromkeys(fact.passage.title[:TITLE_LENGTH] for fact in replied)], "; ")
        | _lists(nearest, "; "),
        "page": [one["url"] for one in pages],
        "reason": [one["reason"] for one in pages],
        "number": [
            *(str(number) for number in range(1, len(narrative.conflicts) + 1)),
            *(str(len(group)) for section in narrative.sections for group in section.claims),
            *(str(end) for span in spans for end in (span.start, span.end)),
        ],
        "place": [_place(work, narrative, fact) for fact in facts],
        "score": [f"{fact.fact.confidence:.2f}" for fact in facts],
        "agreed": ["verified by an independent source", "not verified"],
        "moment": [iso_z(request.timestamp)],
        "depth": [request.depth_level],
    }


def _lists(parts: list[str], between: str) -> set[str]:
    """The beginnings of a list: as many of its parts as a sentence names."""
    return {between.join(parts[:count]) for count in range(1, len(parts) + 1)}


def _place(work: RunContext, narrative: ResearchNarrative, fact: Any) -> str:
    source = narrative.source_of(fact)
    section = section_of(work, source, fact.evidence.start)
    dated = f" ({source.published_at})" if source.published_at else ""
    within = f", section “{section[-1]}”" if section else ""
    return f"{source.title}{dated}{within}"
