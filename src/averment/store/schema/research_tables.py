"""The tables of the corpus and of the researcher: archived documents with their passages, and the contract's entities.

The research tables have the contract's names, columns, junctions and indexes. Ids are UUIDs as text, times ISO 8601
text. The corpus tables hold everything a search needs, so that both databases answer with the same bytes.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, ForeignKey, Index, Integer, LargeBinary, Table, Text

from averment.store.schema.main_tables import METADATA

CORPUS_STATE = Table(
    "corpus_state",
    METADATA,
    Column("name", Text, primary_key=True),
    # A new value at each change, by which a process sees that what it holds in memory is old.
    Column("stamp", Text, nullable=False),
)

CORPUS_ARCHIVE = Table(
    "corpus_archive",
    METADATA,
    Column("sha256", Text, primary_key=True),
    Column("size", Integer, nullable=False),
    # Deflated; the digest is that of the bytes before.
    Column("body", LargeBinary, nullable=False),
)

CORPUS_DOCUMENTS = Table(
    "corpus_documents",
    METADATA,
    Column("document_id", Text, primary_key=True),
    Column("url", Text, nullable=False, unique=True),
    Column("title", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("domain", Text, nullable=False),
    Column("snapshot_sha256", Text, ForeignKey("corpus_archive.sha256"), nullable=False),
    Column("raw_sha256", Text, ForeignKey("corpus_archive.sha256"), nullable=False),
    Column("characters", Integer, nullable=False),
    Column("published_at", Text),
    Column("accessed_at", Text, nullable=False),
    Column("copies_of", Text, ForeignKey("corpus_documents.document_id")),
    Column("notes", Text, nullable=False),
    Index("idx_corpus_documents_snapshot", "snapshot_sha256"),
    Index("idx_corpus_documents_domain", "domain"),
    Index("idx_corpus_documents_copies", "copies_of"),
)

CORPUS_SHINGLES = Table(
    "corpus_shingles",
    METADATA,
    Column("document_id", Text, ForeignKey("corpus_documents.document_id", ondelete="CASCADE"), primary_key=True),
    Column("band", Text, primary_key=True),
    Index("idx_corpus_shingles_band", "band"),
)

CORPUS_CARDS = Table(
    "corpus_cards",
    METADATA,
    Column("document_id", Text, ForeignKey("corpus_documents.document_id", ondelete="CASCADE"), primary_key=True),
    # What the document is called and says of itself, and how often it writes each word; both deflated.
    Column("card", LargeBinary, nullable=False),
    Column("words", LargeBinary, nullable=False),
)

CORPUS_MEMBERS = Table(
    "corpus_members",
    METADATA,
    Column("corpus", Text, primary_key=True),
    Column("document_id", Text, ForeignKey("corpus_documents.document_id", ondelete="CASCADE"), primary_key=True),
    Index("idx_corpus_members_document", "document_id"),
)

CORPUS_PASSAGES = Table(
    "corpus_passages",
    METADATA,
    Column("passage_id", Text, primary_key=True),
    Column("document_id", Text, ForeignKey("corpus_documents.document_id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("start", Integer, nullable=False),
    Column("stop", Integer, nullable=False),
    Column("text", Text, nullable=False),
    Column("terms", LargeBinary, nullable=False),
    Column("names", LargeBinary, nullable=False),
    Index("idx_corpus_passages_document", "document_id", "position"),
)

CORPUS_VECTORS = Table(
    "corpus_vectors",
    METADATA,
    Column("passage_id", Text, ForeignKey("corpus_passages.passage_id", ondelete="CASCADE"), primary_key=True),
    Column("embedder", Text, primary_key=True),
    Column("vector", LargeBinary, nullable=False),
)

RESEARCH_REQUESTS = Table(
    "research_requests",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("query", Text, nullable=False),
    Column("depth_level", Text, nullable=False),
    Column("user_id", Text),
    Column("created_at", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("completion_time_seconds", Float),
    Index("idx_research_requests_created", "created_at"),
)

RESEARCH_PLANS = Table(
    "research_plans",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("request_id", Text, ForeignKey("research_requests.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("created_at", Text, nullable=False),
    Column("estimated_time_seconds", Integer),
)

SUB_QUESTIONS = Table(
    "sub_questions",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("plan_id", Text, ForeignKey("research_plans.id", ondelete="CASCADE"), nullable=False),
    Column("text", Text, nullable=False),
    Column("priority", Integer, nullable=False),
    Column("parent_question_id", Text, ForeignKey("sub_questions.id", ondelete="CASCADE")),
    Column("depth", Integer, nullable=False),
    Column("status", Text, nullable=False),
    # The plan's own questions come in its order; what grew later has none.
    Column("position", Integer),
    Index("idx_sub_questions_parent", "parent_question_id"),
    Index("idx_sub_questions_plan", "plan_id"),
)

SEARCH_RESULTS = Table(
    "search_results",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("sub_question_id", Text, ForeignKey("sub_questions.id", ondelete="CASCADE"), nullable=False),
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("domain", Text, nullable=False),
    Column("access_timestamp", Text, nullable=False),
    Column("credibility_score", Float),
    Column("extracted_facts", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Index("idx_search_results_domain", "domain"),
    Index("idx_search_results_question", "sub_question_id", "position"),
)

DISCREPANCIES = Table(
    "discrepancies",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("topic", Text, nullable=False),
    Column("resolution", Text),
    Column("resolution_confidence", Float),
    Column("created_at", Text, nullable=False),
)

FACTS = Table(
    "facts",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("text", Text, nullable=False),
    Column("source_url", Text, nullable=False),
    Column("source_id", Text, ForeignKey("search_results.id", ondelete="CASCADE"), nullable=False),
    Column("confidence", Float, nullable=False),
    Column("section", Text),
    Column("extraction_timestamp", Text, nullable=False),
    Column("verified", Boolean, nullable=False),
    Column("discrepancy_id", Text, ForeignKey("discrepancies.id", ondelete="SET NULL")),
    Index("idx_facts_source", "source_url"),
    Index("idx_facts_source_id", "source_id"),
)

FACT_DISCREPANCIES = Table(
    "fact_discrepancies",
    METADATA,
    Column("fact_id", Text, ForeignKey("facts.id", ondelete="CASCADE"), primary_key=True),
    Column("discrepancy_id", Text, ForeignKey("discrepancies.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, nullable=False),
    Index("idx_fact_discrepancies_discrepancy", "discrepancy_id"),
)

NARRATIVE_REPORTS = Table(
    "narrative_reports",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("request_id", Text, ForeignKey("research_requests.id", ondelete="CASCADE"), nullable=False, unique=True),
    Column("executive_summary", Text, nullable=False),
    Column("total_word_count", Integer, nullable=False),
    Column("total_sources", Integer, nullable=False),
    Column("generated_at", Text, nullable=False),
    Column("quality_score", Float),
)

REPORT_SECTIONS = Table(
    "report_sections",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("report_id", Text, ForeignKey("narrative_reports.id", ondelete="CASCADE"), nullable=False),
    Column("title", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("order", Integer, nullable=False),
    Index("idx_report_sections_report", "report_id", "order"),
)

SECTION_FACTS = Table(
    "section_facts",
    METADATA,
    Column("section_id", Text, ForeignKey("report_sections.id", ondelete="CASCADE"), primary_key=True),
    Column("fact_id", Text, ForeignKey("facts.id", ondelete="CASCADE"), primary_key=True),
    Column("citation_order", Integer, nullable=False),
)

CITATION_LINKS = Table(
    "citation_links",
    METADATA,
    Column("fact_id", Text, ForeignKey("facts.id", ondelete="CASCADE"), primary_key=True),
    Column("source_url", Text, primary_key=True),
    Column("source_title", Text, nullable=False),
    Column("access_timestamp", Text, nullable=False),
    Index("idx_citation_links_source", "source_url"),
)
