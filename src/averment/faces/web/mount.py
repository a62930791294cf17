"""Putting the pages into the application that the HTTP face serves."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Any

from fastapi import FastAPI

from averment.faces.web import assets, chat, home, ledger, login, recipes, run_acts, run_parts, runs, sources, tasks
from averment.faces.web.archive import Archive
from averment.faces.web.forms import Uploads
from averment.faces.web.session import Sessions
from averment.faces.web.threshold import Threshold
from averment.workbench import Workbench


def install_pages(app: FastAPI, workbench: Workbench, *, token: str, uploads: Uploads[Any]) -> None:
    """Add every page and what lets a browser in; to be called after the door is in its place."""
    sessions, archive = Sessions(token), Archive(workbench.settings)
    app.state.page_sessions = sessions
    app.state.page_archive = archive
    app.state.page_uploads = uploads
    for part in (assets, login, home, runs, run_parts, run_acts, chat, tasks, recipes, sources, ledger):
        app.include_router(part.router)
    app.add_middleware(Threshold, token=token, sessions=sessions)
    inner = app.router.lifespan_context

    @contextlib.asynccontextmanager
    async def living(served: Any) -> AsyncGenerator[Any]:
        async with inner(served) as state:
            try:
                yield state
            finally:
                archive.close()

    app.router.lifespan_context = living
