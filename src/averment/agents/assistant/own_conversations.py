"""The conversations of one user; somebody else's are not there, whoever knows their ids."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from averment.errors import ConversationNotFound

if TYPE_CHECKING:
    from averment.records.chat import Conversation
    from averment.store.chat.conversations import ChatEvent, ConversationStore, Turn

Conversations: TypeAlias = "Sequence[Conversation]"
Events: TypeAlias = "Sequence[ChatEvent]"


class OwnConversations:
    """A store of conversations, as far as it is one user's."""

    def __init__(self, store: ConversationStore, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    def open(self, conversation_id: str | None = None) -> Conversation:
        """The conversation of that id, or a new one.

        Raises:
            ConversationNotFound: it is somebody else's.
        """
        return self._store.open(conversation_id, user_id=self._user_id)

    def get(self, conversation_id: str) -> Conversation:
        """A conversation with its last messages.

        Raises:
            ConversationNotFound: the user has no such conversation.
        """
        return self._store.get(conversation_id, user_id=self._user_id)

    def holds(self, conversation_id: str) -> bool:
        """Whether the user has that conversation."""
        try:
            self.get(conversation_id)
        except ConversationNotFound:
            return False
        return True

    def list(self, *, limit: int = 50) -> Conversations:
        """The user's conversations, the newest first."""
        return self._store.list(user_id=self._user_id, limit=limit)

    def delete(self, conversation_id: str) -> None:
        """Forget a conversation.

        Raises:
            ConversationNotFound: the user has no such conversation.
        """
        self._store.delete(conversation_id, user_id=self._user_id)

    def events(self, conversation_id: str, *, after: int = 0, limit: int = 1_000) -> Events:
        """What happened in a conversation of the user's; nothing where they have no such conversation."""
        if not self.holds(conversation_id):
            return ()
        return self._store.events(conversation_id, after=after, limit=limit)

    def all_events(self, conversation_id: str) -> list[ChatEvent]:
        """Every event of a conversation, in order."""
        found: list[ChatEvent] = []
        while page := self.events(conversation_id, after=found[-1].seq if found else 0):
            found += page
        return found

    def unfinished(self) -> Sequence[Turn]:
        """The turns of this home that have no answer yet."""
        return self._store.unfinished()

    def delete_expired(self) -> int:
        """Forget what is older than conversations are kept, of everyone."""
        return self._store.delete_expired()
