"""The page on which a user allows a program to use Averment as them, with their own token."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from fastapi import Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from averment.faces.web.shell.pages import MAX_FORM_BYTES, POLICY, Pages, show
from averment.workbench import Workbench
from averment.workbench.oauth_codes import OAuthCodes

router = Pages()

ASKED = ("client_id", "redirect_uri", "code_challenge", "state")


@router.get("/oauth/authorize")
def authorize(
    request: Request,
    client_id: Annotated[str, Query(max_length=4_000)],
    redirect_uri: Annotated[str, Query(max_length=2_000)],
    code_challenge: Annotated[str, Query(min_length=43, max_length=128)],
    response_type: Annotated[str, Query(pattern="^code$")] = "code",
    code_challenge_method: Annotated[str, Query(pattern="^S256$")] = "S256",
    state: Annotated[str, Query(max_length=2_000)] = "",
) -> Response:
    """The form for the user's token, with who asks and where the answer goes."""
    _ = (response_type, code_challenge_method)
    asked = {"client_id": client_id, "redirect_uri": redirect_uri, "code_challenge": code_challenge, "state": state}
    return _page(request, asked)


@router.post("/oauth/authorize")
async def allow(request: Request) -> Response:
    """The code for the client, where the token is a user's."""
    body = b""
    async for chunk in request.stream():
        body = (body + chunk)[:MAX_FORM_BYTES]
    fields = {name: values[-1] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}
    asked = {name: fields.get(name, "") for name in ASKED}
    codes = _codes(request)
    codes.client(asked["client_id"], asked["redirect_uri"])
    workbench: Workbench = request.app.state.workbench
    token = fields.get("token", "").strip()
    user = await run_in_threadpool(workbench.home.users.holder_of, token) if token else None
    if user is None or not asked["code_challenge"]:
        return _page(request, asked, status=401, wrong=True)
    code = codes.code(
        user, client_id=asked["client_id"], redirect_uri=asked["redirect_uri"], challenge=asked["code_challenge"]
    )
    query = urlencode({"code": code, **({"state": asked["state"]} if asked["state"] else {})})
    divider = "&" if urlsplit(asked["redirect_uri"]).query else "?"
    return RedirectResponse(f"{asked['redirect_uri']}{divider}{query}", status_code=303)


def _codes(request: Request) -> OAuthCodes:
    codes: OAuthCodes = request.app.state.oauth_codes
    return codes


def _page(request: Request, asked: dict[str, str], status: int = 200, **more: Any) -> Response:
    client = _codes(request).client(asked["client_id"], asked["redirect_uri"])
    parts = urlsplit(asked["redirect_uri"])
    page = show(request, "authorize.html", status=status, client=client, host=parts.netloc, asked=asked, **more)
    # A browser holds a form to where its answer leads, too.
    to = f"form-action 'self' {parts.scheme}://{parts.netloc}"
    page.headers["Content-Security-Policy"] = POLICY.replace("form-action 'self'", to)
    return page
