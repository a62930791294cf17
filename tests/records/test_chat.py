from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from averment.records.chat import (
    AgentContext,
    AgentResponse,
    Conversation,
    ConversationMetadata,
    IntentResult,
    IntentType,
    Message,
    ResponseStatus,
    Task,
    TaskStatus,
    ToolCall,
    ToolSelectionResult,
)

SHOWN = datetime(2026, 1, 23, 10, 30, tzinfo=UTC)


@pytest.mark.seed("D-001")
def test_a_task_has_its_fields_and_defaults():
    seeded = {"id", "title", "description", "status", "created_at", "completed_at"}
    assert set(Task.model_fields) == seeded | {"due", "priority", "repeat"}
    assert all(Task.model_fields[name].default is None for name in ("due", "priority", "repeat"))
    task = Task(title="buy groceries")
    assert (task.id, task.description, task.status, task.completed_at) == (None, None, "pending", None)
    assert Task.model_validate_json(task.model_dump_json()) == task


@pytest.mark.seed("D-002")
def test_a_title_has_1_to_255_characters():
    assert len(Task(title="x" * 255).title) == 255
    for title in ("", "x" * 256):
        with pytest.raises(ValidationError):
            Task(title=title)


@pytest.mark.seed("D-003")
def test_a_description_has_at_most_1000_characters():
    assert Task(title="x", description="y" * 1000).description == "y" * 1000
    with pytest.raises(ValidationError):
        Task(title="x", description="y" * 1001)


@pytest.mark.seed("D-004")
def test_a_task_is_pending_or_completed():
    assert set(get_args(TaskStatus)) == {"pending", "completed"}
    with pytest.raises(ValidationError):
        Task.model_validate({"title": "x", "status": "someday"})


@pytest.mark.seed("D-005")
def test_completing_a_task_sets_its_time_once():
    task = Task(title="call John")
    assert task.created_at.tzinfo is UTC
    done = task.completed(SHOWN)
    assert (done.status, done.completed_at, done.created_at) == ("completed", SHOWN, task.created_at)
    assert done.completed() is done


@pytest.mark.seed("D-005")
@pytest.mark.parametrize("values", [{"status": "completed"}, {"status": "pending", "completed_at": SHOWN}])
def test_a_completion_time_goes_with_completion_alone(values: dict[str, Any]):
    with pytest.raises(ValidationError):
        Task.model_validate({"title": "x", **values})


@pytest.mark.seed("D-007")
def test_a_conversation_has_its_fields():
    assert set(Conversation.model_fields) == {"id", "user_id", "messages", "created_at", "updated_at", "metadata"}
    talk = Conversation(id="c", user_id="u", messages=(Message(id="m", role="user", content="hello"),))
    assert talk.metadata is None
    assert talk.updated_at == talk.created_at
    assert Conversation.model_validate_json(talk.model_dump_json()) == talk


@pytest.mark.seed("D-008")
def test_a_message_has_role_content_and_tool_calls():
    call = ToolCall(tool_name="add_task", parameters={"title": "x"}, invoked_at=SHOWN)
    message = Message(role="assistant", content="done", tool_calls=(call,))
    assert message.tool_calls == (call,)
    assert Message(role="user", content="hello").tool_calls == ()
    with pytest.raises(ValidationError):
        Message.model_validate({"role": "system", "content": "x"})


@pytest.mark.seed("D-009")
def test_metadata_reads_the_seeds_example():
    example = {
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
    kept = ConversationMetadata.model_validate(example)
    assert set(ConversationMetadata.model_fields) == set(example)
    assert kept.task_references == {"1": 42, "2": 43, "3": 44}
    assert kept.referenced_at == SHOWN
    assert ConversationMetadata.model_validate_json(kept.model_dump_json()) == kept
    assert all(value is None for value in ConversationMetadata().model_dump().values())


@pytest.mark.seed("D-010")
@pytest.mark.parametrize("key", ["first", "", "-1", "1.0", "²", "٣", " 1", "1\n"])
def test_a_reference_whose_key_is_no_number_is_refused(key: str):
    with pytest.raises(ValidationError):
        ConversationMetadata(task_references={key: 42}, referenced_at=SHOWN)


@pytest.mark.seed("D-011")
@pytest.mark.parametrize("value", ["42", 4.0, True, None])
def test_a_reference_whose_value_is_no_integer_is_refused(value: object):
    with pytest.raises(ValidationError):
        ConversationMetadata.model_validate({"task_references": {"1": value}, "referenced_at": SHOWN})


@pytest.mark.seed("D-012")
def test_references_without_their_time_are_refused():
    with pytest.raises(ValidationError):
        ConversationMetadata(task_references={"1": 42})
    assert ConversationMetadata(task_references={}).referenced_at is None


@pytest.mark.seed("D-013")
def test_the_agents_context_has_its_three_parts():
    assert set(AgentContext.model_fields) == {"application_domain", "confidence_history", "clarification_count"}
    for wrong in ({"confidence_history": [2]}, {"clarification_count": -1}, {"application_domain": 5}):
        with pytest.raises(ValidationError):
            ConversationMetadata(agent_context=wrong)
    assert ConversationMetadata(agent_context={"more": 1}).agent_context == {"more": 1}


@pytest.mark.seed("D-014")
def test_only_the_last_three_confidences_are_remembered():
    context = AgentContext()
    for confidence in (0.1, 0.2, 0.3, 0.4):
        context = context.remembered(confidence)
    assert context.confidence_history == (0.2, 0.3, 0.4)


@pytest.mark.seed("D-021")
def test_a_response_has_its_fields_and_defaults():
    assert set(AgentResponse.model_fields) == {
        "conversation_id",
        "response",
        "status",
        "tool_calls",
        "reasoning_trace",
        # Of the seed's flows and its other records; none of them is needed.
        "clarification",
        "intent",
        "selections",
    }
    response = AgentResponse(conversation_id="c", response="done", status="success")
    assert response.tool_calls == ()
    assert (response.clarification, response.intent, response.selections) == (None, None, ())
    assert response.reasoning_trace is None


@pytest.mark.seed("D-022")
def test_a_response_has_one_of_four_statuses():
    assert set(get_args(ResponseStatus)) == {"success", "clarification_needed", "confirmation_required", "error"}
    with pytest.raises(ValidationError):
        AgentResponse.model_validate({"conversation_id": "c", "response": "x", "status": "maybe"})


@pytest.mark.seed("D-024")
def test_a_tool_call_of_a_turn_has_its_fields():
    assert set(ToolCall.model_fields) == {"tool_name", "parameters", "result", "error", "invoked_at"}
    call = ToolCall(tool_name="t", parameters={}, invoked_at=SHOWN)
    assert (call.result, call.error) == (None, None)
    with pytest.raises(ValidationError):
        call.changed(tool_name="")


@pytest.mark.seed("D-025")
def test_an_intent_result_has_its_fields():
    assert set(IntentResult.model_fields) == {"intent_type", "confidence", "entities", "alternatives", "reasoning"}
    result = IntentResult(
        intent_type="create", confidence=0.92, entities={"title": "x"}, alternatives=(("update", 0.1),)
    )
    assert IntentResult.model_validate_json(result.model_dump_json()) == result


@pytest.mark.seed("D-026")
def test_the_five_task_intents_are_known_and_nonsense_is_not():
    assert {"create", "list", "update", "complete", "delete"} <= set(get_args(IntentType))
    assert {"analyze", "drill", "research"} <= set(get_args(IntentType))
    with pytest.raises(ValidationError):
        IntentResult.model_validate({"intent_type": "dance", "confidence": 0.5, "entities": {}})


@pytest.mark.seed("D-027")
def test_a_tool_selection_has_its_fields():
    assert set(ToolSelectionResult.model_fields) == {
        "tool_name",
        "confidence",
        "parameters",
        "requires_confirmation",
        "alternatives",
    }
    good = {"tool_name": "t", "confidence": 1.0, "parameters": {}, "requires_confirmation": True}
    assert ToolSelectionResult.model_validate(good).alternatives == ()
    for missing in good:
        with pytest.raises(ValidationError):
            ToolSelectionResult.model_validate({key: good[key] for key in good if key != missing})


@pytest.mark.seed("D-028")
@pytest.mark.parametrize("confidence", [-0.1, 1.1, float("nan")])
def test_a_confidence_outside_zero_to_one_is_refused(confidence: float):
    with pytest.raises(ValidationError):
        IntentResult(intent_type="list", confidence=confidence, entities={})
    with pytest.raises(ValidationError):
        IntentResult(intent_type="list", confidence=0.5, entities={}, alternatives=(("update", confidence),))
    with pytest.raises(ValidationError):
        ToolSelectionResult(tool_name="x", confidence=confidence, parameters={}, requires_confirmation=False)
