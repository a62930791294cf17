"""The researcher's nouns: the request and its plan, sources and facts, citations, and the report."""

from __future__ import annotations

from averment.records.research.citations import CitationIndex, CitationLink
from averment.records.research.plan import (
    MAX_DEPTH,
    QuestionStatus,
    QuestionTree,
    ResearchPlan,
    SubQuestion,
    check_plan,
)
from averment.records.research.report import (
    MIN_SECTION_WORDS,
    MIN_SOURCES_PER_SECTION,
    SHORT_NOTE,
    NarrativeReport,
    ReportSection,
    check_sources,
    cited_facts,
    word_count,
)
from averment.records.research.request import (
    DEPTH_LIMITS,
    RESEARCH_STATES,
    DepthLevel,
    DepthLimits,
    ResearchRequest,
    ResearchStatus,
)
from averment.records.research.sources import (
    CREDIBILITY_MAP,
    Discrepancy,
    Fact,
    SearchResult,
    credibility_of,
    domain_of,
)

__all__ = [
    "CREDIBILITY_MAP",
    "DEPTH_LIMITS",
    "MAX_DEPTH",
    "MIN_SECTION_WORDS",
    "MIN_SOURCES_PER_SECTION",
    "RESEARCH_STATES",
    "SHORT_NOTE",
    "CitationIndex",
    "CitationLink",
    "DepthLevel",
    "DepthLimits",
    "Discrepancy",
    "Fact",
    "NarrativeReport",
    "QuestionStatus",
    "QuestionTree",
    "ReportSection",
    "ResearchPlan",
    "ResearchRequest",
    "ResearchStatus",
    "SearchResult",
    "SubQuestion",
    "check_plan",
    "check_sources",
    "cited_facts",
    "credibility_of",
    "domain_of",
    "word_count",
]
