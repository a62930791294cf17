"""Putting the pages into the application that the HTTP face serves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, QueryParams
from starlette.requests import cookie_parser
from starlette.types import ASGIApp, Receive, Scope, Send

from averment.faces.web.chat import reminder_pages, tasks, thread
from averment.faces.web.data import dataset_edit, dataset_pages, document_pages, recipe_pages
from averment.faces.web.drill import drills, files_step, metric_step, tables_step
from averment.faces.web.runs import ledger_pages, run_actions, run_pages, run_parts, run_tabs, source_rows
from averment.faces.web.shell import assets, authorize, login, settings
from averment.faces.web.shell.forms import Uploads
from averment.faces.web.shell.pages import install_faults
from averment.faces.web.shell.session import PageSessions
from averment.operations import Operations
from averment.workbench import Workbench
from averment.workbench.for_user import PAGE_USER

LOGIN = "/login"
HOME = "/home"
API = frozenset({"v1", "mcp", "health", "metrics", "openapi.json"})
"""What is for programs: whoever has no session is refused there, and not led to the login."""
LOOKING = frozenset({"GET", "HEAD"})


class Threshold:
    """Turns a session into the token the door asks for, and whoever has none to the login page."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        sessions: PageSessions,
        users: Callable[[str], str | None],
        pages: frozenset[str],
    ) -> None:
        """``users`` says who has a token of that digest, None where it was revoked; ``pages`` begin paths of pages."""
        self._users = users
        self._pages = pages
        self._app = app
        self._bearer = (b"authorization", b"Bearer " + token.encode())
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on to the door, which checks it as any other."""
        if scope["type"] == "http":
            headers = Headers(scope=scope)
            if "authorization" not in headers:
                scope = await self._led(scope, headers)
        await self._app(scope, receive, send)

    async def _led(self, scope: Scope, headers: Headers) -> Scope:
        path, method = str(scope["path"]), str(scope["method"])
        cookie = cookie_parser(headers.get("cookie", "")).get(self._sessions.cookie_name)
        shows_pages = "text/html" in headers.get("accept", "")
        is_page = path.split("/")[1] in self._pages if path.startswith("/") else False
        if path.startswith(("/oauth/", "/.well-known/")):
            return scope
        if path == LOGIN or path.startswith("/static/"):
            return self._admitted(scope)
        holds = self._sessions.holds(cookie)
        digest = self._sessions.digest(cookie) if holds and cookie else ""
        if digest:
            user = await run_in_threadpool(self._users, digest)
            # Whoever was revoked has no session any more.
            holds = user is not None
            scope = {**scope, PAGE_USER: user}
        if holds:
            if path == "/" and shows_pages:
                return self._admitted(scope, path=HOME)
            return self._admitted(scope) if is_page or method in LOOKING else scope
        if shows_pages and (is_page or path == "/" or path.split("/")[1] not in API):
            given = QueryParams(scope["query_string"]).get("token", "")
            there = path if method in LOOKING and path != "/" else HOME
            query = urlencode({"next": there, **({"token": given} if given else {})})
            return self._admitted(scope, path=LOGIN, query=query, method="GET")
        return scope

    def _admitted(self, scope: Scope, *, path: str | None = None, query: str | None = None, method: str = "") -> Scope:
        changed = {**scope, "headers": [*scope["headers"], self._bearer]}
        if path is not None:
            changed |= {"path": path, "raw_path": path.encode()}
        if query is not None:
            changed["query_string"] = query.encode()
        if method:
            changed["method"] = method
        return changed


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
