"""While the server runs: sessions are swept, MCP sessions are held, conversations looked after, reminders rung."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from averment.faces.http.sessions_sweep import sweeping
from averment.tools.mcp_http import McpEndpoint
from averment.workbench import Workbench
from averment.workbench.reminding import LOOK_SECONDS

EVERY_SECONDS = 3_600.0
_log = logging.getLogger("averment.http")


@contextlib.asynccontextmanager
async def living(app: FastAPI) -> AsyncGenerator[None]:
    """Everything that goes on beside the requests, from the application's start to its end."""
    endpoint: McpEndpoint = app.state.mcp
    async with sweeping(app), endpoint.running(), _tidying(app.state.workbench), _ringing(app.state.workbench):
        yield


@contextlib.asynccontextmanager
async def _ringing(workbench: Workbench) -> AsyncGenerator[None]:
    """Reminders come while the server runs; what came while it did not, comes at its start."""
    task = asyncio.create_task(_ring(workbench))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _ring(workbench: Workbench) -> None:
    while True:
        try:
            await run_in_threadpool(workbench.reminders.ring)
        except Exception:  # noqa: BLE001  # The top of a task: nobody above could catch it, and the next look may work.
            _log.exception("reminders could not be rung")
        await asyncio.sleep(LOOK_SECONDS)


@contextlib.asynccontextmanager
async def _tidying(workbench: Workbench) -> AsyncGenerator[None]:
    task = asyncio.create_task(_tidy(workbench))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _tidy(workbench: Workbench) -> None:
    try:
        await run_in_threadpool(_finish, workbench)
    except Exception:  # noqa: BLE001  # The top of a task: nobody above could catch it.
        _log.exception("messages that were left could not be answered")
    while True:
        try:
            await run_in_threadpool(_delete_expired, workbench)
        except Exception:  # noqa: BLE001  # As above; and the next time may work.
            _log.exception("old conversations could not be deleted")
        await asyncio.sleep(EVERY_SECONDS)


def _finish(workbench: Workbench) -> None:
    """Answer the messages over which an earlier server died."""
    if workbench.assistant.conversations.unfinished():
        workbench.assistant.recover()


def _delete_expired(workbench: Workbench) -> None:
    workbench.assistant.conversations.delete_expired()
