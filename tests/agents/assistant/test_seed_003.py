"""What a conversation remembers between turns, as seed 003 wants it, and how tasks are reached."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from averment.records.chat import ConversationMetadata

if TYPE_CHECKING:
    from conftest import Desk


def remembered(desk: Desk) -> ConversationMetadata:
    metadata = desk.conversations.get(desk.conversation).metadata
    assert metadata is not None
    return metadata


@pytest.mark.seed("D-015")
def test_the_next_list_takes_the_place_of_the_references_before(desk: Desk) -> None:
    first, second = desk.have("Buy groceries", "Call John")
    desk.say("show my tasks")
    desk.say("complete task 1")
    assert remembered(desk).task_references == {"1": first, "2": second}
    desk.say("show my pending tasks")
    assert remembered(desk).task_references == {"1": second}
    desk.say("complete task 1")
    assert desk.titles("completed") == ["Buy groceries", "Call John"]


@pytest.mark.seed("D-016")
def test_the_last_tool_and_its_parameters_are_remembered(desk: Desk) -> None:
    (task,) = desk.have("Buy groceries")
    desk.say("show my pending tasks")
    assert (remembered(desk).last_tool_used, remembered(desk).last_tool_parameters) == (
        "list_tasks",
        {"status": "pending"},
    )
    desk.say("complete task 1")
    assert (remembered(desk).last_tool_used, remembered(desk).last_tool_parameters) == (
        "complete_task",
        {"task_id": task},
    )


@pytest.mark.seed("D-017")
def test_every_question_back_is_counted(desk: Desk) -> None:
    desk.have("Team meeting", "Meeting with Anna")
    counts: list[int] = []
    for words in ("show my tasks", "complete the meeting task", "complete task 9", "add milk to my list"):
        asked = desk.say(words).status == "clarification_needed"
        context = remembered(desk).agent_context
        assert context is not None
        counts.append(context["clarification_count"])
        assert asked is (words in {"complete the meeting task", "complete task 9"})
    assert counts == [0, 1, 2, 2]


@pytest.mark.seed("D-038")
def test_a_reference_holds_in_its_own_conversation_alone(desk: Desk) -> None:
    desk.have("Buy groceries", "Call John")
    desk.say("show my tasks")
    desk.conversation = "another talk"
    assert desk.say("complete task 2").status != "success"
    assert desk.titles("completed") == []
