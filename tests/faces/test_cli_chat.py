"""``averment chat`` as a person and as a script use it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.slow]

SALES = Path(__file__).parents[2] / "examples" / "sales.csv"


class Averment:
    """The command over one home."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *arguments: str, lines: str = "") -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "averment", "--home", str(self.home), "chat", *arguments]
        return subprocess.run(command, input=lines, capture_output=True, text=True, timeout=180, check=False)

    def json(self, *arguments: str) -> dict[str, Any]:
        return json.loads(self(*arguments, "--json").stdout)


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
    assert done.returncode == 0, done.stderr
    assert "1. team meeting\n2. board meeting\n" in done.stdout
    assert "[1 to 2, or no]" in done.stdout
    assert "[yes / no]" in done.stdout
    assert done.stdout.rstrip().endswith("Here are your tasks:\n1. team meeting")


def test_one_message_a_call_goes_on_in_its_conversation(averment: Averment) -> None:
    first = averment.json("remind me to buy milk", "--message-id", "m1")
    talk = first["conversation_id"]
    assert first["status"] == "success"
    again = averment.json("remind me to buy milk", "--conversation", talk, "--message-id", "m1")
    assert again == first
    averment.json("show my tasks", "--conversation", talk)
    asked = averment("delete task 1", "--conversation", talk, "--json")
    assert asked.returncode == 3
    assert json.loads(asked.stdout)["question"]["kind"] == "confirm"
    done = averment("yes", "--conversation", talk)
    assert done.returncode == 0
    assert "buy milk" in done.stdout


def test_a_file_is_asked_about(averment: Averment) -> None:
    reply = averment.json("total amount by region in 2024", "--file", str(SALES))
    assert reply["status"] == "success", reply
    assert reply["tool_calls"][0]["tool_name"] == "analyze"


def test_an_empty_message_is_a_usage_error(averment: Averment) -> None:
    done = averment("  ", "--json")
    assert done.returncode == 2
    assert json.loads(done.stdout)["error"]["code"] == "INVALID_REQUEST"
