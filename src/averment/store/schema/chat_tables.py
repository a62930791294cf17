"""The tables of the assistant: users, tasks, their changes and reminders, conversations, turns, questions, events."""

from __future__ import annotations

from sqlalchemy import Column, Integer, UniqueConstraint

from averment.store.schema.columns import keys, optional, owner, owner_key, required
from averment.store.schema.declared import table

TASKS = table(
    "tasks",
    Column("id", Integer, primary_key=True, autoincrement=True),
    required("user_id", "title"),
    optional("description"),
    required("status", "created_at"),
    optional("completed_at"),
    # Counts the changes of a task, by which a stale reference or a conflicting undo is seen.
    required("version", kind=Integer),
    # A day, or a day and a time, as a clock on the wall shows them where the home is.
    optional("due"),
    optional("priority", "repeat"),
    user="user_id status id",
    due="status due",
    never_again=True,  # An id is never given twice, so an old reference cannot mean a new task.
)

REMINDERS = table(
    "reminders",
    # Made of the task and the time at which it rang, so that it rings once.
    keys("id"),
    required("task_id", kind=Integer),
    required("user_id", "title", "at", "rung_at"),
    optional("seen_at", "sent_at", "leased_until"),
    required("tries", kind=Integer),
    user="user_id seen_at",
    sent="sent_at leased_until",
)

OWNERS = table("owners", keys("kind", "id"), required("user_id", "created_at"), user="user_id kind created_at")

USER_TOKENS = table(
    "user_tokens",
    keys("token_sha256"),
    required("user_id", "groups", "created_at"),
    optional("revoked_at"),
    user="user_id created_at",
)

TASK_CALLS = table(
    "task_calls",
    keys("key"),
    required("user_id", "tool_name", "parameters", "result", "invoked_at"),
    optional("undone_by"),
)

TASK_CHANGES = table(
    "task_changes",
    owner_key("call_key", "task_calls.key"),
    keys("position", kind=Integer),
    required("task_id", kind=Integer),
    optional("before", "after"),
)

CONVERSATIONS = table(
    "conversations",
    keys("id"),
    required("user_id", "created_at", "updated_at"),
    optional("metadata"),
    updated="updated_at",
    user="user_id updated_at",
)

CONVERSATION_MESSAGES = table(
    "conversation_messages",
    owner_key("conversation_id", "conversations.id"),
    keys("position", kind=Integer),
    required("id", "role", "content", "tool_calls", "created_at"),
    UniqueConstraint("conversation_id", "id", name="uq_conversation_messages_id"),
    created="conversation_id created_at",
)

TURNS = table(
    "turns",
    owner_key("conversation_id", "conversations.id"),
    keys("message_id"),
    required("position", kind=Integer),
    required("content_sha256"),
    # What the turn decided to do, kept before it does it; and what it answered.
    optional("decision"),
    optional("response"),
    required("begun_at"),
    optional("ended_at"),
)

PENDING_QUESTIONS = table(
    "pending_questions",
    keys("question_id"),
    owner("conversation_id", "conversations.id"),
    required("kind", "body", "asked_at", "expires_at"),
    optional("answered_at", "answered_by", "answer"),
    open="conversation_id answered_at",
)

CHAT_EVENTS = table(
    "chat_events",
    owner_key("conversation_id", "conversations.id"),
    keys("seq", kind=Integer),
    required("type", "body", "at"),
)
