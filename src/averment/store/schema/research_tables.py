"""The tables of the corpus and of the researcher: archived documents with their passages, and the contract's entities.

The research tables have the contract's names, columns, junctions and indexes. Ids are UUIDs as text, times ISO 8601
text. The corpus tables hold everything a search needs, so that both databases answer with the same bytes.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, LargeBinary, Table, Text

from averment.store.schema.columns import keys, optional, owner, owner_key, required
from averment.store.schema.main_tables import METADATA

CORPUS_STATE = Table(
    "corpus_state",
    METADATA,
    *keys("name"),
    # A new value at each change, by which a process sees that what it holds in memory is old.
    *required("stamp"),
)

CORPUS_ARCHIVE = Table(
    "corpus_archive",
    METADATA,
    *keys("sha256"),
    *required("size", kind=Integer),
    # Deflated; the digest is that of the bytes before.
    *required("body", kind=LargeBinary),
)

CORPUS_DOCUMENTS = Table(
    "corpus_documents",
    METADATA,
    *keys("document_id"),
    Column("url", Text, nullable=False, unique=True),
    *required("title", "kind", "domain"),
    Column("snapshot_sha256", Text, ForeignKey("corpus_archive.sha256"), nullable=False),
    Column("raw_sha256", Text, ForeignKey("corpus_archive.sha256"), nullable=False),
    *required("characters", kind=Integer),
    *optional("published_at"),
    *required("accessed_at"),
    Column("copies_of", Text, ForeignKey("corpus_documents.document_id")),
    *required("notes"),
    Index("idx_corpus_documents_snapshot", "snapshot_sha256"),
    Index("idx_corpus_documents_domain", "domain"),
    Index("idx_corpus_documents_copies", "copies_of"),
)

CORPUS_SHINGLES = Table(
    "corpus_shingles",
    METADATA,
    owner_key("document_id", "corpus_documents.document_id"),
    *keys("band"),
    Index("idx_corpus_shingles_band", "band"),
)

CORPUS_CARDS = Table(
    "corpus_cards",
    METADATA,
    owner_key("document_id", "corpus_documents.document_id"),
    # What the document is called and says of itself, and how often it writes each word; both deflated.
    *required("card", kind=LargeBinary),
    *required("words", kind=LargeBinary),
)

CORPUS_MEMBERS = Table(
    "corpus_members",
    METADATA,
    *keys("corpus"),
    owner_key("document_id", "corpus_documents.document_id"),
    Index("idx_corpus_members_document", "document_id"),
)

CORPUS_PASSAGES = Table(
    "corpus_passages",
    METADATA,
    *keys("passage_id"),
    owner("document_id", "corpus_documents.document_id"),
    *required("position", "start", "stop", kind=Integer),
    *required("text"),
    *required("terms", "names", kind=LargeBinary),
    Index("idx_corpus_passages_document", "document_id", "position"),
)

CORPUS_VECTORS = Table(
    "corpus_vectors",
    METADATA,
    owner_key("passage_id", "corpus_passages.passage_id"),
    *keys("embedder"),
    *required("vector", kind=LargeBinary),
)

RESEARCH_REQUESTS = Table(
    "research_requests",
    METADATA,
    *keys("id"),
    *required("query", "depth_level"),
    *optional("user_id"),
    *required("created_at", "status"),
    *optional("completion_time_seconds", kind=Float),
    Index("idx_research_requests_created", "created_at"),
)

RESEARCH_PLANS = Table(
    "research_plans",
    METADATA,
    *keys("id"),
    owner("request_id", "research_requests.id", unique=True),
    *required("created_at"),
    *optional("estimated_time_seconds", kind=Integer),
)

SUB_QUESTIONS = Table(
    "sub_questions",
    METADATA,
    *keys("id"),
    owner("plan_id", "research_plans.id"),
    *required("text"),
    *required("priority", kind=Integer),
    Column("parent_question_id", Text, ForeignKey("sub_questions.id", ondelete="CASCADE")),
    *required("depth", kind=Integer),
    *required("status"),
    # The plan's own questions come in its order; what grew later has none.
    *optional("position", kind=Integer),
    Index("idx_sub_questions_parent", "parent_question_id"),
    Index("idx_sub_questions_plan", "plan_id"),
)

SEARCH_RESULTS = Table(
    "search_results",
    METADATA,
    *keys("id"),
    owner("sub_question_id", "sub_questions.id"),
    *required("url", "title", "content", "domain", "access_timestamp"),
    *optional("credibility_score", kind=Float),
    *required("extracted_facts"),
    *required("position", kind=Integer),
    Index("idx_search_results_domain", "domain"),
    Index("idx_search_results_question", "sub_question_id", "position"),
)

DISCREPANCIES = Table(
    "discrepancies",
    METADATA,
    *keys("id"),
    *required("topic"),
    *optional("resolution"),
    *optional("resolution_confidence", kind=Float),
    *required("created_at"),
)

FACTS = Table(
    "facts",
    METADATA,
    *keys("id"),
    *required("text", "source_url"),
    owner("source_id", "search_results.id"),
    *required("confidence", kind=Float),
    *optional("section"),
    *required("extraction_timestamp"),
    *required("verified", kind=Boolean),
    Column("discrepancy_id", Text, ForeignKey("discrepancies.id", ondelete="SET NULL")),
    Index("idx_facts_source", "source_url"),
    Index("idx_facts_source_id", "source_id"),
)

FACT_DISCREPANCIES = Table(
    "fact_discrepancies",
    METADATA,
    owner_key("fact_id", "facts.id"),
    owner_key("discrepancy_id", "discrepancies.id"),
    *required("position", kind=Integer),
    Index("idx_fact_discrepancies_discrepancy", "discrepancy_id"),
)

NARRATIVE_REPORTS = Table(
    "narrative_reports",
    METADATA,
    *keys("id"),
    owner("request_id", "research_requests.id", unique=True),
    *required("executive_summary"),
    *required("total_word_count", "total_sources", kind=Integer),
    *required("generated_at"),
    *optional("quality_score", kind=Float),
)

REPORT_SECTIONS = Table(
    "report_sections",
    METADATA,
    *keys("id"),
    owner("report_id", "narrative_reports.id"),
    *required("title", "content"),
    *required("order", kind=Integer),
    Index("idx_report_sections_report", "report_id", "order"),
)

SECTION_FACTS = Table(
    "section_facts",
    METADATA,
    owner_key("section_id", "report_sections.id"),
    owner_key("fact_id", "facts.id"),
    *required("citation_order", kind=Integer),
)

CITATION_LINKS = Table(
    "citation_links",
    METADATA,
    owner_key("fact_id", "facts.id"),
    *keys("source_url"),
    *required("source_title", "access_timestamp"),
    Index("idx_citation_links_source", "source_url"),
)
