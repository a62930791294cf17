"""The history of a conversation and its metadata, as seed 003 looks them up."""

from __future__ import annotations

import pytest
from sqlalchemy import inspect

from averment.records.chat import ConversationMetadata, Message
from averment.store.chat.conversations import ConversationStore
from averment.store.db.database import Database


@pytest.mark.seed("D-041")
def test_the_history_is_the_last_fifty_messages_in_their_order(database: Database) -> None:
    talks = ConversationStore(database)
    talk = talks.open()
    for number in range(60):
        talks.begin_turn(talk.id, Message(role="user", content=f"number {number}"))
    assert [message.content for message in talks.get(talk.id).messages] == [f"number {n}" for n in range(10, 60)]
    with database.read() as connection:
        indexes = inspect(connection).get_indexes("conversation_messages")
    assert ["conversation_id", "created_at"] in [index["column_names"] for index in indexes]


@pytest.mark.seed("D-040")
def test_metadata_are_found_by_the_primary_key_of_their_conversation(database: Database) -> None:
    talks = ConversationStore(database)
    talk, other = talks.open(), talks.open()
    told = ConversationMetadata(last_tool_used="list_tasks")
    talks.remember(talk.id, told)
    assert talks.get(talk.id).metadata == told
    assert talks.get(other.id).metadata != told
    with database.read() as connection:
        assert inspect(connection).get_pk_constraint("conversations")["constrained_columns"] == ["id"]
