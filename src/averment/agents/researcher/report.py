"""Telling a research: Markdown with citation markers, the same as data, and a summary.

Every sentence of summary and sections stands word for word in an archived source, and its marker leads to the place;
what a model inferred from several of them is marked so.
Text of sources is shown as text: nothing in it becomes markup, a marker or an instruction.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from averment.agents.researcher.conclude import TITLE_LENGTH, dispute, not_found, part_text
from averment.agents.researcher.credibility import judge_source, trust_of
from averment.agents.researcher.inferences import MARK, inferred_blocks
from averment.agents.researcher.model_loop.loop import model_lines, narrative_of
from averment.agents.researcher.model_loop.tools import MODEL_TITLE
from averment.agents.researcher.narrative import ResearchNarrative
from averment.agents.researcher.questions import PROPOSED, asked_questions, planned_questions, request_of
from averment.agents.researcher.recall import PassageReader
from averment.agents.researcher.report_schema import (
    TOLD_BEFORE,
    cited_blocks,
    report_record,
    sentence_of,
    summary_is_short,
)
from averment.agents.researcher.result import compared_fields, reply_of, result_of, section_of
from averment.agents.researcher.rounds import unreachable_pages
from averment.claims.frames import AllowedSentences, Frame
from averment.records.base import iso_z
from averment.records.research.report import MIN_SOURCES_PER_SECTION, SHORT_NOTE
from averment.reports.document import Block, Bullets, Cited, Document, Grid, Heading, Note, Notes, Paragraph
from averment.reports.markdown import to_markdown
from averment.reports.walk import words_of
from averment.runtime.decisions import ArtifactDraft, Conclusion

if TYPE_CHECKING:
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


REPORT_NAME, DATA_NAME, SUMMARY_NAME = "report.md", "report.json", "summary.txt"
QUALITY_FORMULA = (
    "(answered + support + agreement) / 3, where answered is the share of the parts of all questions that have an "
    f"answer, support the mean over the sections of independent sources / {MIN_SOURCES_PER_SECTION}, at most 1, and "
    "agreement the share of cited facts that no better supported one contradicts"
)


def tell(work: RunContext, reader: PassageReader, conclusion: Conclusion) -> tuple[ArtifactDraft, ...]:
    """The artifacts the request asks for."""
    wanted = work.request.deliverables
    drafts: list[ArtifactDraft] = []
    if "reports" in wanted:
        document = write_document(work, reader, conclusion)
        content = to_markdown(document).encode()
        metadata: dict[str, Any] = {"format": "markdown", "section_count": document.section_count}
        drafts.append(ArtifactDraft(artifact_type="report", name=REPORT_NAME, content=content, metadata=metadata))
        body = json.dumps(data_of(work, reader, conclusion), ensure_ascii=False, indent=1, sort_keys=True)
        metadata = {"format": "json"}
        drafts.append(ArtifactDraft(artifact_type="report", name=DATA_NAME, content=body.encode(), metadata=metadata))
    if "summary" in wanted:
        told_by(work, reader, conclusion).check(("answer", line) for line in conclusion.answer.split("\n"))
        content = f"{conclusion.answer}\n".encode()
        metadata = {"format": "text"}
        drafts.append(ArtifactDraft(artifact_type="summary", name=SUMMARY_NAME, content=content, metadata=metadata))
    return tuple(drafts)


def data_of(work: RunContext, reader: PassageReader, conclusion: Conclusion) -> dict[str, Any]:
    """The answer with its parts, citations and what is absent; and the report as the contract draws it, spans too."""
    narrative = narrative_of(work, reader)
    found = result_of(work, reader, conclusion)
    if not conclusion.findings or not narrative.sections:
        return {**found, "facts": [], "discrepancies": [], "inferred": [], "citations": []}
    report, citations = report_record(request_of(work), narrative)
    return {
        **found,
        "report": report.model_dump(mode="json"),
        "facts": [
            {
                **one.fact.model_dump(mode="json"),
                "evidence": one.evidence.model_dump(mode="json"),
                "told": one.wording,
                "named_in": None if (named := narrative.named_in(one)) is None else str(named.fact.id),
            }
            for one in narrative.cited
        ],
        "discrepancies": [
            {
                **one.discrepancy.model_dump(mode="json"),
                "rule": one.rule,
                "stands": [str(each) for each in one.stands],
                "sides": [" ".join(narrative.facts[each].wording.split()) for each in one.discrepancy.fact_ids],
            }
            for one in narrative.conflicts
        ],
        "inferred": [
            {"text": one.text, "fact_ids": [str(fact.fact.id) for fact in one.facts]} for one in narrative.inferred
        ],
        "citations": [link.model_dump(mode="json") for link in citations],
        "quality_formula": QUALITY_FORMULA,
    }


def write_document(work: RunContext, reader: PassageReader, conclusion: Conclusion) -> Document:
    """The report before it has a format."""
    request = request_of(work)
    narrative = narrative_of(work, reader)
    blocks: list[Block] = [Paragraph(text=line, strong=not n) for n, line in enumerate(conclusion.answer.split("\n"))]
    blocks += _comparison(work, reader)
    if conclusion.findings:
        blocks += [*_summary(narrative), *_sections(narrative), *_conflicts(narrative)]
    blocks += _open_ends(work, narrative)
    if conclusion.findings:
        blocks += [
            *_plan(work, reader, conclusion),
            *_model(work),
            *_sources(narrative, trust_of(work)),
            *_quality(narrative),
            *_notes(work, narrative),
        ]
    blocks.append(Paragraph(text=f"Asked {iso_z(request.timestamp)}, {request.depth_level} depth."))
    document = Document(title=request.intent.strip(), blocks=tuple(blocks))
    told = told_by(work, reader, conclusion, quality=quality_line(narrative), model=model_lines(work))
    told.check([*words_of(document), *_resolutions(narrative)])
    return document


def _resolutions(narrative: ResearchNarrative) -> list[tuple[str, str]]:
    """The cells of the report's tables that are sentences: how each disagreement is settled."""
    shown = [dispute(narrative, one) for one in narrative.conflicts]
    return [("table of disagreements", claim.text) for claim in shown if claim is not None]


def _comparison(work: RunContext, reader: PassageReader) -> list[Block]:
    """Where the answer sets documents beside each other: their fields as a table."""
    header, rows = compared_fields(work, reader)
    return [Grid(header=header, rows=rows, numeric=(False,) * len(header))] if rows else []


def _summary(narrative: ResearchNarrative) -> list[Block]:
    sentences = tuple(sentence_of(one) for one in narrative.summary)
    blocks: list[Block] = [Heading(text="Executive summary"), Cited(sentences=sentences)]
    blocks += inferred_blocks(narrative.inferred)
    return [*blocks, Paragraph(text=SHORT_NOTE)] if summary_is_short(narrative) else blocks


def _sections(narrative: ResearchNarrative) -> list[Block]:
    blocks: list[Block] = []
    told = {one.fact.id for one in narrative.summary}
    for section in narrative.sections:
        blocks += [Heading(text=section.question.title), Paragraph(text=section.question.text)]
        if section.question in narrative.unanswered:
            blocks.append(Paragraph(text=NEAREST_NOTE))
        blocks += cited_blocks(narrative, section, without=told)
    return blocks


def _conflicts(narrative: ResearchNarrative) -> list[Block]:
    blocks: list[Block] = [Heading(text="Where sources disagree")]
    if not narrative.conflicts:
        return [*blocks, Paragraph(text=NO_CONFLICT)]
    rows = tuple(
        (
            str(number),
            one.discrepancy.topic,
            one.rule,
            (one.discrepancy.resolution or "") if dispute(narrative, one) is not None else "",
            f"{one.discrepancy.resolution_confidence or 0.0:.2f}",
        )
        for number, one in enumerate(narrative.conflicts, start=1)
    )
    header = ("no.", "about", "rule", "resolution", "confidence")
    blocks.append(Grid(header=header, rows=rows, numeric=(True, False, False, False, True)))
    for number, one in enumerate(narrative.conflicts, start=1):
        facts = [narrative.facts[fact_id] for fact_id in one.discrepancy.fact_ids]
        blocks.append(Cited(lead=f"{number}.", sentences=tuple(sentence_of(fact) for fact in facts)))
    return blocks


def _open_ends(work: RunContext, narrative: ResearchNarrative) -> list[Block]:
    items = [f"No source answers: {question.text}" for question in narrative.open_questions]
    touched = dict.fromkeys((*narrative.unanswered, *narrative.thin))
    items += [f"Not answered, only touched on: {question.text}" for question in touched]
    items += [f"Not reachable: {one['url']} ({one['reason']})" for one in unreachable_pages(work)]
    return [Heading(text="What was not found"), Bullets(items=tuple(items))] if items else []


def _plan(work: RunContext, reader: PassageReader, conclusion: Conclusion) -> list[Block]:
    """Every question that was planned or grew from the answers, where it comes from, and what became of it."""
    questions: list[dict[str, Any]] = result_of(work, reader, conclusion)["questions"]
    numbers = {one["id"]: str(number) for number, one in enumerate(questions, start=1)}
    rows = tuple(
        (numbers[one["id"]], str(one["text"]), numbers.get(one["parent_id"] or "", ""), str(one["outcome"]))
        for one in questions
    )
    grid = Grid(header=("no.", "question", "from", "outcome"), rows=rows, numeric=(True, False, True, False))
    return [Heading(text="What was asked"), grid]


def _model(work: RunContext) -> list[Block]:
    lines = model_lines(work)
    return [Heading(text="A model's part"), Bullets(items=tuple(lines))] if lines else []


def _sources(narrative: ResearchNarrative, trust: Mapping[str, float]) -> list[Block]:
    rows: list[tuple[str, ...]] = []
    cited = narrative.cited
    for digest in dict.fromkeys(one.passage.snapshot_sha256 for one in cited):
        source = narrative.sources[digest]
        rows.append(
            (
                source.title,
                source.url,
                f"{judge_source(source.domain, source.url, trust):.2f}",
                source.published_at or "not said",
                source.accessed_at[:10],
                str(sum(one.passage.snapshot_sha256 == digest for one in cited)),
                digest,
            )
        )
    header = ("source", "address", "credibility", "published", "archived", "facts", "SHA-256 of the archived text")
    numeric = (False, False, True, False, False, True, False)
    return [Heading(text="Sources"), Grid(header=header, rows=tuple(rows), numeric=numeric)]


def _quality(narrative: ResearchNarrative) -> list[Block]:
    return [Heading(text="Quality score"), Paragraph(text=quality_line(narrative))]


def quality_line(narrative: ResearchNarrative) -> str:
    """The score with its formula and its parts."""
    score, answered, support, agreement = narrative.quality
    parts = f"answered {answered:.2f}, support {support:.2f}, agreement {agreement:.2f}"
    return f"{score:.2f} = {QUALITY_FORMULA}: {parts}."


def _notes(work: RunContext, narrative: ResearchNarrative) -> list[Block]:
    items: list[Note] = []
    for one in narrative.cited:
        source = narrative.source_of(one)
        section = section_of(work, source, one.evidence.start)
        dated = f" ({source.published_at})" if source.published_at else ""
        within = f", section “{section[-1]}”" if section else ""
        place = (
            f"{source.title}{dated}{within}, characters {one.evidence.start} to {one.evidence.end} of the archived text"
        )
        agreed = "verified by an independent source" if one.fact.verified else "not verified"
        text = f"{place}; confidence {one.fact.confidence:.2f}, {agreed}"
        items.append(Note(anchor=str(one.fact.id), text=text, url=source.url))
    return [Heading(text="Citations"), Notes(items=tuple(items))]
