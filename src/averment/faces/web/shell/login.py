"""Coming in by the token that the server prints or by one's own, going out, and choosing light or dark."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import parse_qs

from fastapi import Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.faces.web.shell.page_access import Fields
from averment.faces.web.shell.pages import (
    MAX_FORM_BYTES,
    THEME_COOKIE,
    THEMES,
    Pages,
    go,
    own_path,
    sessions_of,
    show,
)
from averment.store.chat.users import digest_of
from averment.workbench import Workbench

router = Pages()

YEAR_SECONDS = 31_536_000


@router.get("/login")
async def login(
    request: Request,
    token: Annotated[str, Query(max_length=200)] = "",
    to: Annotated[str, Query(alias="next", max_length=2000)] = "/home",
) -> Response:
    """The form for the token; a link that holds the token needs no form."""
    if token and (digest := await run_in_threadpool(_admitted, request, token)) is not None:
        return _begin(request, to, digest)
    return show(request, "login.html", status=401, to=own_path(to), wrong=bool(token))


@router.post("/login")
async def enter(request: Request) -> Response:
    """Begin a session, if the token is right."""
    body = b""
    async for chunk in request.stream():
        body = (body + chunk)[:MAX_FORM_BYTES]
    fields = parse_qs(body.decode("utf-8", "replace"))
    to = fields.get("next", ["/home"])[-1]
    digest = await run_in_threadpool(_admitted, request, fields.get("token", [""])[-1].strip())
    if digest is not None:
        return _begin(request, to, digest)
    return show(request, "login.html", status=401, to=own_path(to), wrong=True)


@router.acts("/logout")
def leave(request: Request) -> Response:
    """End the session in this browser."""
    answer = go("/login")
    answer.delete_cookie(sessions_of(request).cookie_name, path="/")
    return answer


@router.post("/theme")
def choose_theme(fields: Fields) -> Response:
    """Keep light, dark or as the system has it."""
    answer = go(fields.get("next", "/home"))
    theme = fields.get("theme", "auto")
    chosen = theme if theme in THEMES else "auto"
    answer.set_cookie(THEME_COOKIE, chosen, max_age=YEAR_SECONDS, path="/", samesite="strict", httponly=True)
    return answer


def _admitted(request: Request, token: str) -> str | None:
    """Empty for the server's own token, the digest of a user's; None for any other."""
    if sessions_of(request).admits(token):
        return ""
    workbench: Workbench = request.app.state.workbench
    return digest_of(token) if token and workbench.home.users.user_of(token) is not None else None


def _begin(request: Request, to: str, digest: str) -> Response:
    sessions = sessions_of(request)
    answer = go(to)
    answer.set_cookie(sessions.cookie_name, sessions.begin(digest), path="/", samesite="strict", httponly=True)
    return answer
