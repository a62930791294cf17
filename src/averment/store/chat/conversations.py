"""Conversations: messages, metadata, turns and events; the database is the truth, nothing stays in memory.

A turn is begun once per message id; what it decided is kept before it acts, what it answered when it is done. So a
message that comes again, or a process that dies in the middle, finds what was there.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from sqlalchemy import Connection, RowMapping, Select, delete, func, insert, select, update

from averment.errors import ConversationNotFound, MessageReused
from averment.records.base import iso_z, new_id, utc_now
from averment.records.chat import Conversation, ConversationMetadata, Message, ToolCall
from averment.store.chat.tasks import LOCAL_USER
from averment.store.db.database import Database
from averment.store.db.events import events_after
from averment.store.db.text import from_json, from_row, plain, to_json
from averment.store.schema.chat_tables import CHAT_EVENTS, CONVERSATION_MESSAGES, CONVERSATIONS, TURNS

KEPT_DAYS = 30
"""A conversation in which nothing was said for longer is deleted."""

MESSAGES_SHOWN = 50

Conversations: TypeAlias = list[Conversation]
NewEvent: TypeAlias = tuple[str, dict[str, Any]]
"""An event to be kept: its type and its body."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message on its way to an answer: what was decided, and what was answered, as far as it got."""

    conversation_id: str
    message_id: str
    position: int
    decision: dict[str, Any] | None
    response: dict[str, Any] | None

    @property
    def key(self) -> str:
        """What names the turn's acts, wherever and however often it is carried out."""
        return f"{self.conversation_id}/{self.message_id}"


@dataclass(frozen=True, slots=True)
class ChatEvent:
    """One thing that happened in a conversation, in order."""

    conversation_id: str
    seq: int
    type: str
    body: dict[str, Any]
    at: datetime


class ConversationStore:
    """All conversations of a home."""

    def __init__(self, database: Database, *, kept_days: int = KEPT_DAYS) -> None:
        """``kept_days`` is how long a conversation stays in which nothing is said."""
        self._kept_days = kept_days
        self._database = database

    def open(self, conversation_id: str | None = None, *, user_id: str = LOCAL_USER) -> Conversation:
        """The user's conversation of that id without its messages, made now if there is none.

        Raises:
            ConversationNotFound: that id is another user's.
        """
        wanted = plain(conversation_id or new_id(), "conversation id")
        query = select(CONVERSATIONS).where(CONVERSATIONS.c.id == wanted)
        with self._database.read() as connection:
            # Nearly always it is there, and then nobody need wait for anybody.
            there = connection.execute(query).mappings().first()
        if there is None:
            now = iso_z(utc_now())
            with self._database.write() as connection:
                self._database.link.lock(connection, f"averment.conversation.{wanted}")
                there = connection.execute(query).mappings().first()
                if there is None:
                    values = {"id": wanted, "user_id": user_id, "created_at": now, "updated_at": now}
                    made = insert(CONVERSATIONS).values({**values, "metadata": None}).returning(CONVERSATIONS)
                    there = connection.execute(made).mappings().one()
        if there["user_id"] != user_id:
            raise ConversationNotFound(f"There is no conversation {wanted[:80]!a}.")
        return _conversation(there, ())

    def get(self, conversation_id: str, *, user_id: str = LOCAL_USER) -> Conversation:
        """A conversation with its last messages.

        Raises:
            ConversationNotFound: the user has none of that id.
        """
        with self._database.read() as connection:
            return _conversation(_row(connection, conversation_id, user_id), _messages(connection, conversation_id))

    def list(self, *, user_id: str = LOCAL_USER, limit: int = 50) -> Conversations:
        """A user's conversations without their messages, the newest first."""
        query = (
            select(CONVERSATIONS)
            .where(CONVERSATIONS.c.user_id == user_id)
            .order_by(CONVERSATIONS.c.updated_at.desc(), CONVERSATIONS.c.id)
            .limit(limit)
        )
        return [_conversation(row, ()) for row in self._database.rows(query)]

    def delete(self, conversation_id: str, *, user_id: str = LOCAL_USER) -> None:
        """Forget a conversation with all it holds.

        Raises:
            ConversationNotFound: the user has none of that id.
        """
        with self._database.write() as connection:
            _row(connection, conversation_id, user_id)
            connection.execute(delete(CONVERSATIONS).where(CONVERSATIONS.c.id == conversation_id))

    def delete_expired(self, now: datetime | None = None) -> int:
        """Forget the conversations in which nothing was said for as long as they are kept; returns how many."""
        limit = iso_z((now or utc_now()) - timedelta(days=self._kept_days))
        return self._database.change(delete(CONVERSATIONS).where(CONVERSATIONS.c.updated_at < limit))

    def begin_turn(
        self, conversation_id: str, message: Message, *, user_id: str = LOCAL_USER, events: Sequence[NewEvent] = ()
    ) -> Turn:
        """Take a user's message in, once, and tell the events; the same message again gives the turn as it stands.

        Raises:
            MessageReused: that id came before with other words.
        """
        said = hashlib.sha256(message.content.encode("utf-8", "surrogatepass")).hexdigest()
        with self._database.write() as connection:
            self._database.link.lock(connection, f"averment.conversation.{conversation_id}")
            _row(connection, conversation_id, user_id)
            there = connection.execute(_turn(conversation_id, message.id)).mappings().first()
            if there is None:
                position = self._append(connection, conversation_id, message)
                values = {"conversation_id": conversation_id, "message_id": plain(message.id, "message id")}
                more = {"position": position, "content_sha256": said, "begun_at": iso_z(utc_now())}
                made = insert(TURNS).values({**values, **more}).returning(TURNS)
                there = connection.execute(made).mappings().one()
                self._tell(connection, conversation_id, events)
            if there["content_sha256"] != said:
                raise MessageReused(f"The message {message.id[:80]!a} was already sent with different text.")
            return _as_turn(there)

    def decide(self, turn: Turn, decision: dict[str, Any]) -> Turn:
        """Keep what a turn will do, before it does it; the first decision holds."""
        with self._database.write() as connection:
            undecided = _is_turn(turn) & TURNS.c.decision.is_(None)
            kept = update(TURNS).where(undecided).values(decision=to_json(decision)).returning(TURNS)
            row = connection.execute(kept).mappings().first()
            if row is None:
                row = connection.execute(_turn(turn.conversation_id, turn.message_id)).mappings().one()
            return _as_turn(row)

    def end_turn(
        self,
        turn: Turn,
        reply: Message,
        response: dict[str, Any],
        metadata: ConversationMetadata | None,
        *,
        events: Sequence[NewEvent] = (),
    ) -> Turn:
        """Keep a turn's answer with the conversation's metadata and the events that tell it, once; the first holds."""
        with self._database.write() as connection:
            self._database.link.lock(connection, f"averment.conversation.{turn.conversation_id}")
            there = connection.execute(_turn(turn.conversation_id, turn.message_id)).mappings().one()
            if there["response"] is not None:
                return _as_turn(there)
            self._append(connection, turn.conversation_id, reply)
            now = iso_z(utc_now())
            values = {"response": to_json(response), "ended_at": now}
            ended = connection.execute(update(TURNS).where(_is_turn(turn)).values(values).returning(TURNS))
            there = ended.mappings().one()
            kept = None if metadata is None else to_json(metadata.model_dump(mode="json"))
            change = update(CONVERSATIONS).where(CONVERSATIONS.c.id == turn.conversation_id)
            connection.execute(change.values(metadata=kept, updated_at=now))
            self._tell(connection, turn.conversation_id, events)
            return _as_turn(there)

    def remember(self, conversation_id: str, metadata: ConversationMetadata) -> None:
        """Keep a conversation's metadata outside a turn."""
        change = update(CONVERSATIONS).where(CONVERSATIONS.c.id == conversation_id)
        self._database.change(change.values(metadata=to_json(metadata.model_dump(mode="json"))))

    def unfinished(self) -> Sequence[Turn]:
        """The turns that were begun and have no answer, the oldest first: a process died in them, or is at it."""
        query = select(TURNS).where(TURNS.c.response.is_(None)).order_by(TURNS.c.begun_at, TURNS.c.message_id)
        return [_as_turn(row) for row in self._database.rows(query)]

    def tell(self, conversation_id: str, event_type: str, body: dict[str, Any]) -> ChatEvent:
        """Keep an event under the next number of its conversation."""
        with self._database.write() as connection:
            return self._tell(connection, conversation_id, [(event_type, body)])[0]

    def events(self, conversation_id: str, *, after: int = 0, limit: int = 1_000) -> Sequence[ChatEvent]:
        """The events whose number is over ``after``, in order."""
        its = CHAT_EVENTS.c.conversation_id == conversation_id
        return [ChatEvent(**row) for row in events_after(self._database, CHAT_EVENTS, its, after=after, limit=limit)]

    def _tell(self, connection: Connection, conversation_id: str, events: Sequence[NewEvent]) -> Sequence[ChatEvent]:
        if not events:
            return []
        self._database.link.lock(connection, f"averment.events.{conversation_id}")
        query = select(func.max(CHAT_EVENTS.c.seq)).where(CHAT_EVENTS.c.conversation_id == conversation_id)
        last, now = int(connection.execute(query).scalar() or 0), utc_now()
        told = [
            ChatEvent(conversation_id=conversation_id, seq=seq, type=event_type, body=body, at=now)
            for seq, (event_type, body) in enumerate(events, start=last + 1)
        ]
        rows = [
            {
                "conversation_id": conversation_id,
                "seq": one.seq,
                "type": plain(one.type, "event type"),
                "body": to_json(one.body),
                "at": iso_z(now),
            }
            for one in told
        ]
        connection.execute(insert(CHAT_EVENTS), rows)
        return told

    def _append(self, connection: Connection, conversation_id: str, message: Message) -> int:
        query = select(func.max(CONVERSATION_MESSAGES.c.position))
        last = connection.execute(query.where(CONVERSATION_MESSAGES.c.conversation_id == conversation_id)).scalar()
        position = 1 if last is None else int(last) + 1
        connection.execute(
            insert(CONVERSATION_MESSAGES).values(
                conversation_id=conversation_id,
                position=position,
                id=plain(message.id, "message id"),
                role=message.role,
                content=plain(message.content, "message"),
                tool_calls=to_json([call.model_dump(mode="json") for call in message.tool_calls]),
                created_at=iso_z(message.created_at),
            )
        )
        change = update(CONVERSATIONS).where(CONVERSATIONS.c.id == conversation_id)
        connection.execute(change.values(updated_at=iso_z(utc_now())))
        return position


def _row(connection: Connection, conversation_id: str, user_id: str) -> RowMapping:
    query = select(CONVERSATIONS).where(CONVERSATIONS.c.id == conversation_id, CONVERSATIONS.c.user_id == user_id)
    row = connection.execute(query).mappings().first()
    if row is None:
        raise ConversationNotFound(f"There is no conversation {conversation_id[:80]!a}.")
    return row


def _messages(connection: Connection, conversation_id: str) -> tuple[Message, ...]:
    query = (
        select(CONVERSATION_MESSAGES)
        .where(CONVERSATION_MESSAGES.c.conversation_id == conversation_id)
        .order_by(CONVERSATION_MESSAGES.c.position.desc())
        .limit(MESSAGES_SHOWN)
    )
    rows = connection.execute(query).mappings().all()
    return tuple(
        from_row(
            Message,
            row,
            times="created_at",
            tool_calls=tuple(ToolCall.model_validate(call) for call in from_json(row["tool_calls"])),
        )
        for row in reversed(rows)
    )


def _conversation(row: RowMapping, messages: tuple[Message, ...]) -> Conversation:
    metadata = from_json(row["metadata"])
    known = None if metadata is None else ConversationMetadata.model_validate(metadata)
    return from_row(Conversation, row, times="created_at updated_at", messages=messages, metadata=known)


def _turn(conversation_id: str, message_id: str) -> Select[Any]:
    return select(TURNS).where(TURNS.c.conversation_id == conversation_id, TURNS.c.message_id == message_id)


def _is_turn(turn: Turn) -> Any:
    return (TURNS.c.conversation_id == turn.conversation_id) & (TURNS.c.message_id == turn.message_id)


def _as_turn(row: RowMapping) -> Turn:
    return from_row(Turn, row, texts="decision response")
