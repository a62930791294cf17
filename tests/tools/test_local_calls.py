"""The assistant's own calls: the same rules as over MCP, with nothing between the caller and the tool."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from averment.records.chat import Task
from averment.settings import Settings
from averment.store.chat.tasks import TaskStore
from averment.store.db.database import Database
from averment.tools.local_calls import Call, LocalTools
from averment.tools.public import Caller, PublicTool
from averment.tools.task_tools import task_tools
from averment.tools.tool import Args, Output


class Nothing(Args):
    """No arguments."""


class Nothings(Output):
    """No result."""


def a_tool(run: Callable[[Nothing, Caller], Nothings]) -> PublicTool[Any, Any]:
    return PublicTool(name="act", title="Act", description="Acts.", args=Nothing, output=Nothings, run=run)


class Desk:
    """A home with two tasks, and a user who agreed to the deletion of the first."""

    def __init__(self, database: Database) -> None:
        self.tasks = TaskStore(database)
        self.tasks.add([Task(title="milk")], key="milk")
        self.tasks.add([Task(title="eggs")], key="eggs")

    def local(self, *extra: PublicTool[Any, Any], user_id: str = "local") -> LocalTools:
        agreed = ("asked", "delete_task", {"task_id": 1})
        return LocalTools(
            lambda: (*task_tools(self.tasks), *extra), allows=lambda *call: call == agreed, user_id=user_id
        )

    def titles(self) -> list[str]:
        return [kept.task.title for kept in self.tasks.list()]


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    database = Database.open(Settings(home=tmp_path))
    database.migrate()
    yield Desk(database)
    database.close()


@pytest.mark.parametrize(("task_id", "question"), [(2, "asked"), (1, "forged"), (1, None)])
def test_what_no_answered_question_allows_is_not_deleted(desk: Desk, task_id: int, question: str | None) -> None:
    refused = desk.local().call([Call("delete_task", {"task_id": task_id}, "k", question)])[0]
    assert str(refused.error).startswith("CONFIRMATION_REQUIRED: Nothing was changed: it was not confirmed.")
    assert desk.titles() == ["milk", "eggs"]


def test_an_answered_question_allows_its_call_and_a_retry_gives_the_same(desk: Desk) -> None:
    deletion = Call("delete_task", {"task_id": 1}, "k", "asked")
    first, again = (desk.local().call([deletion])[0].result for _ in range(2))
    assert first is not None and again == {**first, "repeated": True}
    assert desk.titles() == ["eggs"]


def test_an_explicit_act_is_its_own_yes_and_a_retry_gives_the_same(desk: Desk) -> None:
    deletion = Call("delete_task", {"task_id": 2}, "k", confirmed=True)
    first, again = (desk.local().call([deletion])[0].result for _ in range(2))
    assert first is not None and again == {**first, "repeated": True}
    assert desk.titles() == ["milk"]


def test_each_user_has_their_own_tasks(desk: Desk) -> None:
    done = desk.local(user_id="anna").call([Call("add_task", {"title": "bread"}, "k"), Call("list_tasks", {}, "l")])
    assert [task["title"] for task in (done[1].result or {})["data"]] == ["bread"]
    assert desk.titles() == ["milk", "eggs"]


def test_the_first_failure_is_the_last_call(desk: Desk) -> None:
    calls = [Call("complete_task", {"task_id": 9}, "a"), Call("add_task", {"title": "bread"}, "b")]
    outcomes = desk.local().call(calls)
    assert [str(outcome.error).partition(":")[0] for outcome in outcomes] == ["NOT_FOUND"]
    assert desk.titles() == ["milk", "eggs"]


@pytest.mark.parametrize(
    ("name", "parameters", "error"),
    [
        (
            "add_task",
            {"title": "x", "deadline": "y"},
            "INVALID_ARGUMENTS: add_task does not take deadline. It takes: ",
        ),
        ("add_task", {"title": ""}, "INVALID_ARGUMENTS: The arguments of add_task are invalid: title: String should"),
        ("fly", {}, "UNKNOWN_TOOL: There is no tool named fly. Tools: add_task, "),
    ],
)
def test_what_cannot_be_called_says_why(desk: Desk, name: str, parameters: dict[str, Any], error: str) -> None:
    outcome = desk.local().call([Call(name, parameters, "k")])[0]
    assert str(outcome.error).startswith(error)
    assert desk.titles() == ["milk", "eggs"]


def test_a_crash_is_logged_and_its_text_is_not_told(desk: Desk, caplog: pytest.LogCaptureFixture) -> None:
    def run(args: Nothing, caller: Caller) -> Nothings:
        raise ZeroDivisionError("secret")

    outcome = desk.local(a_tool(run)).call([Call("act", {}, "k")])[0]
    assert outcome.error == "Error executing tool act"
    assert "ZeroDivisionError: secret" in caplog.text


def test_a_tool_runs_on_the_callers_thread_and_tells_its_progress(desk: Desk) -> None:
    threads: list[threading.Thread] = []
    told: list[tuple[float, float | None, str]] = []

    def run(args: Nothing, caller: Caller) -> Nothings:
        threads.append(threading.current_thread())
        caller.progress(1, 2, "half")
        return Nothings()

    desk.local(a_tool(run)).call([Call("act", {}, "k")], on_progress=lambda *how_far: told.append(how_far))
    assert threads == [threading.current_thread()]
    assert told == [(1, 2, "half")]
