"""Tasks are read and changed through the tools alone, and what an undo takes back is the conversation's own record."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from averment.agents.assistant.agent import Assistant, allows
from averment.tools.mcp_client import LocalClient
from averment.tools.public import Caller, PublicTool
from averment.tools.task_tools import task_tools
from lazily import lazily

if TYPE_CHECKING:
    from averment.store.chat.tasks import TaskStore
    from conftest import Desk

mcp_server = lazily("averment.tools.mcp_server")


class Watched:
    """A store that may be touched only while a tool runs."""

    def __init__(self, store: TaskStore) -> None:
        self.store = store
        self.inside = threading.local()
        self.called: list[str] = []

    def __getattr__(self, name: str) -> Any:
        assert getattr(self.inside, "tool", None), f"{name} was called outside a tool"
        return getattr(self.store, name)

    def tools(self) -> list[PublicTool[Any, Any]]:
        return [
            PublicTool(**{**vars(tool), "run": self._watch(tool.name, tool.run), "confirm": self._asking(tool)})
            for tool in task_tools(self)  # type: ignore[arg-type]
        ]

    def _watch(self, name: str, run: Callable[[Any, Caller], Any]) -> Callable[[Any, Caller], Any]:
        def watched(args: Any, caller: Caller) -> Any:
            self.called.append(name)
            self.inside.tool = name
            try:
                return run(args, caller)
            finally:
                self.inside.tool = None

        return watched

    def _asking(self, tool: PublicTool[Any, Any]) -> Any:
        return None if tool.confirm is None else self._watch(f"confirm {tool.name}", tool.confirm)


@pytest.mark.seed("D-006")
def test_every_read_and_every_change_of_a_task_goes_through_a_tool(desk: Desk) -> None:
    watched = Watched(desk.tasks)
    server = mcp_server.build_server(
        watched.tools(),
        keys=[b"k" * 32],
        allows=lambda question, name, arguments: allows(desk.questions, question, name, arguments),
        user_id="local",
        trusts_meta=True,
    )
    assistant = Assistant(
        conversations=desk.conversations,
        questions=desk.questions,
        client=LocalClient(lambda: server, "local"),
        vectors=lambda: desk.vectors,
        user_id="local",
        clock=lambda: desk.now,
    )
    for words in (
        "remind me to buy milk",
        "remind me to call John",
        "show my tasks",
        "rename task 1 to buy oat milk",
        "complete task 1",
        "delete task 2",
        "yes",
        "undo",
    ):
        assistant.turn(words, conversation_id="talk")
    assert desk.titles() == ["buy oat milk", "call John"]
    assert set(watched.called) >= {"add_task", "list_tasks", "update_task", "complete_task", "delete_task", "undo"}
    with pytest.raises(AssertionError):
        watched.list()


def test_undo_takes_back_one_turn_after_the_other_and_then_says_that_nothing_is_left(desk: Desk) -> None:
    desk.say("remind me to buy milk")
    desk.say("add eggs and flour to my list")
    desk.say("undo")
    assert desk.titles() == ["buy milk"]
    desk.say("undo")
    assert desk.titles() == []
    assert desk.say("undo").response == "There is nothing to undo."


def test_undo_reaches_no_act_of_another_conversation(desk: Desk) -> None:
    desk.say("remind me to buy milk")
    desk.conversation = "elsewhere"
    assert desk.say("undo").response == "There is nothing to undo."
    assert desk.titles() == ["buy milk"]


def test_an_undo_that_meets_a_later_change_takes_nothing_back(desk: Desk) -> None:
    desk.say("remind me to buy milk")
    task_id = int(desk.tasks.list()[0].task.id or 0)
    desk.tasks.change(task_id, key="elsewhere", title="buy oat milk")
    assert desk.say("undo").status == "error"
    assert desk.titles() == ["buy oat milk"]
