"""The records of seed 003, the assistant: their fields and limits as one table, and what a table cannot hold."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from table import Limit, Shape, Steps, among, length, limit, rows, shape, share

from averment.records import chat

SHOWN = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)
EXAMPLE: dict[str, Any] = {
    "task_references": {"1": 42, "2": 43, "3": 44},
    "referenced_at": "2026-01-23T10:30:00Z",
    "last_tool_used": "list_tasks",
    "last_tool_parameters": {"status": "pending"},
    "agent_context": {
        "application_domain": "task_management",
        "confidence_history": [0.92, 0.85, 0.78],
        "clarification_count": 0,
    },
}
NO_NUMBERS = ("first", "", "-1", "1.0", "²", "٣", " 1", "1\n")
# fmt: off
TABLE: list[Shape | Limit | Steps] = [
    shape("D-001", chat.Task, {"title": "buy groceries"}, "id description status created_at completed_at due priority "
          "repeat", id=None, description=None, status="pending", completed_at=None, due=None, priority=None,
          repeat=None),
    length("D-002", chat.Task, "title", 1, 255),
    length("D-003", chat.Task, "description", 0, 1000),
    limit("D-004", chat.Task, "status", ["pending"], ["someday", "", None]),
    limit("D-004 D-005", chat.Task, "", [{"status": "completed", "completed_at": SHOWN}],
          [{"status": "completed"}, {"status": "pending", "completed_at": SHOWN}]),
    limit("D-001", chat.Task, "priority", ["high", "normal", "low", None], ["", "urgent"]),
    limit("D-001", chat.Task, "due", ["2026-02-28", "2026-02-28T23:59"], ["2026-11-31", "2026-13-01", "soon",
          "2026-02-28T24:00"]),
    limit("D-001", chat.Task, "repeat", ["daily", "weekly on monday", "every 2 weeks"], ["hourly", "every 1 days"]),
    shape("D-007", chat.Conversation, {"user_id": "u"}, "id messages created_at updated_at metadata", metadata=None,
          messages=()),
    limit("D-007", chat.Conversation, "id", ["c"], [""]),
    shape("D-008", chat.Message, {"role": "user", "content": "hello"}, "id tool_calls created_at", tool_calls=()),
    among("D-008", chat.Message, "role", "user assistant"),
    limit("D-008", chat.Message, "tool_calls", [[{"tool_name": "add_task", "parameters": {"title": "x"},
          "result": {"a": 1}, "error": "b", "invoked_at": "2026-01-23T10:30:00.000000Z"}]], [[{"tool_name": "x"}]]),
    shape("D-009", chat.ConversationMetadata, {}, " ".join(EXAMPLE), **dict.fromkeys(EXAMPLE)),
    limit("D-010", chat.ConversationMetadata, "", [{"task_references": {"1": 42}, "referenced_at": SHOWN}],
          [{"task_references": {key: 42}, "referenced_at": SHOWN} for key in NO_NUMBERS]),
    limit("D-011", chat.ConversationMetadata, "", [],
          [{"task_references": {"1": value}, "referenced_at": SHOWN} for value in ("42", 4.0, True, None)]),
    limit("D-012", chat.ConversationMetadata, "task_references", [{}], [{"1": 42}]),
    limit("D-013", chat.ConversationMetadata, "agent_context", [{"more": 1}],
          [{"confidence_history": [2]}, {"clarification_count": -1}, {"application_domain": 5},
           {"confidence_history": [0.1] * 4}]),
    shape("D-013", chat.AgentContext, {}, "application_domain confidence_history clarification_count",
          application_domain="task_management", confidence_history=(), clarification_count=0),
    shape("D-021", chat.AgentResponse, {"conversation_id": "c", "response": "done", "status": "success"},
          "tool_calls reasoning_trace clarification intent selections", tool_calls=(), reasoning_trace=None,
          clarification=None, intent=None, selections=()),
    among("D-022", chat.AgentResponse, "status", "success clarification_needed confirmation_required error"),
    shape("D-024", chat.ToolCall, {"tool_name": "t", "parameters": {}}, "result error invoked_at", result=None,
          error=None),
    limit("D-024", chat.ToolCall, "tool_name", ["t"], [""]),
    shape("D-025", chat.IntentResult, {"intent_type": "create", "confidence": 0.92, "entities": {"title": "x"}},
          "alternatives reasoning", alternatives=()),
    among("D-026", chat.IntentResult, "intent_type", "create list update complete delete analyze drill research"),
    share("D-028", chat.IntentResult, "confidence"),
    limit("D-028", chat.IntentResult, "alternatives", [[("update", 0.1)]],
          [[("update", wrong)] for wrong in (-0.1, 1.1, float("nan"))]),
    shape("D-027", chat.ToolSelectionResult, {"tool_name": "t", "confidence": 1.0, "parameters": {},
                                              "requires_confirmation": True}, "alternatives", alternatives=()),
    share("D-028", chat.ToolSelectionResult, "confidence"),
    limit("D-027", chat.ToolSelectionResult, "tool_name", ["t"], [""]),
]
# fmt: on


@rows(TABLE)
def test_a_record_takes_what_the_seed_gives_it_and_refuses_the_rest(row: Any) -> None:
    row.check()


@pytest.mark.seed("D-009")
def test_metadata_reads_the_seeds_example() -> None:
    kept = chat.ConversationMetadata.model_validate(EXAMPLE)
    assert (kept.task_references, kept.referenced_at) == ({"1": 42, "2": 43, "3": 44}, SHOWN)
    assert chat.ConversationMetadata.model_validate_json(kept.model_dump_json()) == kept


@pytest.mark.seed("D-005")
def test_completing_a_task_sets_its_time_once() -> None:
    task = chat.Task(title="call John")
    assert task.created_at.tzinfo is UTC
    done = task.completed(SHOWN)
    assert (done.status, done.completed_at, done.created_at) == ("completed", SHOWN, task.created_at)
    assert done.completed() is done
    assert done.reopened() == task
    talk = chat.Conversation(user_id="u")
    assert talk.updated_at == talk.created_at


@pytest.mark.seed("D-014")
def test_only_the_last_three_confidences_are_remembered() -> None:
    context = chat.AgentContext()
    for confidence in (0.1, 0.2, 0.3, 0.4):
        context = context.remembered(confidence)
    assert context.confidence_history == (0.2, 0.3, 0.4)
