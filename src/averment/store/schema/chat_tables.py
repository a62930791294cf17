"""The tables of the assistant: users, tasks, their changes and reminders, conversations, turns, questions, events."""

from __future__ import annotations

from sqlalchemy import Column, Integer, UniqueConstraint

from averment.store.schema.columns import keys, owner, owner_key
from averment.store.schema.declared import table

TASKS = table(
    "tasks",
    Column("id", Integer, primary_key=True, autoincrement=True),
    "user_id title description? status created_at completed_at?",
    # Counts the changes of a task, by which a stale reference or a conflicting undo is seen.
    "version:int",
    # A day, or a day and a time, as a clock on the wall shows them where the home is.
    "due? priority? repeat?",
    user="user_id status id",
    due="status due",
    never_again=True,  # An id is never given twice, so an old reference cannot mean a new task.
)

REMINDERS = table(
    "reminders",
    # Made of the task and the time at which it rang, so that it rings once.
    keys("id"),
    "task_id:int user_id title at rung_at seen_at? sent_at? leased_until? tries:int",
    user="user_id seen_at",
    sent="sent_at leased_until",
)

OWNERS = table("owners", keys("kind", "id"), "user_id created_at", user="user_id kind created_at")

USER_TOKENS = table(
    "user_tokens", keys("token_sha256"), "user_id groups created_at revoked_at?", user="user_id created_at"
)

TASK_CALLS = table("task_calls", keys("key"), "user_id tool_name parameters result invoked_at undone_by?")

TASK_CHANGES = table(
    "task_changes",
    owner_key("call_key", "task_calls.key"),
    keys("position", kind=Integer),
    "task_id:int before? after?",
)

CONVERSATIONS = table(
    "conversations",
    keys("id"),
    "user_id created_at updated_at metadata?",
    updated="updated_at",
    user="user_id updated_at",
)

CONVERSATION_MESSAGES = table(
    "conversation_messages",
    owner_key("conversation_id", "conversations.id"),
    keys("position", kind=Integer),
    "id role content tool_calls created_at",
    UniqueConstraint("conversation_id", "id", name="uq_conversation_messages_id"),
    created="conversation_id created_at",
)

TURNS = table(
    "turns",
    owner_key("conversation_id", "conversations.id"),
    keys("message_id"),
    "position:int content_sha256",
    # What the turn decided to do, kept before it does it; and what it answered.
    "decision? response? begun_at ended_at?",
)

PENDING_QUESTIONS = table(
    "pending_questions",
    keys("question_id"),
    owner("conversation_id", "conversations.id"),
    "kind body asked_at expires_at answered_at? answered_by? answer?",
    open="conversation_id answered_at",
)

CHAT_EVENTS = table(
    "chat_events", owner_key("conversation_id", "conversations.id"), keys("seq", kind=Integer), "type body at"
)
