"""Tasks, conversations, pending questions and turns of the assistant."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Build these tables."""
    op.create_table(
        "tasks",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("description", sa.Text),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("completed_at", sa.Text),
        sa.Column("version", sa.Integer, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("idx_tasks_user", "tasks", ["user_id", "status", "id"])
    op.create_table(
        "task_calls",
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("tool_name", sa.Text, nullable=False),
        sa.Column("parameters", sa.Text, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("invoked_at", sa.Text, nullable=False),
        sa.Column("undone_by", sa.Text),
    )
    op.create_table(
        "task_changes",
        sa.Column("call_key", sa.Text, sa.ForeignKey("task_calls.key", ondelete="CASCADE"), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("task_id", sa.Integer, nullable=False),
        sa.Column("before", sa.Text),
        sa.Column("after", sa.Text),
    )
    _conversations()


def _conversations() -> None:
    op.create_table(
        "conversations",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.Column("updated_at", sa.Text, nullable=False),
        sa.Column("metadata", sa.Text),
    )
    op.create_index("idx_conversations_updated", "conversations", ["updated_at"])
    op.create_index("idx_conversations_user", "conversations", ["user_id", "updated_at"])
    op.create_table(
        "conversation_messages",
        sa.Column("conversation_id", sa.Text, _parent(), primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("role", sa.Text, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("tool_calls", sa.Text, nullable=False),
        sa.Column("created_at", sa.Text, nullable=False),
        sa.UniqueConstraint("conversation_id", "id", name="uq_conversation_messages_id"),
    )
    op.create_index("idx_conversation_messages_created", "conversation_messages", ["conversation_id", "created_at"])
    op.create_table(
        "turns",
        sa.Column("conversation_id", sa.Text, _parent(), primary_key=True),
        sa.Column("message_id", sa.Text, primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("content_sha256", sa.Text, nullable=False),
        sa.Column("decision", sa.Text),
        sa.Column("response", sa.Text),
        sa.Column("begun_at", sa.Text, nullable=False),
        sa.Column("ended_at", sa.Text),
    )
    op.create_table(
        "pending_questions",
        sa.Column("question_id", sa.Text, primary_key=True),
        sa.Column("conversation_id", sa.Text, _parent(), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("asked_at", sa.Text, nullable=False),
        sa.Column("expires_at", sa.Text, nullable=False),
        sa.Column("answered_at", sa.Text),
        sa.Column("answered_by", sa.Text),
        sa.Column("answer", sa.Text),
    )
    op.create_index("idx_pending_questions_open", "pending_questions", ["conversation_id", "answered_at"])
    op.create_table(
        "chat_events",
        sa.Column("conversation_id", sa.Text, _parent(), primary_key=True),
        sa.Column("seq", sa.Integer, primary_key=True),
        sa.Column("type", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("at", sa.Text, nullable=False),
    )


def downgrade() -> None:
    """Take these tables away again, those that refer to others first."""
    for name in (
        "chat_events",
        "pending_questions",
        "turns",
        "conversation_messages",
        "conversations",
        "task_changes",
        "task_calls",
        "tasks",
    ):
        op.drop_table(name)


def _parent() -> sa.ForeignKey:
    return sa.ForeignKey("conversations.id", ondelete="CASCADE")
