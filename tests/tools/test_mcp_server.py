"""The MCP server: the tools as a client of either protocol version sees them, and a yes before anything is lost."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal, TypeVar

import anyio
import anyio.to_thread
import pytest

from averment.records.chat import Task
from averment.settings import Settings
from averment.store.chat.tasks import TaskStore
from averment.store.db.database import Database
from averment.tools.public import Caller, PublicTool
from averment.tools.task_tools import task_tools
from averment.tools.tool import Args, Output
from lazily import lazily

mcp_types = lazily("mcp_types")
mcp_client = lazily("mcp.client.client")
mcp_errors = lazily("mcp.shared.exceptions")
mcp_server = lazily("averment.tools.mcp_server")

T = TypeVar("T")
Mode = Literal["auto", "legacy"]


class Nothing(Args):
    """No arguments."""


class Nothings(Output):
    """No result."""


class Desk:
    """A home with a server over it, and a user who answers every question alike."""

    def __init__(self, folder: Path) -> None:
        self.database = Database.open(Settings(home=folder))
        self.database.migrate()
        self.tasks = TaskStore(self.database)
        self.asked: list[str] = []
        self.says: dict[str, Any] = {"action": "accept", "content": {"yes": True}}

    async def elicited(self, _context: Any, params: Any) -> mcp_types.ElicitResult:
        self.asked.append(params.message)
        return mcp_types.ElicitResult(**self.says)

    def run(
        self,
        play: Callable[[mcp_client.Client], Awaitable[T]],
        *,
        mode: Mode = "auto",
        elicits: bool = True,
        key: bytes = b"k" * 32,
        extra: tuple[PublicTool[Any, Any], ...] = (),
    ) -> T:
        server = mcp_server.build_server(
            (*task_tools(self.tasks), *extra),
            keys=[key],
            user_id="local",
        )

        async def main() -> T:
            callback = self.elicited if elicits else None
            async with mcp_client.Client(server, elicitation_callback=callback, mode=mode) as client:
                return await play(client)

        return asyncio.run(main())


@pytest.fixture
def desk(tmp_path: Path) -> Any:
    made = Desk(tmp_path)
    yield made
    made.database.close()


def structured(result: mcp_types.CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert result.structured_content is not None
    return result.structured_content


def test_the_task_tools_are_listed_with_schemas_and_hints(desk: Desk) -> None:
    async def play(client: mcp_client.Client) -> list[mcp_types.Tool]:
        return (await client.list_tools()).tools

    listed = {tool.name: tool for tool in desk.run(play)}
    assert set(listed) >= {"add_task", "list_tasks", "update_task", "complete_task", "delete_task"}
    assert listed["add_task"].input_schema["required"] == ["title"]
    assert listed["add_task"].input_schema["properties"]["title"]["maxLength"] == 255
    assert all(tool.output_schema for tool in listed.values())
    hints = {name: tool.annotations for name, tool in listed.items()}
    assert hints["list_tasks"] and hints["list_tasks"].read_only_hint
    assert hints["delete_task"] and hints["delete_task"].destructive_hint
    assert hints["add_task"] and not hints["add_task"].destructive_hint


@pytest.mark.seed("D-029")
@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_deletion_waits_for_a_yes_that_names_the_row(desk: Desk, mode: Mode) -> None:
    async def play(client: mcp_client.Client) -> dict[str, Any]:
        added = structured(await client.call_tool("add_task", {"title": "milk"}))
        return structured(await client.call_tool("delete_task", {"task_id": added["data"]["id"]}))

    assert desk.run(play, mode=mode)["data"]["title"] == "milk"
    assert desk.asked == ["Delete the task 'milk'?"]
    assert desk.tasks.list() == []


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize(
    "says", [{"action": "decline"}, {"action": "cancel"}, {"action": "accept", "content": {"yes": False}}]
)
def test_a_no_changes_nothing(desk: Desk, mode: Mode, says: dict[str, Any]) -> None:
    desk.says = says

    async def play(client: mcp_client.Client) -> mcp_types.CallToolResult:
        await client.call_tool("add_task", {"title": "milk"})
        return await client.call_tool("delete_task", {"task_id": 1})

    assert desk.run(play, mode=mode).is_error
    assert len(desk.tasks.list()) == 1


def test_a_client_that_cannot_be_asked_deletes_nothing(desk: Desk) -> None:
    async def play(client: mcp_client.Client) -> None:
        await client.call_tool("add_task", {"title": "milk"})
        refused = await client.call_tool("delete_task", {"task_id": 1})
        assert refused.is_error

    desk.run(play, elicits=False)
    assert len(desk.tasks.list()) == 1


def test_a_client_that_cannot_be_asked_deletes_in_two_steps(desk: Desk) -> None:
    async def play(client: mcp_client.Client) -> None:
        for title in ("milk", "eggs"):
            await client.call_tool("add_task", {"title": title})
        refused = await client.call_tool("delete_task", {"task_id": 1})
        assert refused.is_error
        words = str(getattr(refused.content[0], "text", ""))
        assert "milk" in words
        token = words.split("confirm_token set to ")[1].split(".")[0]
        assert (await client.call_tool("delete_task", {"task_id": 2, "confirm_token": token})).is_error
        structured(await client.call_tool("delete_task", {"task_id": 1, "confirm_token": token}))

    desk.run(play, elicits=False)
    assert [kept.task.title for kept in desk.tasks.list()] == ["eggs"]


def test_an_argument_that_a_tool_does_not_know_is_refused(desk: Desk) -> None:
    async def play(client: mcp_client.Client) -> None:
        refused = await client.call_tool("add_task", {"title": "milk", "deadline": "tomorrow"})
        assert refused.is_error
        assert "deadline" in str(getattr(refused.content[0], "text", ""))

    desk.run(play)
    assert desk.tasks.list() == []


def test_a_tool_is_told_that_its_caller_gave_up(desk: Desk) -> None:
    begun, stopped = threading.Event(), threading.Event()

    def run(args: Nothing, caller: Caller) -> Nothings:
        caller.stop.on_cancel(stopped.set)
        begun.set()
        stopped.wait(10)
        return Nothings()

    waits = PublicTool(name="waits", title="Wait", description="Waits.", args=Nothing, output=Nothings, run=run)

    async def play(client: mcp_client.Client) -> None:
        with anyio.move_on_after(5):
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "waits", {})
                await anyio.to_thread.run_sync(begun.wait, 5)
                group.cancel_scope.cancel()
        await anyio.to_thread.run_sync(stopped.wait, 2)

    desk.run(play, extra=(waits,))
    assert stopped.is_set()


def test_the_same_key_adds_once_and_a_strangers_key_is_kept_apart(desk: Desk) -> None:
    async def play(client: mcp_client.Client) -> list[dict[str, Any]]:
        return [
            structured(await client.call_tool("add_task", {"title": "milk"}, meta={mcp_server.KEY_META: "k"}))
            for _ in range(3)
        ]

    results = desk.run(play)
    assert [result["repeated"] for result in results] == [False, True, True]
    assert results[0]["key"] == "mcp/k"
    assert len(desk.tasks.list()) == 1


@pytest.mark.seed("D-042")
def test_an_error_says_its_code_and_what_to_do(desk: Desk) -> None:
    async def play(client: mcp_client.Client) -> mcp_types.CallToolResult:
        return await client.call_tool("complete_task", {"task_id": 9})

    result = desk.run(play)
    assert result.is_error
    assert isinstance(result.content[0], mcp_types.TextContent)
    assert "NOT_FOUND" in result.content[0].text


def test_a_question_outlives_the_server_and_what_the_client_carries_cannot_be_forged(desk: Desk) -> None:
    """The server that asked is gone when the answer comes; one with the home's key takes it, for that call alone."""
    for title in ("milk", "eggs"):
        desk.tasks.add([Task(title=title)], key=title)

    async def ask(client: mcp_client.Client) -> mcp_types.InputRequiredResult:
        asked = await client.session.call_tool("delete_task", {"task_id": 1}, allow_input_required=True)
        assert isinstance(asked, mcp_types.InputRequiredResult)
        return asked

    asked = desk.run(ask)
    assert asked.request_state is not None and asked.input_requests is not None
    yes = {name: mcp_types.ElicitResult(action="accept", content={"yes": True}) for name in asked.input_requests}

    def answer(state: str, task_id: int = 1, **more: Any) -> bool:
        async def play(client: mcp_client.Client) -> bool:
            call = client.call_tool("delete_task", {"task_id": task_id}, input_responses=yes, request_state=state)
            try:
                return not (await call).is_error
            except mcp_errors.MCPError:
                return False

        return desk.run(play, **more)

    desk.says = {"action": "decline"}
    state = asked.request_state
    for forged, more in ((state, {"key": b"x" * 32}), (state[:-4] + "AAAA", {}), ("e30", {}), (state, {"task_id": 2})):
        assert not answer(forged, **more)
        assert [kept.task.title for kept in desk.tasks.list()] == ["milk", "eggs"]
    assert answer(state)
    assert [kept.task.title for kept in desk.tasks.list()] == ["eggs"]
