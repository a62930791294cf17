"""The corpus and the research tables of the researcher contract."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


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
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("stamp", sa.Text, nullable=False),
    )
    op.create_table(
        "corpus_archive",
        sa.Column("sha256", sa.Text, primary_key=True),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("body", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "corpus_documents",
        sa.Column("document_id", sa.Text, primary_key=True),
        sa.Column("url", sa.Text, nullable=False, unique=True),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("domain", sa.Text, nullable=False),
        sa.Column("snapshot_sha256", sa.Text, sa.ForeignKey("corpus_archive.sha256"), nullable=False),
        sa.Column("raw_sha256", sa.Text, sa.ForeignKey("corpus_archive.sha256"), nullable=False),
        sa.Column("characters", sa.Integer, nullable=False),
        sa.Column("published_at", sa.Text),
        sa.Column("accessed_at", sa.Text, nullable=False),
        sa.Column("copies_of", sa.Text, sa.ForeignKey("corpus_documents.document_id")),
        sa.Column("notes", sa.Text, nullable=False),
    )
    op.create_index("idx_corpus_documents_copies", "corpus_documents", ["copies_of"])
    op.create_index("idx_corpus_documents_domain", "corpus_documents", ["domain"])
    op.create_index("idx_corpus_documents_snapshot", "corpus_documents", ["snapshot_sha256"])
    op.create_table(
        "corpus_shingles",
        sa.Column(
            "document_id", sa.Text, sa.ForeignKey("corpus_documents.document_id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("band", sa.Text, primary_key=True),
    )
    op.create_index("idx_corpus_shingles_band", "corpus_shingles", ["band"])
    op.create_table(
        "corpus_passages",
        sa.Column("passage_id", sa.Text, primary_key=True),
        sa.Column(
            "document_id", sa.Text, sa.ForeignKey("corpus_documents.document_id", ondelete="CASCADE"), nullable=False
        ),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("start", sa.Integer, nullable=False),
        sa.Column("stop", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("terms", sa.LargeBinary, nullable=False),
        sa.Column("names", sa.LargeBinary, nullable=False),
    )
    op.create_index("idx_corpus_passages_document", "corpus_passages", ["document_id", "position"])
    op.create_table(
        "corpus_vectors",
        sa.Column(
            "passage_id", sa.Text, sa.ForeignKey("corpus_passages.passage_id", ondelete="CASCADE"), primary_key=True
        ),
        sa.Column("embedder", sa.Text, primary_key=True),
        sa.Column("vector", sa.LargeBinary, nullable=False),
    )


def _build_research() -> None:
    op.create_table(
        "research_requests",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("query", sa.Text, nullable=False),
        sa.Column("depth_level", sa.Text, nullable=False),
        sa.Column("user_id", sa.Text),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("completion_time_seconds", sa.Float),
    )
    op.create_index("idx_research_requests_created", "research_requests", ["created_at"])
    op.create_table(
        "research_plans",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column(
            "request_id",
            sa.Text,
            sa.ForeignKey("research_requests.id", ondelete="CASCADE"),
            nullable=False,
            unique=True,
        ),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("estimated_time_seconds", sa.Integer),
    )
    op.create_table(
        "sub_questions",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("plan_id", sa.Text, sa.ForeignKey("research_plans.id", ondelete="CASCADE"), nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("priority", sa.Integer, nullable=False),
        sa.Column("parent_question_id", sa.Text, sa.ForeignKey("sub_questions.id", ondelete="CASCADE")),
        sa.Column("depth", sa.Integer, nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("position", sa.Integer),
    )
    op.create_index("idx_sub_questions_parent", "sub_questions", ["parent_question_id"])
    op.create_index("idx_sub_questions_plan", "sub_questions", ["plan_id"])
    op.create_table(
        "search_results",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("sub_question_id", sa.Text, sa.ForeignKey("sub_questions.id", ondelete="CASCADE"), nullable=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("domain", sa.Text, nullable=False),
        sa.Column("access_timestamp", sa.Text, nullable=False),
        sa.Column("credibility_score", sa.Float),
        sa.Column("extracted_facts", sa.Text, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
    )
    op.create_index("idx_search_results_domain", "search_results", ["domain"])
    op.create_index("idx_search_results_question", "search_results", ["sub_question_id", "position"])
    op.create_table(
        "discrepancies",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("topic", sa.Text, nullable=False),
        sa.Column("resolution", sa.Text),
        sa.Column("resolution_confidence", sa.Float),
        sa.Column("created_at", sa.Text, nullable=False),
    )
    op.create_table(
        "facts",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("source_url", sa.Text, nullable=False),
        sa.Column("source_id", sa.Text, sa.ForeignKey("search_results.id", ondelete="CASCADE"), nullable=False),
        sa.Column("confidence", sa.Float, nullable=False),
        sa.Column("section", sa.Text),
        sa.Column("extraction_timestamp", sa.Text, nullable=False),
        sa.Column("verified", sa.Boolean, nullable=False),
        sa.Column("discrepancy_id", sa.Text, sa.ForeignKey("discrepancies.id", ondelete="SET NULL")),
    )
    op.create_index("idx_facts_source", "facts", ["source_url"])
    op.create_index("idx_facts_source_id", "facts", ["source_id"])
    op.create_table(
        "fact_discrepancies",
        sa.Column("fact_id", sa.Text, sa.ForeignKey("facts.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("discrepancy_id", sa.Text, sa.ForeignKey("discrepancies.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
    )
    op.create_index("idx_fact_discrepancies_discrepancy", "fact_discrepancies", ["discrepancy_id"])
    op.create_table(
        "narrative_reports",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column(
            "request_id",
            sa.Text,
            sa.ForeignKey("research_requests.id", ondelete="CASCADE"),
            nullable=False,
            unique=True,
        ),
        sa.Column("executive_summary", sa.Text, nullable=False),
        sa.Column("total_word_count", sa.Integer, nullable=False),
        sa.Column("total_sources", sa.Integer, nullable=False),
        sa.Column("generated_at", sa.Text, nullable=False),
        sa.Column("quality_score", sa.Float),
    )
    op.create_table(
        "report_sections",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("report_id", sa.Text, sa.ForeignKey("narrative_reports.id", ondelete="CASCADE"), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("order", sa.Integer, nullable=False),
    )
    op.create_index("idx_report_sections_report", "report_sections", ["report_id", "order"])
    op.create_table(
        "section_facts",
        sa.Column("section_id", sa.Text, sa.ForeignKey("report_sections.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("fact_id", sa.Text, sa.ForeignKey("facts.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("citation_order", sa.Integer, nullable=False),
    )
    op.create_table(
        "citation_links",
        sa.Column("fact_id", sa.Text, sa.ForeignKey("facts.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("source_url", sa.Text, primary_key=True),
        sa.Column("source_title", sa.Text, nullable=False),
        sa.Column("access_timestamp", sa.Text, nullable=False),
    )
    op.create_index("idx_citation_links_source", "citation_links", ["source_url"])
