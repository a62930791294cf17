"""A conversation over HTTP: its tasks, its messages, what it remembers, and the trail it leaves in the home."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx2
import pytest
from home_rows import rows, table

from averment.workbench import Workbench

TASK = {"id", "title", "description", "status", "created_at", "completed_at"}


@pytest.fixture(scope="module")
def replies(client: httpx2.Client) -> list[dict[str, Any]]:
    """Six turns of one conversation: a task is made, shown, completed; two more are made, and one is asked about."""
    said = (
        "remind me to buy groceries", "show my tasks", "complete task 1", "remind me to call John",
        "remind me to call Anna", "delete the call task",
    )  # fmt: skip
    return [client.post("/v1/chat", json={"message": words, "conversation_id": "talk"}).json() for words in said]


@pytest.fixture(scope="module")
def shown(client: httpx2.Client, replies: list[dict[str, Any]]) -> dict[str, Any]:
    assert replies
    return client.get("/v1/conversations/talk").json()


@pytest.mark.seed("D-001", "D-004", "D-005")
def test_a_task_is_told_with_its_fields_and_the_time_it_was_done(client: httpx2.Client, replies: Any) -> None:
    assert replies
    tasks = {task["title"]: task for task in client.get("/v1/tasks").json()["data"]}
    assert set(tasks["buy groceries"]) >= TASK
    assert {task["status"] for task in tasks.values()} == {"pending", "completed"}
    for task in tasks.values():
        assert task["created_at"]
        assert (task["completed_at"] is not None) == (task["status"] == "completed")
    assert tasks["call John"]["description"] is None


@pytest.mark.seed("D-002", "D-003")
def test_a_task_outside_its_lengths_is_refused(client: httpx2.Client) -> None:
    for good in ({"title": "x" * 255}, {"title": "x", "description": "y" * 1000}):
        made = client.post("/v1/tasks", json=good)
        assert made.status_code in {200, 201}, made.text
        assert client.delete(f"/v1/tasks/{made.json()['data']['id']}").status_code < 300
    for wrong in ({"title": ""}, {"title": "x" * 256}, {"title": "x", "description": "y" * 1001}):
        assert client.post("/v1/tasks", json=wrong).json()["error"]["code"] == "INVALID_REQUEST"


@pytest.mark.seed("D-007", "D-008")
def test_a_conversation_is_told_with_its_user_and_its_messages(shown: dict[str, Any]) -> None:
    assert {"id", "user_id", "messages", "created_at", "updated_at", "metadata"} <= set(shown)
    assert (shown["id"], shown["user_id"]) == ("talk", "local")
    assert [message["role"] for message in shown["messages"]] == ["user", "assistant"] * 6
    assert all({"role", "content", "tool_calls"} <= set(message) for message in shown["messages"])


@pytest.mark.seed("D-009", "D-016", "D-010", "D-011", "D-012", "D-013", "D-014")
def test_a_conversation_remembers_what_was_shown_and_what_was_called(shown: dict[str, Any], client: Any) -> None:
    kept = shown["metadata"]
    assert set(kept) == {
        "task_references", "referenced_at", "last_tool_used", "last_tool_parameters", "agent_context"
    }  # fmt: skip
    assert kept["referenced_at"]
    last = [call for message in shown["messages"] for call in message["tool_calls"]][-1]
    assert (kept["last_tool_used"], kept["last_tool_parameters"]) == (last["tool_name"], last["parameters"])
    ids = {task["id"] for task in client.get("/v1/tasks").json()["data"]}
    assert all(key.isdigit() and value in ids for key, value in kept["task_references"].items())
    assert set(kept["agent_context"]) >= {"application_domain", "confidence_history", "clarification_count"}
    assert len(kept["agent_context"]["confidence_history"]) == 3
    assert all(0 <= one <= 1 for one in kept["agent_context"]["confidence_history"])


@pytest.mark.seed("D-024")
def test_each_call_of_a_turn_says_when_it_began(shown: dict[str, Any], client: httpx2.Client) -> None:
    calls = [call for message in shown["messages"] for call in message["tool_calls"]]
    assert [call["tool_name"] for call in calls][:3] == ["add_task", "list_tasks", "complete_task"]
    assert all(set(call) == {"tool_name", "parameters", "result", "error", "invoked_at"} for call in calls)
    assert [call["invoked_at"] for call in calls] == sorted(call["invoked_at"] for call in calls)
    done = {task["title"]: task for task in client.get("/v1/tasks").json()["data"]}["buy groceries"]
    assert calls[0]["invoked_at"] <= done["created_at"]
    assert calls[2]["invoked_at"] <= done["completed_at"]


@pytest.mark.seed("D-021")
def test_each_answer_says_how_it_was_understood_and_where_it_stands(replies: list[dict[str, Any]]) -> None:
    assert all(
        {"conversation_id", "response", "status", "tool_calls", "reasoning_trace"} <= set(one) for one in replies
    )
    assert [one["status"] for one in replies[:5]] == ["success"] * 5
    assert replies[5]["status"] in {"clarification_needed", "confirmation_required"}


@pytest.mark.seed("D-020", "D-038")
def test_a_number_means_nothing_where_no_list_was_shown(client: httpx2.Client, replies: Any) -> None:
    assert replies
    before = client.get("/v1/tasks").json()["data"]
    reply = client.post("/v1/chat", json={"message": "complete task 1", "conversation_id": "elsewhere"}).json()
    assert not [call for call in reply["tool_calls"] if call["tool_name"] != "list_tasks"]
    assert client.get("/v1/tasks").json()["data"] == before


@pytest.mark.seed("D-025", "D-027", "D-028")
def test_an_answer_carries_what_was_taken_to_be_meant_and_which_tool_that_chose(workbench: Workbench) -> None:
    for words, intent in (("show my tasks", "list"), ("remind me to buy milk", "create")):
        reply = workbench.assistant.turn(words, conversation_id="other").model_dump()
        assert set(reply["intent"]) == {"intent_type", "confidence", "entities", "alternatives", "reasoning"}
        assert reply["intent"]["intent_type"] == intent
        (chosen,) = reply["selections"]
        assert set(chosen) == {"tool_name", "confidence", "parameters", "requires_confirmation", "alternatives"}
        assert 0 < reply["intent"]["confidence"] <= 1 and 0 < chosen["confidence"] <= 1
        assert chosen["tool_name"] == reply["tool_calls"][0]["tool_name"]


@pytest.mark.seed("D-033")
def test_the_metadata_of_a_conversation_are_json_that_the_database_can_look_into(
    workbench: Workbench, shown: dict[str, Any]
) -> None:
    query = "SELECT json_extract(metadata, '$.last_tool_used') FROM conversations WHERE id = 'talk'"
    assert rows(workbench.settings.home, query) == [(shown["metadata"]["last_tool_used"],)]


@pytest.mark.seed("D-039")
def test_every_change_to_a_task_is_kept_with_what_it_was_before_and_after(workbench: Workbench, replies: Any) -> None:
    assert replies
    home: Path = workbench.settings.home
    calls = {one["key"]: one for one in table(home, "task_calls")}
    changes = table(home, "task_changes", "task_id = (SELECT id FROM tasks WHERE title = 'buy groceries')")
    (made, done) = sorted(changes, key=lambda one: calls[one["call_key"]]["invoked_at"])
    assert [calls[one["call_key"]]["tool_name"] for one in (made, done)] == ["add_task", "complete_task"]
    assert made["before"] in {None, "null"}
    assert json.loads(made["after"])["status"] == "pending"
    assert json.loads(done["before"])["status"] == "pending"
    assert json.loads(done["after"])["status"] == "completed"
    undone = [one for one in table(home, "task_changes") if json.loads(one["after"] or "null") is None]
    assert all(json.loads(one["before"])["title"] for one in undone)
