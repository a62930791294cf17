"""One task or several: errands stay whole, enumerations fall apart, and what can be both is asked about."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import pytest

from averment.agents.assistant.reading.message import read_message

if TYPE_CHECKING:
    from conftest import Desk

CERTAIN = {
    "remind me to call mum and to buy milk": ["call mum", "buy milk"],
    "add milk, eggs and call mum": ["milk", "eggs", "call mum"],
    "add milk and eggs to my list": ["milk", "eggs"],
    "remind me to buy bread and butter": ["buy bread and butter"],
    "add bread and butter": ["bread and butter"],
    "add salt and pepper, milk": ["salt and pepper", "milk"],
    "add a task to buy milk, eggs and bread": ["buy milk, eggs and bread"],
    "remind me to go to the bank and to the shop": ["go to the bank and to the shop"],
    "remind me to write to Anna and to Ben": ["write to Anna and to Ben"],
    "remind me to pick up the parcel and take it home": ["pick up the parcel and take it home"],
    "remind me to wash and dry the clothes": ["wash and dry the clothes"],
    "remind me to call John and ask about the invoice": ["call John and ask about the invoice"],
    "remind me to feed the cat, water the plants and pay the rent": [
        "feed the cat",
        "water the plants",
        "pay the rent",
    ],
    "add these tasks: pay rent, call mum": ["pay rent", "call mum"],
    "add to my list:\n- milk\n- call mum and dad": ["milk", "call mum and dad"],
    "create a task called 'review Q3 and Q4 numbers'": ["review Q3 and Q4 numbers"],
    "remind me about the meeting and the report": ["the meeting and the report"],
}


@pytest.mark.parametrize(("words", "titles"), CERTAIN.items(), ids=lambda part: str(part)[:40])
def test_words_fall_into_the_tasks_they_name(words: str, titles: list[str]) -> None:
    (act,) = read_message(words, datetime(2026, 1, 23, 10, 30), lambda _: False).acts
    assert [task.title for task in act.tasks] == titles
    assert act.other == ()


@pytest.mark.parametrize(
    ("answer", "titles"),
    [
        ("1", ["buy milk and call mum"]),
        ("one task", ["buy milk and call mum"]),
        ("2", ["buy milk", "call mum"]),
        ("separately please", ["buy milk", "call mum"]),
        ("no", []),
    ],
)
def test_what_can_be_one_or_two_is_asked_about_and_answered(desk: Desk, answer: str, titles: list[str]) -> None:
    asked = desk.say("remind me to buy milk and call mum")
    assert asked.status == "clarification_needed"
    assert desk.titles() == []
    waiting = desk.assistant.question("talk")
    assert waiting is not None and len(waiting.body["options"]) == 2
    desk.say(answer)
    assert desk.titles() == titles


def test_both_new_tasks_are_taken_back_together(desk: Desk) -> None:
    desk.say("remind me to call mum and to buy milk")
    assert desk.titles() == ["call mum", "buy milk"]
    desk.say("undo")
    assert desk.titles() == []
