"""What every page has: its templates, its headers, its form token, and an error that is a page as well."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from datetime import datetime
from functools import lru_cache
from typing import Any, TypeVar, cast
from urllib.parse import parse_qsl

from fastapi import APIRouter, Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse, Response

from averment import __version__
from averment.errors import (
    AvermentError,
    InvalidRequest,
    MethodNotAllowed,
    OriginRefused,
    RequestTooLarge,
    RouteNotFound,
)
from averment.errors.extras import is_installed
from averment.faces.web.shell.session import PageSessions
from averment.records.analysis import ENDED
from averment.records.export_formats import MEDIA_TYPES
from averment.reports.export import export_formats
from averment.workbench import Workbench
from averment.workbench.for_user import PAGE_USER

WORDS: dict[str, str] = {
    "submitted": "waiting",
    "planning": "planning",
    "executing": "running",
    "completed": "done",
    "partial_success": "done in part",
    "failed": "failed",
    "abstained": "no answer",
    "clarification_needed": "needs a choice",
    "cancelled": "stopped",
    "waiting": "waiting",
    "running": "running",
    "done": "done",
    "skipped": "left out",
    "pending": "pending",
    "investigating": "being tested",
    "confirmed": "confirmed",
    "ruled_out": "ruled out",
    "analysis": "Analysis",
    "drilldown": "Drill-down",
    "research": "Research",
    "chat": "Chat",
    "sql.run": "query",
    "df.transform": "transformation",
    "plot.render": "chart",
    "profiler.analyze": "profile",
    "python.run": "Python",
    "metric.attribute": "attribution",
    "search.corpus": "search",
    "document.answer": "answer",
    "search.web": "web search",
    "page.read": "reading",
}


POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
THEMES = ("auto", "light", "dark")
THEME_COOKIE = "averment_theme"
MAX_FORM_BYTES = 64_000
_log = logging.getLogger("averment.web")
Handler = TypeVar("Handler", bound=Callable[..., Any])
_TOKEN_FIELD = Markup('<input type="hidden" name="form_token" value="{}">')
PLACES = (
    ("/home", "Ask"),
    ("/data", "Data"),
    ("/drill", "Investigations"),
    ("/sources", "Research"),
    ("/runs", "Library"),
)
DOORS = (("/ledger", "Ledger"), ("/recipes", "Recipes and taught words"), ("/settings", "Settings"))
"""What is behind the door at the end of the navigation."""
OWN = frozenset({"/home", "/data", "/runs"})
"""What is a user's own; the rest is the owner's and is refused to them."""


def bench_of(request: Request) -> Workbench:
    """The workbench this application serves, or the part of it that is the user's who is at the page."""
    workbench: Workbench = request.app.state.workbench
    user = page_user(request)
    return workbench if user is None else cast(Workbench, request.app.state.benches.of(user))


def page_user(request: Request) -> str | None:
    """Whose page it is; None for the owner's."""
    user: str | None = request.scope.get(PAGE_USER)
    return user


def sessions_of(request: Request) -> PageSessions:
    """The sessions of this server."""
    sessions: PageSessions = request.app.state.page_sessions
    return sessions


def show(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """A template as a page; a script that asks for a part alone gets the part without the frame around it."""
    sessions = sessions_of(request)
    cookie = request.cookies.get(sessions.cookie_name)
    theme = request.cookies.get(THEME_COOKIE, "auto")
    form_token = sessions.form_token(cookie) if cookie and sessions.holds(cookie) else ""
    frame: dict[str, Any] = {
        "part": wants_part(request),
        "path": request.url.path,
        "places": _open_to(request, PLACES),
        "doors": _open_to(request, DOORS),
        "is_at": lambda address: _is_at(request.url.path, address),
        "has_extra": _has_extra,
        "added_exports": lambda: export_formats()[len(MEDIA_TYPES) :],
        "theme": theme if theme in THEMES else "auto",
        "form_token": form_token,
        "token_field": lambda: _TOKEN_FIELD.format(form_token),
        "version": __version__,
        "words": WORDS,
        "over": ENDED,
    }
    body = _environment().get_template(template).render({**frame, **values})
    # Under no-referrer a browser says of our own forms that they come from nowhere, and the door would refuse them.
    headers = {"Content-Security-Policy": POLICY, "Referrer-Policy": "same-origin", "Vary": "X-Part, Cookie"}
    return Response(body, status_code=status, media_type="text/html; charset=utf-8", headers=headers)


def _open_to(request: Request, places: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return places if page_user(request) is None else tuple(place for place in places if place[0] in OWN)


def _is_at(path: str, address: str) -> bool:
    """Whether a page belongs to a place of the navigation; threads and tasks belong to Ask."""
    place = "/home" if path.startswith(("/chat/", "/tasks")) else path
    return place == address or place.startswith(f"{address}/")


@lru_cache
def _has_extra(name: str) -> bool:
    """Whether an extra is installed; what needs another one is not offered, or says how to get it."""
    return is_installed(name)


def wants_part(request: Request) -> bool:
    """Whether one of our scripts asks for a part of a page."""
    return request.headers.get("x-part") == "1"


def go(to: str) -> Response:
    """To another page of ours, after a form."""
    return RedirectResponse(own_path(to), status_code=303)


def own_path(given: str) -> str:
    """The path if it is one of this server's, else home: no form leads elsewhere."""
    is_own = given.startswith("/") and not given.startswith(("//", "/\\")) and given.isprintable()
    return given if is_own else "/home"


async def read_fields(request: Request) -> dict[str, str]:
    """The fields of a small form that this session's page made, each once; as ``read_form``."""
    return await read_form(request, most_bytes=MAX_FORM_BYTES, most_fields=50)


async def read_form(request: Request, *, most_bytes: int, most_fields: int) -> dict[str, str]:
    """The fields of a form that this session's page made, each once.

    Raises:
        OriginRefused: the form has no token of this session.
        RequestTooLarge, InvalidRequest: it is no form of that size.
    """
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > most_bytes:
            raise RequestTooLarge(f"This form has at most {most_bytes:,} bytes.")
    try:
        fields = dict(parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=most_fields))
    except ValueError as error:
        raise InvalidRequest("The form cannot be read.") from error
    check_form(request, fields.pop("form_token", ""))
    return fields


def check_form(request: Request, form_token: str) -> None:
    """Refuse a form that this session's page did not make.

    Raises:
        OriginRefused: it did not.
    """
    sessions = sessions_of(request)
    if not sessions.is_own_form(request.cookies.get(sessions.cookie_name), form_token):
        raise OriginRefused("The form does not come from a page of this session.", hint="Reload the page.")


class Pages(APIRouter):
    """Routes that answer with pages, and are no part of ``/openapi.json``."""

    def __init__(self) -> None:
        super().__init__(route_class=PageRoute, include_in_schema=False)

    def acts(self, path: str) -> Callable[[Handler], Handler]:
        """A form that says nothing but that it is to be done, and that a page of the session made."""
        return self.post(path, dependencies=[Depends(read_fields)])


class Elsewhere(Exception):
    """Raised on the way to a page: what is asked for is on another one now."""

    def __init__(self, to: str) -> None:
        super().__init__(to)
        self.to = to


class PageRoute(APIRoute):
    """A route whose errors are pages."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The route's handler, with its errors shown."""
        handle = super().get_route_handler()

        async def handled(request: Request) -> Response:
            try:
                return await handle(request)
            except Elsewhere as moved:
                return go(moved.to)
            except AvermentError as error:
                return show_error(request, error)
            except RequestValidationError:
                return show_error(request, InvalidRequest("The address or the form does not fit."))
            except (ClientDisconnect, HTTPException):
                raise
            except Exception:  # noqa: BLE001  # The top of a page: what has no name is shown as a page as well.
                _log.exception("%s %r failed", request.method, request.url.path)
                hint = "The server's own output has the details; report it if it persists."
                return show_error(request, AvermentError("Something failed that should not have failed.", hint=hint))

        return handled


def show_error(request: Request, error: AvermentError) -> Response:
    """An error as a page, with its own status."""
    return show(request, "error.html", status=error.http_status, error=error.as_dict())


def install_faults(app: FastAPI) -> None:
    """Answer a browser that asks for what is not there with a page; programs get what they got before."""
    inner: Any = app.exception_handlers[HTTPException]

    async def by_status(request: Request, error: Exception) -> Response:
        asks_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1/")
        if isinstance(error, HTTPException) and asks_page and error.status_code in {404, 405}:
            if error.status_code == 404:
                return show_error(
                    request, RouteNotFound("Nothing is under that address.", hint="It may have been forgotten.")
                )
            return show_error(request, MethodNotAllowed("That address is not asked in this way."))
        answer: Response = await inner(request, error)
        return answer

    app.add_exception_handler(HTTPException, by_status)


@lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("averment.faces.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["moment"] = _moment
    environment.filters["clock"] = lambda value: f"{value:%H:%M}"
    environment.filters["short"] = lambda digest: str(digest)[:12]
    return environment


def _moment(value: str | datetime) -> str:
    """A time as a person reads it, in UTC."""
    text = value.isoformat() if isinstance(value, datetime) else value
    return f"{text[:10]} {text[11:16]} UTC"
