"""Messages that say when: the task is due then, counted from the moment of the message."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Desk


CASES: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("due_times.toml").read_text())["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}: {case['says'][-1][:40]}")
def test_a_task_is_due_when_the_message_says(desk: Desk, case: dict[str, Any]) -> None:
    desk.have(*case.get("before", ()))
    for words in case["says"]:
        reply = desk.say(words)
    assert all(words in reply.response for words in case.get("holds", ())), reply.response
    assert not any(words in reply.response for words in case.get("lacks", ())), reply.response
    if "open" in case:
        assert sorted(desk.titles("pending")) == sorted(case["open"]), reply.response
    last = max(desk.tasks.list(), key=lambda kept: (kept.version, kept.task.id or 0)).task
    for name in {"due", "priority", "repeat"} & case.keys():
        assert case[name] in str(getattr(last, name)), reply.response
