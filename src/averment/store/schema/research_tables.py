"""The tables of the corpus and of the researcher: archived documents with their passages, and the contract's entities.

The research tables have the contract's names, columns, junctions and indexes. Ids are UUIDs as text, times ISO 8601
text. The corpus tables hold everything a search needs, so that both databases answer with the same bytes.
"""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Text

from averment.store.schema.columns import keys, owner, owner_key
from averment.store.schema.declared import table

CORPUS_STATE = table(
    "corpus_state",
    keys("name"),
    # A new value at each change, by which a process sees that what it holds in memory is old.
    "stamp",
)

CORPUS_ARCHIVE = table(
    "corpus_archive",
    keys("sha256"),
    "size:int",
    # Deflated; the digest is that of the bytes before.
    "body:bytes",
)

CORPUS_DOCUMENTS = table(
    "corpus_documents",
    keys("document_id"),
    Column("url", Text, nullable=False, unique=True),
    "title kind domain",
    Column("snapshot_sha256", Text, ForeignKey("corpus_archive.sha256"), nullable=False),
    Column("raw_sha256", Text, ForeignKey("corpus_archive.sha256"), nullable=False),
    "characters:int published_at? accessed_at",
    Column("copies_of", Text, ForeignKey("corpus_documents.document_id")),
    "notes",
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
    "card:bytes words:bytes",
)

CORPUS_MEMBERS = table(
    "corpus_members", keys("corpus"), owner_key("document_id", "corpus_documents.document_id"), document="document_id"
)

CORPUS_PASSAGES = table(
    "corpus_passages",
    keys("passage_id"),
    owner("document_id", "corpus_documents.document_id"),
    "position:int start:int stop:int text terms:bytes names:bytes",
    document="document_id position",
)

CORPUS_VECTORS = table(
    "corpus_vectors", owner_key("passage_id", "corpus_passages.passage_id"), keys("embedder"), "vector:bytes"
)

RESEARCH_REQUESTS = table(
    "research_requests",
    keys("id"),
    "query depth_level user_id? created_at status completion_time_seconds:float?",
    created="created_at",
)

RESEARCH_PLANS = table(
    "research_plans",
    keys("id"),
    owner("request_id", "research_requests.id", unique=True),
    "created_at estimated_time_seconds:int?",
)

SUB_QUESTIONS = table(
    "sub_questions",
    keys("id"),
    owner("plan_id", "research_plans.id"),
    "text priority:int",
    Column("parent_question_id", Text, ForeignKey("sub_questions.id", ondelete="CASCADE")),
    "depth:int status",
    # The plan's own questions come in its order; what grew later has none.
    "position:int?",
    parent="parent_question_id",
    plan="plan_id",
)

SEARCH_RESULTS = table(
    "search_results",
    keys("id"),
    owner("sub_question_id", "sub_questions.id"),
    "url title content domain access_timestamp credibility_score:float? extracted_facts position:int",
    domain="domain",
    question="sub_question_id position",
)

DISCREPANCIES = table("discrepancies", keys("id"), "topic resolution? resolution_confidence:float? created_at")

FACTS = table(
    "facts",
    keys("id"),
    "text source_url",
    owner("source_id", "search_results.id"),
    "confidence:float section? extraction_timestamp verified:bool",
    Column("discrepancy_id", Text, ForeignKey("discrepancies.id", ondelete="SET NULL")),
    source="source_url",
    source_id="source_id",
)

FACT_DISCREPANCIES = table(
    "fact_discrepancies",
    owner_key("fact_id", "facts.id"),
    owner_key("discrepancy_id", "discrepancies.id"),
    "position:int",
    discrepancy="discrepancy_id",
)

NARRATIVE_REPORTS = table(
    "narrative_reports",
    keys("id"),
    owner("request_id", "research_requests.id", unique=True),
    "executive_summary total_word_count:int total_sources:int generated_at quality_score:float?",
)

REPORT_SECTIONS = table(
    "report_sections",
    keys("id"),
    owner("report_id", "narrative_reports.id"),
    "title content order:int",
    report="report_id order",
)

SECTION_FACTS = table(
    "section_facts",
    owner_key("section_id", "report_sections.id"),
    owner_key("fact_id", "facts.id"),
    "citation_order:int",
)

CITATION_LINKS = table(
    "citation_links",
    owner_key("fact_id", "facts.id"),
    keys("source_url"),
    "source_title access_timestamp",
    source="source_url",
)
