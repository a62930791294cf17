"""A conversation as its page shows it: what was said, what the tools did, and the results of the other agents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from averment.agents.assistant.dialogue import Dialogue
from averment.agents.assistant.own_conversations import OwnConversations
from averment.errors import RunNotFound, SourceNotFound
from averment.faces.web.runs.cards import CardView, card_of
from averment.operations import Operations
from averment.records.chat import Conversation, Message, ToolCall
from averment.store.chat.conversations import ChatEvent
from averment.workbench import Workbench
from averment.workbench.datasets import NAMED

DONE: dict[str, str] = {
    "add_task": "Added a task",
    "list_tasks": "Looked at the tasks",
    "update_task": "Changed a task",
    "complete_task": "Finished a task",
    "delete_task": "Deleted a task",
    "undo": "Took a change back",
    "analyze": "Asked the analyst",
    "drill": "Asked the driller",
    "research": "Asked the researcher",
    "choose": "Chose a reading",
    "ask_run": "Looked it up in the last answer",
    "verify": "Verified a run",
    "show": "Looked at a run",
}
WHOLE = 2
"""So many of the newest cards are shown with their tables."""
TITLE_LETTERS = 60
FIRST_EVENTS = 4


@dataclass(frozen=True)
class ToolCard:
    """One tool that was called."""

    name: str
    words: str
    sent: str
    came: str
    error: str | None
    run: CardView | None


@dataclass(frozen=True)
class MessageLine:
    """One message."""

    id: str
    role: str
    text: str
    at: datetime
    cards: tuple[ToolCard, ...]

    @property
    def has_run(self) -> bool:
        """Whether it is told by the card of a run."""
        return any(card.run is not None for card in self.cards)


@dataclass(frozen=True)
class ConversationHead:
    """A conversation in the list."""

    id: str
    title: str
    at: datetime


@dataclass(frozen=True)
class Talk:
    """One conversation, and from which event on a window has to listen."""

    id: str
    began_with: CardView | None
    """The card of the run that the thread was opened about."""
    lines: tuple[MessageLine, ...]
    attached: tuple[str, ...]
    dataset: str
    """The kept dataset that was chosen for it last, by its id."""
    after: int
    busy: bool

    @property
    def title(self) -> str:
        """What was asked first."""
        if self.began_with is not None:
            return self.began_with.run.intent
        return next((line.text for line in self.lines if line.role == "user"), "")


def talk_of(workbench: Workbench, archive: Operations, conversation: Conversation) -> Talk:
    """The conversation; where an answer is under way, its events are told again from its beginning.

    The newest cards are whole; those before them are without their tables.
    """
    begun, last = _where(workbench.assistant.conversations.all_events(conversation.id))
    dialogue = Dialogue.of(conversation.metadata)
    named = [source.removeprefix(NAMED) for source in dialogue.sources if source.startswith(NAMED)]
    names = tuple(_source_name(workbench, source) for source in dialogue.sources)
    whole = {message.id for message in [one for one in conversation.messages if one.tool_calls][-WHOLE:]}
    lines = [_line(workbench, archive, message, brief=message.id not in whole) for message in conversation.messages]
    lines = [_in_words(line, lines[at + 1] if at + 1 < len(lines) else None) for at, line in enumerate(lines)]
    first = (
        None if dialogue.began_with is None else _card_of(workbench, archive, dialogue.began_with, brief=bool(whole))
    )
    return Talk(
        id=conversation.id,
        began_with=first,
        lines=tuple(lines),
        attached=names,
        dataset=named[-1] if named else "",
        after=last if begun is None else begun - 1,
        busy=begun is not None,
    )


def _source_name(workbench: Workbench, source: str) -> str:
    """What a source of a conversation is called: a dataset by its name, a file without its place."""
    if not source.startswith(NAMED):
        return PurePosixPath(source.rsplit(":", 1)[-1]).name
    try:
        return workbench.datasets.get(source.removeprefix(NAMED)).name
    except SourceNotFound:
        return "a dataset that was removed"


def headed(store: OwnConversations, *, limit: int) -> list[ConversationHead]:
    """The newest conversations, each by what was said first in it."""
    found: list[ConversationHead] = []
    for one in store.list(limit=limit):
        first = store.events(one.id, limit=FIRST_EVENTS)
        said = next((str(e.body.get("delta", "")) for e in first if e.type == "TEXT_MESSAGE_CONTENT"), "")
        found.append(ConversationHead(one.id, said[:TITLE_LETTERS] or "Nothing said yet", one.updated_at))
    return found


def _where(events: Sequence[ChatEvent]) -> tuple[int | None, int]:
    """The number of the event that began an answer which is not over, and of the last event."""
    begun: int | None = None
    for event in events:
        if event.type == "RUN_STARTED":
            begun = event.seq
        elif event.type == "RUN_FINISHED":
            begun = None
    return begun, events[-1].seq if events else 0


def _line(workbench: Workbench, archive: Operations, message: Message, *, brief: bool) -> MessageLine:
    cards = tuple(_tool_card(workbench, archive, call, brief=brief) for call in message.tool_calls)
    return MessageLine(message.id, message.role, message.content, message.created_at, cards)


def _in_words(line: MessageLine, reply: MessageLine | None) -> MessageLine:
    """A reading that was chosen by its number, in the words of that reading."""
    card = next((one.run for one in reply.cards if one.name == "choose" and one.run), None) if reply else None
    return line if card is None or not line.text.isdecimal() else replace(line, text=card.run.read_back or line.text)


def _tool_card(workbench: Workbench, archive: Operations, call: ToolCall, *, brief: bool) -> ToolCard:
    result: Mapping[str, Any] = call.result or {}
    run_id = result.get("run_id") if "findings" in result else None
    return ToolCard(
        name=call.tool_name,
        words=DONE.get(call.tool_name, call.tool_name.replace("_", " ")),
        sent=_written(call.parameters),
        came="" if call.result is None else _written(call.result),
        error=call.error,
        run=_card_of(workbench, archive, str(run_id), brief=brief) if run_id else None,
    )


def _card_of(workbench: Workbench, archive: Operations, run_id: str, *, brief: bool) -> CardView | None:
    try:
        return card_of(workbench, archive, run_id, brief=brief)
    except RunNotFound:
        return None  # It was forgotten; what was said of it stays.


def _written(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)
