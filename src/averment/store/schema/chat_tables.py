"""The tables of the assistant: users, tasks, their changes and reminders, conversations, turns, questions, events."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, Table, UniqueConstraint

from averment.store.schema.columns import keys, optional, owner, owner_key, required
from averment.store.schema.main_tables import METADATA

TASKS = Table(
    "tasks",
    METADATA,
    Column("id", Integer, primary_key=True, autoincrement=True),
    *required("user_id", "title"),
    *optional("description"),
    *required("status", "created_at"),
    *optional("completed_at"),
    # Counts the changes of a task, by which a stale reference or a conflicting undo is seen.
    *required("version", kind=Integer),
    # A day, or a day and a time, as a clock on the wall shows them where the home is.
    *optional("due"),
    *optional("priority", "repeat"),
    Index("idx_tasks_user", "user_id", "status", "id"),
    Index("idx_tasks_due", "status", "due"),
    sqlite_autoincrement=True,  # An id is never given twice, so an old reference cannot mean a new task.
)

REMINDERS = Table(
    "reminders",
    METADATA,
    # Made of the task and the time at which it rang, so that it rings once.
    *keys("id"),
    *required("task_id", kind=Integer),
    *required("user_id", "title", "at", "rung_at"),
    *optional("seen_at", "sent_at", "leased_until"),
    *required("tries", kind=Integer),
    Index("idx_reminders_user", "user_id", "seen_at"),
    Index("idx_reminders_sent", "sent_at", "leased_until"),
)

OWNERS = Table(
    "owners",
    METADATA,
    *keys("kind", "id"),
    *required("user_id", "created_at"),
    Index("idx_owners_user", "user_id", "kind", "created_at"),
)

USER_TOKENS = Table(
    "user_tokens",
    METADATA,
    *keys("token_sha256"),
    *required("user_id", "groups", "created_at"),
    *optional("revoked_at"),
    Index("idx_user_tokens_user", "user_id", "created_at"),
)

TASK_CALLS = Table(
    "task_calls",
    METADATA,
    *keys("key"),
    *required("user_id", "tool_name", "parameters", "result", "invoked_at"),
    *optional("undone_by"),
)

TASK_CHANGES = Table(
    "task_changes",
    METADATA,
    owner_key("call_key", "task_calls.key"),
    *keys("position", kind=Integer),
    *required("task_id", kind=Integer),
    *optional("before", "after"),
)

CONVERSATIONS = Table(
    "conversations",
    METADATA,
    *keys("id"),
    *required("user_id", "created_at", "updated_at"),
    *optional("metadata"),
    Index("idx_conversations_updated", "updated_at"),
    Index("idx_conversations_user", "user_id", "updated_at"),
)

CONVERSATION_MESSAGES = Table(
    "conversation_messages",
    METADATA,
    owner_key("conversation_id", "conversations.id"),
    *keys("position", kind=Integer),
    *required("id", "role", "content", "tool_calls", "created_at"),
    UniqueConstraint("conversation_id", "id", name="uq_conversation_messages_id"),
    Index("idx_conversation_messages_created", "conversation_id", "created_at"),
)

TURNS = Table(
    "turns",
    METADATA,
    owner_key("conversation_id", "conversations.id"),
    *keys("message_id"),
    *required("position", kind=Integer),
    *required("content_sha256"),
    # What the turn decided to do, kept before it does it; and what it answered.
    *optional("decision"),
    *optional("response"),
    *required("begun_at"),
    *optional("ended_at"),
)

PENDING_QUESTIONS = Table(
    "pending_questions",
    METADATA,
    *keys("question_id"),
    owner("conversation_id", "conversations.id"),
    *required("kind", "body", "asked_at", "expires_at"),
    *optional("answered_at", "answered_by", "answer"),
    Index("idx_pending_questions_open", "conversation_id", "answered_at"),
)

CHAT_EVENTS = Table(
    "chat_events",
    METADATA,
    owner_key("conversation_id", "conversations.id"),
    *keys("seq", kind=Integer),
    *required("type", "body", "at"),
)
