"""Work that goes on beside the requests: begun with the server, repeated, and ended with it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine

from starlette.concurrency import run_in_threadpool

_log = logging.getLogger("averment.http")


@contextlib.asynccontextmanager
async def beside(work: Coroutine[None, None, None]) -> AsyncGenerator[None]:
    """Let work go on for as long as the block runs."""
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def once(work: Callable[[], object], failing: str) -> None:
    """Do something in a thread; where it fails, ``failing`` is logged."""
    try:
        await run_in_threadpool(work)
    except Exception:  # noqa: BLE001  # The top of a task: nobody above could catch it, and the next time may work.
        _log.exception(failing)


async def repeated(work: Callable[[], object], seconds: float, failing: str) -> None:
    """Do something now and every so many seconds, whether it works or not."""
    while True:
        await once(work, failing)
        await asyncio.sleep(seconds)
