"""Putting the pages into the application that the HTTP face serves."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI

from averment.archive import Archive
from averment.faces.web import (
    assets,
    authorize,
    data,
    data_edit,
    drill_routes,
    ledger,
    login,
    recipes,
    reminders,
    rows,
    run_acts,
    run_parts,
    run_tabs,
    runs,
    settings,
    sources,
    tasks,
    thread,
)
from averment.faces.web.forms import Uploads
from averment.faces.web.pages import install_faults
from averment.faces.web.session import Sessions
from averment.faces.web.threshold import Threshold
from averment.workbench import Workbench

PARTS = (
    assets,
    authorize,
    login,
    thread,
    runs,
    run_parts,
    run_tabs,
    run_acts,
    tasks,
    reminders,
    recipes,
    sources,
    ledger,
    settings,
    drill_routes,
    data,
    data_edit,
    rows,
)


def install_pages(app: FastAPI, workbench: Workbench, *, token: str, uploads: Uploads[Any]) -> None:
    """Add every page and what lets a browser in; to be called after the door is in its place."""
    sessions = Sessions(token)
    app.state.page_sessions = sessions
    app.state.page_archive = Archive(workbench)
    app.state.page_uploads = uploads
    for part in PARTS:
        app.include_router(part.router)
    install_faults(app)
    app.add_middleware(Threshold, token=token, sessions=sessions, users=workbench.home.users.user_by_digest)
