"""The seed's flows, the policy, and what never happens twice."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from averment.errors import MessageReused, QuestionClosed

if TYPE_CHECKING:
    from conftest import Desk


@pytest.mark.seed("D-030")
def test_the_seeds_first_flow_adds_a_task(desk: Desk) -> None:
    reply = desk.say("remind me to buy groceries")
    assert reply.status == "success"
    assert reply.response == "I've added 'buy groceries' to your tasks. You got this!"
    assert [(call.tool_name, call.parameters["title"]) for call in reply.tool_calls] == [("add_task", "buy groceries")]
    assert desk.titles() == ["buy groceries"]


@pytest.mark.seed("D-031")
def test_the_seeds_second_flow_completes_what_the_list_shows(desk: Desk) -> None:
    ids = desk.have("Buy groceries", "Call John", "Review docs")
    reply = desk.say("show my tasks")
    assert reply.response == "Here are your tasks:\n1. Buy groceries\n2. Call John\n3. Review docs"
    metadata = desk.conversations.get("talk").metadata
    assert metadata is not None
    assert metadata.task_references == {"1": ids[0], "2": ids[1], "3": ids[2]}
    assert metadata.referenced_at == desk.now
    assert metadata.last_tool_used == "list_tasks"
    done = desk.say("complete task 2")
    assert done.response == "Great! I've marked 'Call John' as completed \u2713"
    assert desk.titles("completed") == ["Call John"]


@pytest.mark.seed("D-023", "D-032")
def test_the_seeds_third_flow_asks_which_of_several(desk: Desk) -> None:
    desk.have("Team meeting", "Meeting with Anna", "Board meeting", "Call John")
    reply = desk.say("update the meeting task")
    assert reply.status == "clarification_needed"
    assert reply.response.startswith("I found 3 tasks about meetings. Which one did you mean?")
    chosen = desk.say("the first one")
    assert chosen.status == "clarification_needed"
    assert "Team meeting" in chosen.response
    assert desk.titles()[0] == "Team meeting"


@pytest.mark.seed("D-042")
def test_a_task_deleted_elsewhere_is_missed_and_nothing_is_done(desk: Desk) -> None:
    first, *_ = desk.have("Buy groceries", "Call John")
    desk.say("show my tasks")
    desk.tasks.delete([first], key="elsewhere")
    reply = desk.say("complete task 1")
    assert reply.status == "error"
    assert reply.response == (
        "I couldn't find task 1. It may have been deleted. Try 'show my tasks' to see what's current."
    )
    assert desk.titles("completed") == []


def test_a_changed_task_and_an_old_list_are_asked_about(desk: Desk) -> None:
    first, *_ = desk.have("Buy groceries", "Call John")
    desk.say("show my tasks")
    desk.tasks.change(first, key="elsewhere", title="Sell the house")
    assert desk.say("complete task 1").status == "clarification_needed"
    desk.say("show my tasks")
    desk.pass_time(minutes=31)
    asked = desk.say("complete task 2")
    assert asked.status == "confirmation_required"
    assert "Call John" in asked.response
    assert desk.titles("completed") == []


@pytest.mark.seed("D-023", "D-029")
def test_a_deletion_waits_for_a_yes_and_can_be_undone(desk: Desk) -> None:
    desk.have("Buy groceries", "Call John")
    desk.say("show my tasks")
    asked = desk.say("delete task 2")
    assert asked.status == "confirmation_required"
    assert "Call John" in asked.response
    assert desk.titles() == ["Buy groceries", "Call John"]
    assert desk.say("yes").status == "success"
    assert desk.titles() == ["Buy groceries"]
    desk.say("undo")
    assert desk.titles() == ["Buy groceries", "Call John"]


def test_a_no_keeps_everything_and_a_later_yes_finds_nothing(desk: Desk) -> None:
    desk.have("Buy groceries")
    desk.say("show my tasks")
    desk.say("delete task 1")
    desk.say("no")
    desk.say("yes")
    assert desk.titles() == ["Buy groceries"]


def test_speaking_of_something_else_closes_the_question(desk: Desk) -> None:
    desk.have("Buy groceries")
    desk.say("show my tasks")
    desk.say("delete task 1")
    desk.say("remind me to call John")
    desk.say("yes")
    assert desk.titles() == ["Buy groceries", "call John"]


def test_everything_except_the_first_is_asked_about_by_name(desk: Desk) -> None:
    desk.have("Buy groceries", "Call John", "Review docs")
    desk.say("show my tasks")
    asked = desk.say("delete everything except the first")
    assert asked.status == "confirmation_required"
    assert "Call John" in asked.response
    assert "Review docs" in asked.response
    assert "Buy groceries" not in asked.response
    desk.say("yes")
    assert desk.titles() == ["Buy groceries"]


def test_several_tasks_in_one_sentence(desk: Desk) -> None:
    desk.say("add milk and eggs to my list")
    assert desk.titles() == ["milk", "eggs"]


def test_a_rename_happens_and_speaks_of_it(desk: Desk) -> None:
    desk.have("Buy groceries", "Call John")
    desk.say("show my tasks")
    assert desk.say("rename task 2 to call Mary").status == "success"
    assert desk.titles() == ["Buy groceries", "call Mary"]
    assert desk.say("complete it").status == "success"
    assert desk.titles("completed") == ["call Mary"]


def test_what_is_no_request_changes_nothing(desk: Desk) -> None:
    desk.have("Buy groceries")
    for words in ("what is the capital of France", "tell me a joke", "yes", "the first one", "just a second"):
        desk.say(words)
    assert [(kept.task.title, kept.version) for kept in desk.tasks.list()] == [("Buy groceries", 1)]


def test_the_same_message_fifty_times_at_once_makes_one_task(desk: Desk) -> None:
    desk.say("hello")
    replies: list[str] = []
    threads = [
        threading.Thread(target=lambda: replies.append(desk.say("remind me to buy milk", "m1").response))
        for _ in range(50)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(replies) == 50
    assert len(set(replies)) == 1
    assert desk.titles() == ["buy milk"]


def test_the_same_id_with_other_words_is_refused(desk: Desk) -> None:
    desk.say("remind me to buy milk", "m1")
    with pytest.raises(MessageReused):
        desk.say("delete everything", "m1")


def test_a_turn_that_died_after_its_decision_is_carried_out_once(desk: Desk) -> None:
    class Cut(RuntimeError):
        pass

    def cut(*_: object, **__: object) -> None:
        raise Cut

    desk.assistant._conversations.end_turn = cut  # type: ignore[method-assign]
    with pytest.raises(Cut):
        desk.say("remind me to buy milk", "m1")
    assert desk.titles() == ["buy milk"]
    again = desk.reopened()
    assert again.assistant.recover() == 1
    assert again.titles() == ["buy milk"]
    assert again.say("remind me to buy milk", "m1").response.startswith("I've added 'buy milk'")
    assert again.titles() == ["buy milk"]


@pytest.mark.seed("D-034", "D-035", "D-036")
def test_a_confirmation_survives_a_restart(desk: Desk) -> None:
    desk.have("Buy groceries")
    desk.say("show my tasks")
    desk.say("delete task 1")
    again = desk.reopened()
    assert again.say("yes").status == "success"
    assert again.titles() == []


def test_a_forged_or_repeated_answer_is_refused(desk: Desk) -> None:
    desk.have("Buy groceries", "Call John")
    desk.say("show my tasks")
    desk.say("delete task 1", "m1")
    waiting = desk.questions.pending_question("talk", now=desk.now)
    assert waiting is not None
    with pytest.raises(QuestionClosed):
        desk.assistant.answer("forged", True, conversation_id="talk", message_id="x1")
    with pytest.raises(QuestionClosed):
        desk.assistant.answer(waiting.question_id, True, conversation_id="elsewhere", message_id="x2")
    assert desk.titles() == ["Buy groceries", "Call John"]
    desk.assistant.answer(waiting.question_id, True, conversation_id="talk", message_id="x3")
    assert desk.titles() == ["Call John"]
    with pytest.raises(QuestionClosed):
        desk.assistant.answer(waiting.question_id, True, conversation_id="talk", message_id="x4")
    assert desk.titles() == ["Call John"]
