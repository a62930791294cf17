"""What a message means after what was just said, slips of the hand included."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from averment.agents.assistant.reading.spelling import corrected
from averment.agents.assistant.reading.when import take_when

if TYPE_CHECKING:
    from conftest import Desk


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("remnid me to buy milk", "remind me to buy milk"),
        ("delet task 3", "delete task 3"),
        ("pls delte task 2", "pls delete task 2"),
        ("shwo my takss", "show my tasks"),
        ("udno", "undo"),
        ("ive bought milk", "I've bought milk"),
        ("finsh taks 2", "finish task 2"),
    ],
)
def test_a_slip_in_a_command_is_put_right(typed: str, meant: str) -> None:
    assert corrected(typed) == meant


@pytest.mark.parametrize(
    "words",
    [
        "reminds me of you",
        "deleted it",
        "lift weights",
        "snow today",
        "remain here",
        "charge my phone",
        "removed",
        "make",
    ],
)
def test_a_word_of_its_own_stays(words: str) -> None:
    assert corrected(words) == words


def test_words_of_a_title_are_never_put_right(desk: Desk) -> None:
    desk.say("remnid me to shwo the delet key to Udno")
    assert desk.titles() == ["shwo the delet key to Udno"]


def test_a_shown_task_is_changed_by_its_name(desk: Desk) -> None:
    desk.have("eggs", "call John")
    desk.say("show my tasks")
    assert desk.say("change eggs to a dozen eggs").status == "success"
    assert desk.titles() == ["a dozen eggs", "call John"]
    desk.say("call the second one ring John instead")
    assert desk.titles() == ["a dozen eggs", "ring John"]


def test_what_was_asked_for_is_taken_as_the_answer_once(desk: Desk) -> None:
    desk.have("eggs")
    desk.say("show my tasks")
    assert desk.say("rename task 1").status == "clarification_needed"
    assert desk.say("two dozen eggs").status == "success"
    assert desk.titles() == ["two dozen eggs"]
    desk.say("nice weather today")
    assert desk.titles() == ["two dozen eggs"]


@pytest.mark.parametrize("instead", ["no", "never mind", "show my tasks", "undo"])
def test_what_was_asked_for_is_not_any_words(desk: Desk, instead: str) -> None:
    desk.have("eggs")
    desk.say("show my tasks")
    desk.say("rename task 1")
    desk.say(instead)
    assert desk.titles() == ["eggs"]


def test_something_to_do_is_offered_and_not_kept_unasked(desk: Desk) -> None:
    asked = desk.say("I have to renew my passport by friday")
    assert asked.status in {"confirmation_required", "success"}
    if asked.status == "confirmation_required":
        assert desk.titles() == []
        desk.say("yes")
    (kept,) = desk.tasks.list()
    assert (kept.task.title, kept.task.due) == ("renew my passport", "2026-01-30")


def test_only_tasks_of_the_status_that_is_named_are_asked_about(desk: Desk) -> None:
    ids = desk.have("eggs", "milk", "bread")
    desk.tasks.complete([ids[1]], key="done")
    desk.say("show my tasks")
    asked = desk.say("delete all completed tasks")
    assert asked.status == "confirmation_required"
    assert "milk" in asked.response and "eggs" not in asked.response
    desk.say("yes")
    assert desk.titles() == ["eggs", "bread"]
    assert desk.say("delete all completed tasks").response == "You have no completed tasks."


def test_after_an_undo_the_list_that_was_seen_is_still_good(desk: Desk) -> None:
    desk.have("eggs", "milk")
    desk.say("show my tasks")
    desk.say("complete task 1")
    desk.say("undo")
    assert desk.say("complete task 1").status == "success"
    assert desk.titles("completed") == ["eggs"]


def test_a_time_before_the_deed_is_when_the_task_is_due(desk: Desk) -> None:
    reply = desk.say("remind me at 5pm to take out the trash")
    (kept,) = desk.tasks.list()
    assert (kept.task.title, kept.task.due) == ("take out the trash", "2026-01-23T17:00")
    assert "17:00" in reply.response


@pytest.mark.parametrize("words", ["hi", "thanks!", "who are you", "what can you do"])
def test_small_talk_is_answered_and_changes_nothing(desk: Desk, words: str) -> None:
    reply = desk.say(words)
    assert (reply.status, reply.tool_calls) == ("success", ())


def test_a_verb_that_takes_away_is_never_offered_as_a_new_task(desk: Desk) -> None:
    assert desk.say("drop the eggs").status != "confirmation_required"
    assert desk.say("yes").response == "There is no question open that a yes would answer."
    assert desk.titles() == []


@pytest.mark.parametrize("words", ["hiya", "bye", "never mind"])
def test_small_talk_is_answered_and_not_asked_back(desk: Desk, words: str) -> None:
    assert desk.say(words).status == "success"


@pytest.mark.parametrize(
    ("said", "due"),
    [
        ("take the pizza out in 1 minute", "2026-03-02T10:07"),
        ("take the pizza out in an hour", "2026-03-02T11:06"),
    ],
)
def test_a_span_from_now_never_ends_before_it_is_over(said: str, due: str) -> None:
    timed = take_when(said, datetime(2026, 3, 2, 10, 5, 56))
    assert (timed.words, timed.fields["due"]) == ("take the pizza out", due)
