"""Two hundred and thirty sentences by kind: what is in the list afterwards, and what was asked."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from conftest import Desk

FILES = ("sentences.toml", "more_sentences.toml")
CASES: list[dict[str, Any]] = [
    case for name in FILES for case in tomllib.loads(Path(__file__).with_name(name).read_text())["case"]
]


def test_there_are_two_hundred_of_many_kinds() -> None:
    assert len(CASES) >= 230
    assert len({case["kind"] for case in CASES}) >= 24


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}: {case['says'][-1][:40]}")
def test_a_sentence_does_what_it_says(desk: Desk, case: dict[str, Any]) -> None:
    before = case.get("before", [])
    if before:
        desk.have(*before)
    for words in case["says"][:-1]:
        desk.say(words)
    states = [(kept.task.title, kept.version) for kept in desk.tasks.list()]
    reply = desk.say(case["says"][-1])
    if case.get("asks"):
        assert reply.status in {"confirmation_required", "clarification_needed"}, reply.response
        assert desk.assistant.question("talk") is not None, reply.response
        assert [(kept.task.title, kept.version) for kept in desk.tasks.list()] == states, reply.response
    if case.get("missed"):
        # It is not understood yet: it must do nothing, and leave this list once it is.
        assert reply.status == "clarification_needed", reply.response
        assert [(kept.task.title, kept.version) for kept in desk.tasks.list()] == states, reply.response
        return
    for name in ("open", "done"):
        if name in case:
            status = "pending" if name == "open" else "completed"
            assert sorted(desk.titles(status)) == sorted(case[name]), reply.response
    for words in case.get("holds", []):
        assert words in reply.response
    for words in case.get("lacks", []):
        assert words not in reply.response
    for name in ("due", "priority", "repeat"):
        if name in case:
            last = max(desk.tasks.list(), key=lambda kept: (kept.version, kept.task.id or 0)).task
            assert case[name] in str(getattr(last, name)), reply.response
