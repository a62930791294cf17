"""The assistant's hand: an MCP client in the same process, so that even we change things through the tools alone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.tools.public import KEY_META, QUESTION_META, USER_META

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer
    from mcp_types import ElicitResult

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
    """Calls tools of a server in this process; one after the other, stopping at the first that fails."""

    def __init__(self, make: Callable[[], MCPServer[Any]], user_id: str) -> None:
        """``make`` gives the server; it is asked for when the first tool is called."""
        self._make = make
        self._lock = threading.Lock()
        self._made: MCPServer[Any] | None = None
        self._user_id = user_id

    def call(self, calls: Sequence[Call], *, told: Told | None = None) -> list[Outcome]:
        """The outcomes, in order; what stands behind a failed call is not called."""
        return asyncio.run(self._call(calls, told))

    def offers(self) -> tuple[Offer, ...]:
        """The tools there are, as the server describes them."""

        async def listed() -> tuple[Offer, ...]:
            from mcp.client.client import Client

            async with Client(self._server) as client:
                return tuple(_offer(tool) for tool in (await client.list_tools()).tools)

        return asyncio.run(listed())

    @property
    def _server(self) -> MCPServer[Any]:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    async def _call(self, calls: Sequence[Call], told: Told | None) -> list[Outcome]:
        from mcp.client.client import Client
        from mcp.shared.exceptions import MCPError

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            if told is not None:
                told(progress, total, message)

        outcomes: list[Outcome] = []
        elicited = _agree if any(call.confirmed for call in calls) else None
        async with Client(self._server, elicitation_callback=elicited) as client:
            for call in calls:
                meta: dict[str, Any] = {KEY_META: call.key, USER_META: self._user_id}
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
