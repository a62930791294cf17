"""Tasks are read and changed through the tools alone, and what an undo takes back is the conversation's own record."""

from __future__ import annotations

import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from averment.agents.assistant.agent import Assistant
from averment.tools.public import Caller, PublicTool
from averment.tools.task_tools import task_tools

if TYPE_CHECKING:
    from averment.store.chat.tasks import TaskStore
    from conftest import Desk


TURN = """
import sys
from pathlib import Path
from averment.settings import Settings
from averment.workbench import Workbench
with Workbench(settings=Settings(home=Path(sys.argv[1]))) as workbench:
    assert workbench.chat("remind me to buy milk").status == "success"
print([name for name in sys.modules if name.partition(".")[0] in {"mcp", "mcp_types"}])
"""


def _assistant(desk: Desk, tools: Iterable[PublicTool[Any, Any]]) -> Assistant:
    return Assistant(
        conversations=desk.conversations,
        questions=desk.questions,
        tools=desk.local(tools),
        vectors=lambda: desk.vectors,
        user_id="local",
        clock=lambda: desk.now,
    )


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
            replace(tool, run=self._watch(tool.name, tool.run), confirm=self._asking(tool))
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
    assistant = _assistant(desk, watched.tools())
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


def test_a_tool_runs_on_the_thread_of_its_turn_with_the_assistant_on_the_stack(desk: Desk) -> None:
    found: list[tuple[threading.Thread, list[str]]] = []

    def note(run: Callable[[Any, Caller], Any]) -> Callable[[Any, Caller], Any]:
        def noted(args: Any, caller: Caller) -> Any:
            frames = [frame.f_code.co_qualname for frame, _ in traceback.walk_stack(None)]
            found.append((threading.current_thread(), frames))
            return run(args, caller)

        return noted

    tools = [replace(tool, run=note(tool.run)) for tool in task_tools(desk.tasks)]
    _assistant(desk, tools).turn("remind me to buy milk", conversation_id="talk")
    assert desk.titles() == ["buy milk"]
    assert [thread for thread, _ in found] == [threading.current_thread()] * len(found)
    acted = found[-1][1]
    assert acted.index("LocalTools.call") < acted.index("Assistant._carry_out") < acted.index("Assistant.turn")


@pytest.mark.slow
def test_a_chat_turn_does_not_load_the_library_of_mcp(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", TURN, tmp_path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


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
