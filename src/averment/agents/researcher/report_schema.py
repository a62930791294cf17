"""The report as the contract draws it: sections with citation markers, the links from facts to sources, and its
score."""

from __future__ import annotations

from collections.abc import Collection
from itertools import groupby
from uuid import UUID

from averment.agents.researcher.facts import FoundFact
from averment.agents.researcher.inferences import inferred_blocks
from averment.agents.researcher.narrative import ResearchNarrative, Section
from averment.records.base import derived_id
from averment.records.research.citations import CitationIndex, CitationLink
from averment.records.research.report import (
    MIN_SECTION_WORDS,
    MIN_SOURCES_PER_SECTION,
    SHORT_NOTE,
    SUMMARY_WORDS,
    NarrativeReport,
    ReportSection,
    check_sources,
    word_count,
)
from averment.records.research.run import ResearchRun
from averment.reports.document import Cited, CitedSentence
from averment.reports.markdown import cited_prose

TOLD_BEFORE = "In the summary:"


def cited_blocks(narrative: ResearchNarrative, section: Section, without: Collection[UUID] = ()) -> list[Cited]:
    """What the sources of a section say, by claim: first what several say, each once with all who say it.

    ``without`` are the facts that were told before: the section names them and does not say them again.
    """
    before = [one for one in section.facts if one.fact.id in without]
    agreed = [group for group in section.claims if len(group) > 1 and group[0].fact.id not in without]
    blocks = [
        Cited(
            lead=f"{len(group)} sources say the same:",
            sentences=(
                CitedSentence(text=" ".join(group[0].wording.split()), cites=tuple(str(one.fact.id) for one in group)),
            ),
        )
        for group in agreed
    ]
    told = {one.fact.id for group in agreed for one in group} | {one.fact.id for one in before}
    rest = [one for one in section.facts if one.fact.id not in told]
    for _, run in groupby(rest, key=lambda one: one.passage.snapshot_sha256):
        mine = list(run)
        title = f"{narrative.source_of(mine[0]).title}:"
        blocks.append(Cited(lead=title, sentences=tuple(sentence_of(one) for one in mine)))
    if before:
        cites = tuple(str(one.fact.id) for one in before)
        blocks.append(Cited(lead=TOLD_BEFORE, sentences=(CitedSentence(text="", cites=cites),)))
    return blocks


def sentence_of(fact: FoundFact) -> CitedSentence:
    """A fact as a cited sentence."""
    return CitedSentence(text=" ".join(fact.wording.split()), cites=(str(fact.fact.id),))


def is_short(narrative: ResearchNarrative, section: Section) -> bool:
    """Whether the evidence of a section does not carry the words or the sources that the contract asks for."""
    return section.groups < MIN_SOURCES_PER_SECTION or word_count(_prose(narrative, section)) < MIN_SECTION_WORDS


def summary_is_short(narrative: ResearchNarrative) -> bool:
    """Whether the evidence does not carry a summary of 200 words."""
    return word_count(_joined(narrative)) < SUMMARY_WORDS[0]


def report_record(request: ResearchRun, narrative: ResearchNarrative) -> tuple[NarrativeReport, CitationIndex]:
    """The report and its citations, checked by the contract's own rules."""
    report_id = derived_id(request.request_id, "report")
    sections = tuple(
        ReportSection(
            id=UUID(derived_id(report_id, section.question.id)),
            report_id=UUID(report_id),
            title=section.question.title,
            content=_with_note(_prose(narrative, section), is_short(narrative, section)),
            fact_ids=tuple(one.fact.id for one in section.facts),
            order=order,
        )
        for order, section in enumerate(narrative.sections, start=1)
    )
    links = [link_of(narrative, one) for one in narrative.cited]
    citations = CitationIndex(links)
    told = {link.source_url for link in links if any(link.fact_id in section.fact_ids for section in sections)}
    report = NarrativeReport(
        id=UUID(report_id),
        request_id=UUID(request.request_id),
        executive_summary=_with_note(_joined(narrative), summary_is_short(narrative)),
        sections=sections,
        total_word_count=sum(word_count(section.content) for section in sections),
        total_sources=len(told),
        generated_at=request.timestamp,
        quality_score=narrative.quality[0],
    )
    check_sources(report, citations)
    return report, citations


def link_of(narrative: ResearchNarrative, fact: FoundFact) -> CitationLink:
    """The link from a fact to its source."""
    source = narrative.source_of(fact)
    return CitationLink.model_validate(
        {
            "fact_id": fact.fact.id,
            "source_url": fact.fact.source_url,
            "source_title": source.title,
            "access_timestamp": source.accessed_at,
        }
    )


def _prose(narrative: ResearchNarrative, section: Section) -> str:
    return "\n\n".join(cited_prose(block) for block in cited_blocks(narrative, section))


def _joined(narrative: ResearchNarrative) -> str:
    blocks = [
        Cited(sentences=tuple(sentence_of(one) for one in narrative.summary)),
        *inferred_blocks(narrative.inferred),
    ]
    return " ".join(cited_prose(block) for block in blocks)


def _with_note(text: str, short: bool) -> str:
    return f"{text}\n\n{SHORT_NOTE}" if short else text
