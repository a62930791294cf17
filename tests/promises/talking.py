"""A program that speaks MCP with a server, as one of its users, and answers what it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx2

from golden import TOKEN, Server

T = TypeVar("T")


class Program:
    """An MCP client whose user says yes, or no, to every question."""

    def __init__(self, server: Server, token: str = TOKEN, *, yes: bool = True) -> None:
        self.server, self.token, self.yes = server, token, yes
        self.asked: list[str] = []

    def call(self, tool: str, **arguments: Any) -> Any:
        """What a tool gives: its structured result, or the text of its error under ``error``."""

        async def play(client: Any) -> Any:
            got = await client.call_tool(tool, arguments)
            if got.is_error:
                return {"error": "\n".join(getattr(part, "text", "") for part in got.content)}
            return got.structured_content or {}

        return self.run(play)

    def run(self, play: Callable[[Any], Awaitable[T]]) -> T:
        from mcp.client.client import Client
        from mcp.client.streamable_http import streamable_http_client
        from mcp_types import ElicitResult

        async def answered(_context: Any, params: Any) -> Any:
            self.asked.append(params.message)
            return ElicitResult(action="accept", content={"yes": True}) if self.yes else ElicitResult(action="decline")

        async def main() -> T:
            headers = {"Authorization": f"Bearer {self.token}"}
            async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
                transport = streamable_http_client(f"{self.server.url}/mcp", http_client=http)
                async with Client(transport, elicitation_callback=answered) as client:
                    return await play(client)

        return asyncio.run(main())
