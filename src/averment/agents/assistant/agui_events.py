"""A turn as AG-UI events: what a page reads, live or later, by the names and fields of that protocol.

Events are bodies without their ``type``; whoever sends them adds it. They are kept in the same transaction as what
they tell, so that none is missing and none is there twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from collections.abc import Sequence

    from averment.records.chat import AgentResponse, Message
    from averment.store.chat.conversations import NewEvent, Turn
    from averment.store.chat.questions import PendingQuestion


def run_started(conversation_id: str, message: Message) -> Sequence[NewEvent]:
    """A message came in: the run of its turn begins, and the user's words are shown to every tab."""
    run = {"threadId": conversation_id, "runId": message.id}
    said = {"messageId": message.id, "role": "user"}
    return [
        ("RUN_STARTED", run),
        ("TEXT_MESSAGE_START", said),
        ("TEXT_MESSAGE_CONTENT", {"messageId": message.id, "delta": message.content}),
        ("TEXT_MESSAGE_END", {"messageId": message.id}),
    ]


def progress_event(turn: Turn, done: float, total: float | None, message: str | None) -> NewEvent:
    """How far a long run is."""
    content = {"done": done, "total": total, "message": message}
    return "ACTIVITY_SNAPSHOT", {
        "messageId": f"{turn.message_id}/progress",
        "activityType": "PROGRESS",
        "content": content,
        "replace": True,
    }


def reply_events(
    turn: Turn, reply_id: str, response: AgentResponse, asked: PendingQuestion | None
) -> Sequence[NewEvent]:
    """The tools that were called, the reply, and the end of the run; a question ends it as an interrupt."""
    told: list[NewEvent] = []
    for at, call in enumerate(response.tool_calls):
        call_id = f"{reply_id}/{at}"
        content = call.result if call.error is None else {"error": call.error}
        told += [
            (
                "TOOL_CALL_START",
                {"toolCallId": call_id, "toolCallName": call.tool_name, "parentMessageId": reply_id},
            ),
            ("TOOL_CALL_ARGS", {"toolCallId": call_id, "delta": _text(call.parameters)}),
            ("TOOL_CALL_END", {"toolCallId": call_id}),
            (
                "TOOL_CALL_RESULT",
                {"messageId": f"{call_id}/result", "toolCallId": call_id, "content": _text(content), "role": "tool"},
            ),
        ]
    told += [
        ("TEXT_MESSAGE_START", {"messageId": reply_id, "role": "assistant"}),
        ("TEXT_MESSAGE_CONTENT", {"messageId": reply_id, "delta": response.response}),
        ("TEXT_MESSAGE_END", {"messageId": reply_id}),
    ]
    finished: dict[str, Any] = {
        "threadId": turn.conversation_id,
        "runId": turn.message_id,
        "result": {"status": response.status},
        "outcome": {"type": "success"},
    }
    if asked is not None:
        card = question_card(asked)
        interrupt = {"id": asked.question_id, "reason": asked.kind, "message": card["words"], "metadata": card}
        finished["outcome"] = {"type": "interrupt", "interrupts": [interrupt]}
    return [*told, ("RUN_FINISHED", finished)]


def question_card(asked: PendingQuestion) -> dict[str, Any]:
    """A question as a face shows it: its words, and what can be chosen."""
    return {
        "question_id": asked.question_id,
        "kind": asked.kind,
        "words": asked.body["words"],
        "options": [str(option["title"]) for option in asked.body["options"]],
    }


def _text(value: Any) -> str:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS, default=str).decode()
