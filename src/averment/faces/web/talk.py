"""A conversation as its page shows it: what was said, what the tools did, and the results of the other agents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from averment.agents.assistant.dialogue import Dialogue
from averment.agents.assistant.own_conversations import OwnConversations
from averment.errors import RunNotFound
from averment.records.chat import Conversation, Message, ToolCall
from averment.store.conversations import ChatEvent
from averment.workbench import Workbench

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
    "verify": "Verified a run",
    "show": "Looked at a run",
}
SHOWN_FINDINGS = 3
TITLE_LETTERS = 60
FIRST_EVENTS = 4


@dataclass(frozen=True)
class RunCard:
    """What another agent found, inside a reply."""

    id: str
    kind: str
    status: str
    answer: str
    findings: tuple[str, ...]
    picture: str | None


@dataclass(frozen=True)
class ToolCard:
    """One tool that was called."""

    name: str
    words: str
    sent: str
    came: str
    error: str | None
    run: RunCard | None


@dataclass(frozen=True)
class Line:
    """One message."""

    id: str
    role: str
    text: str
    at: datetime
    cards: tuple[ToolCard, ...]


@dataclass(frozen=True)
class Headed:
    """A conversation in the list."""

    id: str
    title: str
    at: datetime


@dataclass(frozen=True)
class Talk:
    """One conversation, and from which event on a window has to listen."""

    id: str
    lines: tuple[Line, ...]
    attached: tuple[str, ...]
    after: int
    busy: bool


def talk_of(workbench: Workbench, conversation: Conversation) -> Talk:
    """The conversation; where an answer is under way, its events are told again from its beginning."""
    begun, last = _where(_events(workbench.assistant.conversations, conversation.id))
    dialogue = Dialogue.of(conversation.metadata)
    names = tuple(PurePosixPath(source.rsplit(":", 1)[-1]).name for source in dialogue.sources)
    return Talk(
        id=conversation.id,
        lines=tuple(_line(workbench, message) for message in conversation.messages),
        attached=names,
        after=last if begun is None else begun - 1,
        busy=begun is not None,
    )


def headed(store: OwnConversations, *, limit: int) -> list[Headed]:
    """The newest conversations, each by what was said first in it."""
    found: list[Headed] = []
    for one in store.list(limit=limit):
        first = store.events(one.id, limit=FIRST_EVENTS)
        said = next((str(e.body.get("delta", "")) for e in first if e.type == "TEXT_MESSAGE_CONTENT"), "")
        found.append(Headed(one.id, said[:TITLE_LETTERS] or "Nothing said yet", one.updated_at))
    return found


def _events(store: OwnConversations, conversation_id: str) -> Sequence[ChatEvent]:
    found: list[ChatEvent] = []
    while page := store.events(conversation_id, after=found[-1].seq if found else 0):
        found += page
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


def _line(workbench: Workbench, message: Message) -> Line:
    cards = tuple(_card(workbench, call) for call in message.tool_calls)
    return Line(message.id, message.role, message.content, message.created_at, cards)


def _card(workbench: Workbench, call: ToolCall) -> ToolCard:
    return ToolCard(
        name=call.tool_name,
        words=DONE.get(call.tool_name, call.tool_name.replace("_", " ")),
        sent=_written(call.parameters),
        came="" if call.result is None else _written(call.result),
        error=call.error,
        run=_run(workbench, call.result or {}),
    )


def _run(workbench: Workbench, result: Mapping[str, Any]) -> RunCard | None:
    run_id = result.get("run_id")
    if not isinstance(run_id, str) or "findings" not in result:
        return None
    try:
        run = workbench.show(run_id)
    except RunNotFound:
        return None  # It was forgotten; what was said of it stays.
    pictures = [PurePosixPath(one.content_ref).name for one in run.artifacts if one.content_ref.endswith(".png")]
    return RunCard(
        id=run.id,
        kind=str(result.get("kind") or "analysis"),
        status=run.status,
        answer=run.answer or "",
        findings=tuple(finding.text for finding in run.findings[:SHOWN_FINDINGS]),
        picture=pictures[0] if pictures else None,
    )


def _written(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)
