"""Putting the pages into the application that the HTTP face serves."""

from __future__ import annotations

from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute

from averment.faces.web.chat import reminder_pages, tasks, thread
from averment.faces.web.data import dataset_edit, dataset_pages, document_pages, recipe_pages
from averment.faces.web.drill import drills, files_step, metric_step, tables_step
from averment.faces.web.runs import ledger_pages, run_actions, run_pages, run_parts, run_tabs, source_rows
from averment.faces.web.shell import assets, authorize, login, settings
from averment.faces.web.shell.forms import Uploads
from averment.faces.web.shell.pages import install_faults
from averment.faces.web.shell.session import PageSessions
from averment.faces.web.shell.threshold import Threshold
from averment.operations import Operations
from averment.workbench import Workbench

PARTS = (
    assets,
    authorize,
    login,
    thread,
    run_pages,
    run_parts,
    run_tabs,
    run_actions,
    tasks,
    reminder_pages,
    recipe_pages,
    document_pages,
    ledger_pages,
    settings,
    drills,
    files_step,
    tables_step,
    metric_step,
    dataset_pages,
    dataset_edit,
    source_rows,
)


def first_parts() -> frozenset[str]:
    """What the paths of pages begin with: what has a form there is a page's, and not a program's."""
    routes = (route for part in PARTS for route in part.router.routes)
    return frozenset(route.path.split("/")[1] for route in routes if isinstance(route, APIRoute))


def install_pages(app: FastAPI, workbench: Workbench, *, token: str, uploads: Uploads[Any]) -> None:
    """Add every page and what lets a browser in; to be called after the door is in its place."""
    sessions = PageSessions(token)
    app.state.page_sessions = sessions
    app.state.page_archive = Operations(workbench)
    app.state.page_uploads = uploads
    for part in PARTS:
        app.include_router(part.router)
    install_faults(app)
    users = workbench.home.users.user_by_digest
    app.add_middleware(Threshold, token=token, sessions=sessions, users=users, pages=first_parts())
