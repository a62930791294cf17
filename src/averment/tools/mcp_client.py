"""The assistant's hand: an MCP client in the same process, so that even we change things through the tools alone."""

from __future__ import annotations

import asyncio
import threading
import weakref
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from averment.tools.public import KEY_META, QUESTION_META, USER_META

if TYPE_CHECKING:
    from mcp.client.client import Client
    from mcp.server.mcpserver import MCPServer
    from mcp_types import ElicitResult

T = TypeVar("T")
Told = Callable[[float, float | None, str | None], None]
"""Hears how far a call is."""


@dataclass(frozen=True, slots=True)
class Call:
    """A tool to be called, under the key of its act.

    ``question`` is the answered question that allows it; ``confirmed`` says that the user asked for this very act in a
    way that leaves no doubt, such as a request that names its row, and answers what the tool asks with a yes.
    """

    tool_name: str
    parameters: dict[str, Any]
    key: str
    question: str | None = None
    confirmed: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came back with: its structured result, or what went wrong."""

    call: Call
    result: dict[str, Any] | None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as its server describes it; ``read_only`` is what its annotations say."""

    name: str
    description: str
    schema: dict[str, Any]
    read_only: bool


class LocalClient:
    """Calls tools of a server in this process; one after the other, stopping at the first that fails.

    The connection is opened at the first call and kept: a loop of its own holds it until ``close``, or until nobody
    holds the client any more.
    """

    def __init__(self, make: Callable[[], MCPServer[Any]], user_id: str) -> None:
        """``make`` gives the server; it is asked for when the first tool is called."""
        self._make = make
        self._lock = threading.Lock()
        self._line: _Line | None = None
        self._user_id = user_id

    def call(self, calls: Sequence[Call], *, told: Told | None = None) -> list[Outcome]:
        """The outcomes, in order; what stands behind a failed call is not called."""
        line = self._opened()
        return line.run(lambda: _call(line, calls, self._user_id, told))

    def offers(self) -> tuple[Offer, ...]:
        """The tools there are, as the server describes them."""
        line = self._opened()

        async def listed() -> tuple[Offer, ...]:
            client = await line.client(agrees=False)
            return tuple(_offer(tool) for tool in (await client.list_tools()).tools)

        return line.run(listed)

    def close(self) -> None:
        """Close the connection; a later call opens it again."""
        with self._lock:
            line, self._line = self._line, None
        if line is not None:
            line.close()

    def _opened(self) -> _Line:
        with self._lock:
            if self._line is None:
                self._line = _Line(self._make())
                weakref.finalize(self, self._line.close)
            return self._line


class _Line:
    """A loop in a thread of its own that holds the open clients: one that asks, and one that agrees."""

    def __init__(self, server: MCPServer[Any]) -> None:
        self._server = server
        self._clients: dict[bool, asyncio.Future[Client]] = {}
        self._ends: list[asyncio.Event] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="averment-tools", daemon=True)
        self._thread.start()

    def run(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """What the work gives, done on the loop."""
        return asyncio.run_coroutine_threadsafe(work(), self._loop).result()

    async def client(self, *, agrees: bool) -> Client:
        """The open client of that kind."""
        if agrees not in self._clients:
            opened: asyncio.Future[Client] = self._loop.create_future()
            self._clients[agrees] = opened
            # A client must be closed by the task that opened it, so a task of its own holds it.
            held = self._loop.create_task(self._hold(opened, agrees=agrees))
            held.add_done_callback(lambda _: None)
        return await asyncio.shield(self._clients[agrees])

    async def _hold(self, opened: asyncio.Future[Client], *, agrees: bool) -> None:
        from mcp.client.client import Client

        end = asyncio.Event()
        self._ends.append(end)
        try:
            async with Client(self._server, elicitation_callback=_agree if agrees else None) as client:
                opened.set_result(client)
                await end.wait()
        except Exception as error:
            if opened.done():
                raise
            self._clients.pop(agrees, None)
            opened.set_exception(error)

    def close(self) -> None:
        """End the clients and the loop."""
        if self._loop.is_closed() or not self._thread.is_alive():
            return

        async def end() -> None:
            for one in self._ends:
                one.set()
            others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
            if others:
                await asyncio.wait(others, timeout=2)
            self._loop.stop()

        asyncio.run_coroutine_threadsafe(end(), self._loop)
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=5)


async def _call(line: _Line, calls: Sequence[Call], user_id: str, told: Told | None) -> list[Outcome]:
    from mcp.shared.exceptions import MCPError

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        if told is not None:
            told(progress, total, message)

    client = await line.client(agrees=any(call.confirmed for call in calls))
    outcomes: list[Outcome] = []
    for call in calls:
        meta: dict[str, Any] = {KEY_META: call.key, USER_META: user_id}
        if call.question is not None:
            meta[QUESTION_META] = call.question
        try:
            made = await client.call_tool(
                call.tool_name,
                call.parameters,
                progress_callback=hear,
                meta=meta,  # pyright: ignore[reportArgumentType] - the SDK's type lists its own keys only
            )
        except MCPError as error:
            outcomes.append(Outcome(call, None, str(error)))
            break
        if made.is_error:
            outcomes.append(Outcome(call, None, _text(made.content)))
            break
        outcomes.append(Outcome(call, dict(made.structured_content or {})))
    return outcomes


def _offer(tool: Any) -> Offer:
    notes = tool.annotations
    return Offer(tool.name, tool.description or "", dict(tool.input_schema), bool(notes and notes.read_only_hint))


async def _agree(context: Any, params: Any) -> ElicitResult:
    from mcp_types import ElicitResult

    _ = (context, params)
    return ElicitResult(action="accept", content={"yes": True})


def _text(content: Sequence[Any]) -> str:
    said = " ".join(str(part.text) for part in content if getattr(part, "text", None))
    _, _, reason = said.partition(": ")
    return reason or said
