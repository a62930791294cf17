"""While the server runs: sessions are swept, MCP sessions are held, conversations looked after, reminders rung."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator

from fastapi import FastAPI

from averment.faces.http.beside import beside, once, repeated
from averment.faces.http.sessions_sweep import sweeping
from averment.tools.mcp_http import McpEndpoint
from averment.workbench import Workbench
from averment.workbench.reminding import LOOK_SECONDS

EVERY_SECONDS = 3_600.0


@contextlib.asynccontextmanager
async def living(app: FastAPI) -> AsyncGenerator[None]:
    """Everything that goes on beside the requests, from the application's start to its end."""
    endpoint: McpEndpoint = app.state.mcp
    workbench: Workbench = app.state.workbench
    async with sweeping(app), endpoint.running(), beside(_tidy(workbench)), beside(_ring(workbench)):
        yield


async def _ring(workbench: Workbench) -> None:
    """Reminders come while the server runs; what came while it did not, comes at its start."""
    await repeated(lambda: workbench.home.reminders.ring(), LOOK_SECONDS, "reminders could not be rung")


async def _tidy(workbench: Workbench) -> None:
    await once(lambda: _finish(workbench), "messages that were left could not be answered")
    await repeated(lambda: _delete_expired(workbench), EVERY_SECONDS, "old conversations could not be deleted")


def _finish(workbench: Workbench) -> None:
    """Answer the messages over which an earlier server died."""
    if workbench.assistant.conversations.unfinished():
        workbench.assistant.recover()


def _delete_expired(workbench: Workbench) -> None:
    workbench.assistant.conversations.delete_expired()
