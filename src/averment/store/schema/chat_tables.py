"""The tables of the assistant: users, tasks, their changes and reminders, conversations, turns, questions, events."""

from __future__ import annotations

from sqlalchemy import Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from averment.store.schema.main_tables import METADATA

TASKS = Table(
    "tasks",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("user_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("description", Text),
    Column("status", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("completed_at", Text),
    # Counts the changes of a task, by which a stale reference or a conflicting undo is seen.
    Column("version", Integer, nullable=False),
    # A day, or a day and a time, as a clock on the wall shows them where the home is.
    Column("due", Text),
    Column("priority", Text),
    Column("repeat", Text),
    Index("idx_tasks_user", "user_id", "status", "id"),
    Index("idx_tasks_due", "status", "due"),
    sqlite_autoincrement=True,  # An id is never given twice, so an old reference cannot mean a new task.
)

REMINDERS = Table(
    "reminders",
    METADATA,
    # Made of the task and the time at which it rang, so that it rings once.
    Column("id", Text, primary_key=True),
    Column("task_id", Integer, nullable=False),
    Column("user_id", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("rung_at", Text, nullable=False),
    Column("seen_at", Text),
    Column("sent_at", Text),
    Column("leased_until", Text),
    Column("tries", Integer, nullable=False),
    Index("idx_reminders_user", "user_id", "seen_at"),
    Index("idx_reminders_sent", "sent_at", "leased_until"),
)

OWNERS = Table(
    "owners",
    METADATA,
    Column("kind", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Index("idx_owners_user", "user_id", "kind", "created_at"),
)

USER_TOKENS = Table(
    "user_tokens",
    METADATA,
    Column("token_sha256", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("groups", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("revoked_at", Text),
    Index("idx_user_tokens_user", "user_id", "created_at"),
)

TASK_CALLS = Table(
    "task_calls",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("tool_name", Text, nullable=False),
    Column("parameters", Text, nullable=False),
    Column("result", Text, nullable=False),
    Column("invoked_at", Text, nullable=False),
    Column("undone_by", Text),
)

TASK_CHANGES = Table(
    "task_changes",
    METADATA,
    Column("call_key", Text, ForeignKey("task_calls.key", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("task_id", Integer, nullable=False),
    Column("before", Text),
    Column("after", Text),
)

CONVERSATIONS = Table(
    "conversations",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    Column("updated_at", Text, nullable=False),
    Column("metadata", Text),
    Index("idx_conversations_updated", "updated_at"),
    Index("idx_conversations_user", "user_id", "updated_at"),
)

CONVERSATION_MESSAGES = Table(
    "conversation_messages",
    METADATA,
    Column("conversation_id", Text, ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("id", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("content", Text, nullable=False),
    Column("tool_calls", Text, nullable=False),
    Column("created_at", Text, nullable=False),
    UniqueConstraint("conversation_id", "id", name="uq_conversation_messages_id"),
    Index("idx_conversation_messages_created", "conversation_id", "created_at"),
)

TURNS = Table(
    "turns",
    METADATA,
    Column("conversation_id", Text, ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True),
    Column("message_id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("content_sha256", Text, nullable=False),
    # What the turn decided to do, kept before it does it; and what it answered.
    Column("decision", Text),
    Column("response", Text),
    Column("begun_at", Text, nullable=False),
    Column("ended_at", Text),
)

PENDING_QUESTIONS = Table(
    "pending_questions",
    METADATA,
    Column("question_id", Text, primary_key=True),
    Column("conversation_id", Text, ForeignKey("conversations.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("asked_at", Text, nullable=False),
    Column("expires_at", Text, nullable=False),
    Column("answered_at", Text),
    Column("answered_by", Text),
    Column("answer", Text),
    Index("idx_pending_questions_open", "conversation_id", "answered_at"),
)

CHAT_EVENTS = Table(
    "chat_events",
    METADATA,
    Column("conversation_id", Text, ForeignKey("conversations.id", ondelete="CASCADE"), primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("type", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("at", Text, nullable=False),
)
