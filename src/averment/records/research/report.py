"""The report of a research: its sections with citation markers, and the rules on length and sources."""

from __future__ import annotations

import re
from uuid import UUID, uuid4

from pydantic import Field, field_validator, model_validator

from averment.errors import NotEnoughEvidence
from averment.records.base import Record, Share, UtcDatetime, utc_now
from averment.records.research.citations import CitationIndex

MIN_SECTION_WORDS = 300
MIN_SOURCES_PER_SECTION = 3
SUMMARY_WORDS = (200, 500)
SHORT_NOTE = "No more was found on this in what was searched."
"""The sentence by which a text says that its evidence does not carry the length or the sources asked for.

A text that holds it may be shorter or rest on fewer sources: it is never padded, and its reader is told.
"""

_MARKER = re.compile(r"\[cite:([^\]\s]*)\]")


def cited_facts(content: str) -> tuple[UUID, ...]:
    """The facts a text cites by ``[cite:uuid]``, each once, in order.

    Raises:
        ValueError: a marker holds no UUID.
    """
    return tuple(dict.fromkeys(UUID(text) for text in _MARKER.findall(content)))


def word_count(text: str) -> int:
    """How many words a text has; citation markers and lone punctuation are no words."""
    words = _MARKER.sub(" ", text).split()
    return sum(any(character.isalnum() for character in word) for word in words)


class ReportSection(Record):
    """One theme of a report: Markdown of at least 300 words, with ``[cite:uuid]`` after each claim.

    A section that says that its sources carry no more (``SHORT_NOTE``) may be shorter.
    """

    id: UUID = Field(default_factory=uuid4)
    report_id: UUID
    title: str = Field(min_length=1)
    content: str
    fact_ids: tuple[UUID, ...]
    order: int = Field(ge=1, le=10)

    @field_validator("content")
    @classmethod
    def _is_long_enough(cls, content: str) -> str:
        if word_count(content) < MIN_SECTION_WORDS and SHORT_NOTE not in content:
            raise ValueError(f"a section must have at least {MIN_SECTION_WORDS} words")
        return content

    @model_validator(mode="after")
    def _cites_only_its_facts(self) -> ReportSection:
        if not set(cited_facts(self.content)) <= set(self.fact_ids):
            raise ValueError("each fact a section cites must be listed in its fact_ids")
        return self


class NarrativeReport(Record):
    """The whole report; its word count is that of its sections."""

    id: UUID = Field(default_factory=uuid4)
    request_id: UUID
    executive_summary: str
    sections: tuple[ReportSection, ...] = Field(min_length=1, max_length=10)
    total_word_count: int = Field(ge=0)
    total_sources: int = Field(ge=0)
    generated_at: UtcDatetime = Field(default_factory=utc_now)
    quality_score: Share | None = None

    @field_validator("executive_summary")
    @classmethod
    def _is_a_one_minute_read(cls, summary: str) -> str:
        fewest, most = (1 if SHORT_NOTE in summary else SUMMARY_WORDS[0]), SUMMARY_WORDS[1]
        if not fewest <= word_count(summary) <= most:
            raise ValueError(f"an executive summary must have {fewest} to {most} words")
        return summary

    @model_validator(mode="after")
    def _sections_are_its_own_and_in_order(self) -> NarrativeReport:
        if any(section.report_id != self.id for section in self.sections):
            raise ValueError("each section's report_id must be the report's id")
        if len({section.order for section in self.sections}) != len(self.sections):
            raise ValueError("each section must have its own order")
        return self

    @model_validator(mode="after")
    def _words_are_counted(self) -> NarrativeReport:
        if self.total_word_count != sum(word_count(section.content) for section in self.sections):
            raise ValueError("total_word_count must be the sum of the sections' words")
        return self


def check_sources(report: NarrativeReport, citations: CitationIndex) -> None:
    """Nothing, if every section cites three distinct sources or says it has no more, and all sources are counted.

    Raises:
        NotEnoughEvidence: a section has fewer sources, or a cited fact has none at all.
        ValueError: ``total_sources`` is not the number of distinct sources cited.
    """
    cited: set[str] = set()
    for section in report.sections:
        facts = cited_facts(section.content)
        unsourced = [fact_id for fact_id in facts if fact_id not in citations.citations_by_fact]
        if unsourced:
            raise NotEnoughEvidence(f"Section {section.title!r} cites facts without a source: {unsourced[0]}.")
        sources = citations.sources_of(facts)
        if len(sources) < MIN_SOURCES_PER_SECTION and SHORT_NOTE not in section.content:
            raise NotEnoughEvidence(
                f"Section {section.title!r} rests on {len(sources)} sources; {MIN_SOURCES_PER_SECTION} are needed.",
                details={"section": section.title, "sources": len(sources)},
            )
        cited |= sources
    if report.total_sources != len(cited):
        raise ValueError(f"total_sources is {report.total_sources}, but {len(cited)} sources are cited")
