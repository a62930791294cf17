"""``averment chat`` as a person and as a script use it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from golden import Ended, command

pytestmark = [pytest.mark.slow]

SALES = Path(__file__).parents[2] / "examples" / "sales.csv"


class Averment:
    """The command over one home, as it ends in this process (see ``golden.command``)."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *arguments: str, lines: str = "") -> Ended:
        return command("--home", self.home, "chat", *arguments, lines=lines)

    def json(self, *arguments: str) -> dict[str, Any]:
        return json.loads(self(*arguments, "--json").out)


@pytest.fixture
def averment(tmp_path: Path) -> Averment:
    return Averment(tmp_path / "home")


def test_a_conversation_of_lines_shows_lists_choices_and_confirmations(averment: Averment) -> None:
    lines = [
        "add a task team meeting",
        "add a task board meeting",
        "show my tasks",
        "delete the meeting task",
        "the second one",
        "yes",
        "show my tasks",
        "exit",
    ]
    done = averment(lines="\n".join(lines) + "\n")
    assert done.code == 0, done.err
    assert "1. team meeting\n2. board meeting\n" in done.out
    assert "[1 to 2, or no]" in done.out
    assert "[yes / no]" in done.out
    assert done.out.rstrip().endswith("Here are your tasks:\n1. team meeting")


def test_one_message_a_call_goes_on_in_its_conversation(averment: Averment) -> None:
    first = averment.json("remind me to buy milk", "--message-id", "m1")
    talk = first["conversation_id"]
    assert first["status"] == "success"
    again = averment.json("remind me to buy milk", "--conversation", talk, "--message-id", "m1")
    assert again == first
    averment.json("show my tasks", "--conversation", talk)
    asked = averment("delete task 1", "--conversation", talk, "--json")
    assert asked.code == 3
    assert json.loads(asked.out)["question"]["kind"] == "confirm"
    done = averment("yes", "--conversation", talk)
    assert done.code == 0
    assert "buy milk" in done.out


def test_a_file_is_asked_about(averment: Averment) -> None:
    reply = averment.json("total amount by region in 2024", "--file", str(SALES))
    assert reply["status"] == "success", reply
    assert reply["tool_calls"][0]["tool_name"] == "analyze"


def test_an_empty_message_is_a_usage_error(averment: Averment) -> None:
    done = averment("  ", "--json")
    assert done.code == 2
    assert json.loads(done.out)["error"]["code"] == "INVALID_REQUEST"
