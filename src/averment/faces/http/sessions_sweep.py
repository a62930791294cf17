"""While the server runs: sessions whose time is over are ended, at its start and every minute after."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from averment.agents.driller.sessions import Sessions

SWEEP_SECONDS = 60.0
_log = logging.getLogger("averment.http")


@contextlib.asynccontextmanager
async def sweeping(app: FastAPI) -> AsyncGenerator[None]:
    """Sweep the sessions of the served home for as long as the application runs."""
    task = asyncio.create_task(_sweep(app))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _sweep(app: FastAPI) -> None:
    while True:
        try:
            await run_in_threadpool(_sweep_once, app)
        except Exception:  # noqa: BLE001  # The top of a task: nobody above could catch it, and the next sweep may work.
            _log.exception("sessions could not be swept")
        await asyncio.sleep(SWEEP_SECONDS)


def _sweep_once(app: FastAPI) -> None:
    sessions: Sessions = app.state.workbench.sessions
    sessions.sweep()
