"""Tasks, conversations, pending questions and turns of the assistant."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from averment.store.schema.columns import keys, optional, owner, owner_key, required

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Build these tables."""
    op.create_table(
        "tasks",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        *required("user_id", "title"),
        *optional("description"),
        *required("status", "created_at"),
        *optional("completed_at"),
        *required("version", kind=sa.Integer),
        sqlite_autoincrement=True,
    )
    op.create_index("idx_tasks_user", "tasks", ["user_id", "status", "id"])
    op.create_table(
        "task_calls",
        *keys("key"),
        *required("user_id", "tool_name", "parameters", "result", "invoked_at"),
        *optional("undone_by"),
    )
    op.create_table(
        "task_changes",
        owner_key("call_key", "task_calls.key"),
        *keys("position", kind=sa.Integer),
        *required("task_id", kind=sa.Integer),
        *optional("before", "after"),
    )
    _conversations()


def _conversations() -> None:
    op.create_table(
        "conversations",
        *keys("id"),
        *required("user_id", "created_at", "updated_at"),
        *optional("metadata"),
    )
    op.create_index("idx_conversations_updated", "conversations", ["updated_at"])
    op.create_index("idx_conversations_user", "conversations", ["user_id", "updated_at"])
    op.create_table(
        "conversation_messages",
        owner_key("conversation_id", "conversations.id"),
        *keys("position", kind=sa.Integer),
        *required("id", "role", "content", "tool_calls", "created_at"),
        sa.UniqueConstraint("conversation_id", "id", name="uq_conversation_messages_id"),
    )
    op.create_index("idx_conversation_messages_created", "conversation_messages", ["conversation_id", "created_at"])
    op.create_table(
        "turns",
        owner_key("conversation_id", "conversations.id"),
        *keys("message_id"),
        *required("position", kind=sa.Integer),
        *required("content_sha256"),
        *optional("decision", "response"),
        *required("begun_at"),
        *optional("ended_at"),
    )
    op.create_table(
        "pending_questions",
        *keys("question_id"),
        owner("conversation_id", "conversations.id"),
        *required("kind", "body", "asked_at", "expires_at"),
        *optional("answered_at", "answered_by", "answer"),
    )
    op.create_index("idx_pending_questions_open", "pending_questions", ["conversation_id", "answered_at"])
    op.create_table(
        "chat_events",
        owner_key("conversation_id", "conversations.id"),
        *keys("seq", kind=sa.Integer),
        *required("type", "body", "at"),
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
