"""The MCP server on streamable HTTP, as an ASGI application that a face mounts behind its own door.

It starts when the first request comes, so that a server nobody speaks MCP to does not load the library for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.types import Receive, Scope, Send

    from averment.tools.mcp_server import Server

MAX_SESSIONS = 100
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def _nobody(scope: Scope) -> str | None:
    _ = scope
    return None


class McpEndpoint:
    """One MCP server for the owner, and one for each user who comes, for as long as ``running`` is entered."""

    def __init__(
        self,
        make: Callable[[str | None], Server],
        *,
        hosts: tuple[str, ...] | None = LOOPBACK,
        user_of: Callable[[Scope], str | None] = _nobody,
    ) -> None:
        """``make`` gives the server of a user, of the owner for None; ``user_of`` says whose a request is.

        ``hosts`` are the names it answers to; None leaves that to the door in front of it.
        """
        self._make = make
        self._hosts = hosts
        self._user_of = user_of
        self._lock = asyncio.Lock()
        self._group: TaskGroup | None = None
        self._managers: dict[str | None, StreamableHTTPSessionManager] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        manager = await self._started(self._user_of(scope))
        await manager.handle_request(scope, receive, send)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Hold the server's sessions; they end with it."""
        async with anyio.create_task_group() as group:
            self._group = group
            try:
                yield
            finally:
                self._group = None
                self._managers.clear()
                group.cancel_scope.cancel()

    async def _started(self, user: str | None) -> StreamableHTTPSessionManager:
        async with self._lock:
            if self._group is None:
                raise RuntimeError("the endpoint is not running")
            if user not in self._managers:
                manager = await anyio.to_thread.run_sync(self._open, user)
                await self._group.start(_hold, manager)
                self._managers[user] = manager
            return self._managers[user]

    def _open(self, user: str | None) -> StreamableHTTPSessionManager:
        server = self._make(user)
        server.streamable_http_app(transport_security=_security(self._hosts), max_sessions=MAX_SESSIONS)
        return server.session_manager


async def _hold(manager: StreamableHTTPSessionManager, *, task_status: TaskStatus[None]) -> None:
    async with manager.run():
        task_status.started()
        await anyio.sleep_forever()


def _security(hosts: tuple[str, ...] | None) -> TransportSecuritySettings:
    from mcp.server.transport_security import TransportSecuritySettings

    if hosts is None:
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    allowed = [name for host in hosts for name in (host, f"{host}:*")]
    origins = [f"{scheme}://{name}" for scheme in ("http", "https") for name in allowed]
    return TransportSecuritySettings(allowed_hosts=allowed, allowed_origins=origins)
