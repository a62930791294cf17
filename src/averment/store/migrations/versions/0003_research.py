"""The corpus and the research tables of the researcher contract."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from averment.store.schema.columns import keys, optional, owner, owner_key, required

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Build these tables."""
    _build_corpus()
    _build_research()


def downgrade() -> None:
    """Take every table away again, those that refer to others first."""
    for name in (
        "citation_links",
        "section_facts",
        "report_sections",
        "narrative_reports",
        "fact_discrepancies",
        "facts",
        "discrepancies",
        "search_results",
        "sub_questions",
        "research_plans",
        "research_requests",
        "corpus_vectors",
        "corpus_passages",
        "corpus_shingles",
        "corpus_documents",
        "corpus_archive",
        "corpus_state",
    ):
        op.drop_table(name)


def _build_corpus() -> None:
    op.create_table(
        "corpus_state",
        *keys("name"),
        *required("stamp"),
    )
    op.create_table(
        "corpus_archive",
        *keys("sha256"),
        *required("size", kind=sa.Integer),
        *required("body", kind=sa.LargeBinary),
    )
    op.create_table(
        "corpus_documents",
        *keys("document_id"),
        sa.Column("url", sa.Text, nullable=False, unique=True),
        *required("title", "kind", "domain"),
        sa.Column("snapshot_sha256", sa.Text, sa.ForeignKey("corpus_archive.sha256"), nullable=False),
        sa.Column("raw_sha256", sa.Text, sa.ForeignKey("corpus_archive.sha256"), nullable=False),
        *required("characters", kind=sa.Integer),
        *optional("published_at"),
        *required("accessed_at"),
        sa.Column("copies_of", sa.Text, sa.ForeignKey("corpus_documents.document_id")),
        *required("notes"),
    )
    op.create_index("idx_corpus_documents_copies", "corpus_documents", ["copies_of"])
    op.create_index("idx_corpus_documents_domain", "corpus_documents", ["domain"])
    op.create_index("idx_corpus_documents_snapshot", "corpus_documents", ["snapshot_sha256"])
    op.create_table(
        "corpus_shingles",
        owner_key("document_id", "corpus_documents.document_id"),
        *keys("band"),
    )
    op.create_index("idx_corpus_shingles_band", "corpus_shingles", ["band"])
    op.create_table(
        "corpus_passages",
        *keys("passage_id"),
        owner("document_id", "corpus_documents.document_id"),
        *required("position", "start", "stop", kind=sa.Integer),
        *required("text"),
        *required("terms", "names", kind=sa.LargeBinary),
    )
    op.create_index("idx_corpus_passages_document", "corpus_passages", ["document_id", "position"])
    op.create_table(
        "corpus_vectors",
        owner_key("passage_id", "corpus_passages.passage_id"),
        *keys("embedder"),
        *required("vector", kind=sa.LargeBinary),
    )


def _build_research() -> None:
    op.create_table(
        "research_requests",
        *keys("id"),
        *required("query", "depth_level"),
        *optional("user_id"),
        *required("created_at", "status"),
        *optional("completion_time_seconds", kind=sa.Float),
    )
    op.create_index("idx_research_requests_created", "research_requests", ["created_at"])
    op.create_table(
        "research_plans",
        *keys("id"),
        owner("request_id", "research_requests.id", unique=True),
        *required("created_at"),
        *optional("estimated_time_seconds", kind=sa.Integer),
    )
    op.create_table(
        "sub_questions",
        *keys("id"),
        owner("plan_id", "research_plans.id"),
        *required("text"),
        *required("priority", kind=sa.Integer),
        sa.Column("parent_question_id", sa.Text, sa.ForeignKey("sub_questions.id", ondelete="CASCADE")),
        *required("depth", kind=sa.Integer),
        *required("status"),
        *optional("position", kind=sa.Integer),
    )
    op.create_index("idx_sub_questions_parent", "sub_questions", ["parent_question_id"])
    op.create_index("idx_sub_questions_plan", "sub_questions", ["plan_id"])
    op.create_table(
        "search_results",
        *keys("id"),
        owner("sub_question_id", "sub_questions.id"),
        *required("url", "title", "content", "domain", "access_timestamp"),
        *optional("credibility_score", kind=sa.Float),
        *required("extracted_facts"),
        *required("position", kind=sa.Integer),
    )
    op.create_index("idx_search_results_domain", "search_results", ["domain"])
    op.create_index("idx_search_results_question", "search_results", ["sub_question_id", "position"])
    op.create_table(
        "discrepancies",
        *keys("id"),
        *required("topic"),
        *optional("resolution"),
        *optional("resolution_confidence", kind=sa.Float),
        *required("created_at"),
    )
    op.create_table(
        "facts",
        *keys("id"),
        *required("text", "source_url"),
        owner("source_id", "search_results.id"),
        *required("confidence", kind=sa.Float),
        *optional("section"),
        *required("extraction_timestamp"),
        *required("verified", kind=sa.Boolean),
        sa.Column("discrepancy_id", sa.Text, sa.ForeignKey("discrepancies.id", ondelete="SET NULL")),
    )
    op.create_index("idx_facts_source", "facts", ["source_url"])
    op.create_index("idx_facts_source_id", "facts", ["source_id"])
    op.create_table(
        "fact_discrepancies",
        owner_key("fact_id", "facts.id"),
        owner_key("discrepancy_id", "discrepancies.id"),
        *required("position", kind=sa.Integer),
    )
    op.create_index("idx_fact_discrepancies_discrepancy", "fact_discrepancies", ["discrepancy_id"])
    op.create_table(
        "narrative_reports",
        *keys("id"),
        owner("request_id", "research_requests.id", unique=True),
        *required("executive_summary"),
        *required("total_word_count", "total_sources", kind=sa.Integer),
        *required("generated_at"),
        *optional("quality_score", kind=sa.Float),
    )
    op.create_table(
        "report_sections",
        *keys("id"),
        owner("report_id", "narrative_reports.id"),
        *required("title", "content"),
        *required("order", kind=sa.Integer),
    )
    op.create_index("idx_report_sections_report", "report_sections", ["report_id", "order"])
    op.create_table(
        "section_facts",
        owner_key("section_id", "report_sections.id"),
        owner_key("fact_id", "facts.id"),
        *required("citation_order", kind=sa.Integer),
    )
    op.create_table(
        "citation_links",
        owner_key("fact_id", "facts.id"),
        *keys("source_url"),
        *required("source_title", "access_timestamp"),
    )
    op.create_index("idx_citation_links_source", "citation_links", ["source_url"])
