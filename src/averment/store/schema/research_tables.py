"""The tables of the corpus and of the researcher: archived documents with their passages, and the contract's entities.

The research tables have the contract's names, columns, junctions and indexes. Ids are UUIDs as text, times ISO 8601
text. The corpus tables hold everything a search needs, so that both databases answer with the same bytes.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Float, ForeignKey, Integer, LargeBinary, Text

from averment.store.schema.columns import keys, optional, owner, owner_key, required
from averment.store.schema.declared import table

CORPUS_STATE = table(
    "corpus_state",
    keys("name"),
    # A new value at each change, by which a process sees that what it holds in memory is old.
    required("stamp"),
)

CORPUS_ARCHIVE = table(
    "corpus_archive",
    keys("sha256"),
    required("size", kind=Integer),
    # Deflated; the digest is that of the bytes before.
    required("body", kind=LargeBinary),
)

CORPUS_DOCUMENTS = table(
    "corpus_documents",
    keys("document_id"),
    Column("url", Text, nullable=False, unique=True),
    required("title", "kind", "domain"),
    Column("snapshot_sha256", Text, ForeignKey("corpus_archive.sha256"), nullable=False),
    Column("raw_sha256", Text, ForeignKey("corpus_archive.sha256"), nullable=False),
    required("characters", kind=Integer),
    optional("published_at"),
    required("accessed_at"),
    Column("copies_of", Text, ForeignKey("corpus_documents.document_id")),
    required("notes"),
    snapshot="snapshot_sha256",
    domain="domain",
    copies="copies_of",
)

CORPUS_SHINGLES = table(
    "corpus_shingles", owner_key("document_id", "corpus_documents.document_id"), keys("band"), band="band"
)

CORPUS_CARDS = table(
    "corpus_cards",
    owner_key("document_id", "corpus_documents.document_id"),
    # What the document is called and says of itself, and how often it writes each word; both deflated.
    required("card", kind=LargeBinary),
    required("words", kind=LargeBinary),
)

CORPUS_MEMBERS = table(
    "corpus_members", keys("corpus"), owner_key("document_id", "corpus_documents.document_id"), document="document_id"
)

CORPUS_PASSAGES = table(
    "corpus_passages",
    keys("passage_id"),
    owner("document_id", "corpus_documents.document_id"),
    required("position", "start", "stop", kind=Integer),
    required("text"),
    required("terms", "names", kind=LargeBinary),
    document="document_id position",
)

CORPUS_VECTORS = table(
    "corpus_vectors",
    owner_key("passage_id", "corpus_passages.passage_id"),
    keys("embedder"),
    required("vector", kind=LargeBinary),
)

RESEARCH_REQUESTS = table(
    "research_requests",
    keys("id"),
    required("query", "depth_level"),
    optional("user_id"),
    required("created_at", "status"),
    optional("completion_time_seconds", kind=Float),
    created="created_at",
)

RESEARCH_PLANS = table(
    "research_plans",
    keys("id"),
    owner("request_id", "research_requests.id", unique=True),
    required("created_at"),
    optional("estimated_time_seconds", kind=Integer),
)

SUB_QUESTIONS = table(
    "sub_questions",
    keys("id"),
    owner("plan_id", "research_plans.id"),
    required("text"),
    required("priority", kind=Integer),
    Column("parent_question_id", Text, ForeignKey("sub_questions.id", ondelete="CASCADE")),
    required("depth", kind=Integer),
    required("status"),
    # The plan's own questions come in its order; what grew later has none.
    optional("position", kind=Integer),
    parent="parent_question_id",
    plan="plan_id",
)

SEARCH_RESULTS = table(
    "search_results",
    keys("id"),
    owner("sub_question_id", "sub_questions.id"),
    required("url", "title", "content", "domain", "access_timestamp"),
    optional("credibility_score", kind=Float),
    required("extracted_facts"),
    required("position", kind=Integer),
    domain="domain",
    question="sub_question_id position",
)

DISCREPANCIES = table(
    "discrepancies",
    keys("id"),
    required("topic"),
    optional("resolution"),
    optional("resolution_confidence", kind=Float),
    required("created_at"),
)

FACTS = table(
    "facts",
    keys("id"),
    required("text", "source_url"),
    owner("source_id", "search_results.id"),
    required("confidence", kind=Float),
    optional("section"),
    required("extraction_timestamp"),
    required("verified", kind=Boolean),
    Column("discrepancy_id", Text, ForeignKey("discrepancies.id", ondelete="SET NULL")),
    source="source_url",
    source_id="source_id",
)

FACT_DISCREPANCIES = table(
    "fact_discrepancies",
    owner_key("fact_id", "facts.id"),
    owner_key("discrepancy_id", "discrepancies.id"),
    required("position", kind=Integer),
    discrepancy="discrepancy_id",
)

NARRATIVE_REPORTS = table(
    "narrative_reports",
    keys("id"),
    owner("request_id", "research_requests.id", unique=True),
    required("executive_summary"),
    required("total_word_count", "total_sources", kind=Integer),
    required("generated_at"),
    optional("quality_score", kind=Float),
)

REPORT_SECTIONS = table(
    "report_sections",
    keys("id"),
    owner("report_id", "narrative_reports.id"),
    required("title", "content"),
    required("order", kind=Integer),
    report="report_id order",
)

SECTION_FACTS = table(
    "section_facts",
    owner_key("section_id", "report_sections.id"),
    owner_key("fact_id", "facts.id"),
    required("citation_order", kind=Integer),
)

CITATION_LINKS = table(
    "citation_links",
    owner_key("fact_id", "facts.id"),
    keys("source_url"),
    required("source_title", "access_timestamp"),
    source="source_url",
)
