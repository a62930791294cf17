"""OAuth for MCP over HTTP: metadata by which a client finds out how to get a token, and the code flow that gives one.

A user signs in with their own token on a page of this server and allows the client; the client exchanges the code,
with its PKCE verifier, for a token of its own that `averment users revoke` ends with the user's others. Nothing is
kept for it but that token: codes and client ids carry what they stand for, sealed, and a code is good once.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from typing import Annotated, Any
from urllib.parse import parse_qs, urlencode, urlsplit

from fastapi import APIRouter, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from averment.errors import InvalidRequest
from averment.faces.http.failures import json_response
from averment.faces.web.pages import POLICY, show
from averment.workbench import Workbench

router = APIRouter(include_in_schema=False)

RESOURCE = "/.well-known/oauth-protected-resource"
SERVER = "/.well-known/oauth-authorization-server"
SCOPE = "averment"
CODE_SECONDS = 120
MOST_BYTES = 16_000
CODE = "oauth_code"


@router.get(RESOURCE)
@router.get(f"{RESOURCE}/mcp")
def protected_resource(request: Request) -> Response:
    """What protects the MCP endpoint, and who gives tokens for it (RFC 9728)."""
    base = _base(request)
    return json_response(
        {
            "resource": f"{base}/mcp",
            "authorization_servers": [base],
            "bearer_methods_supported": ["header"],
            "scopes_supported": [SCOPE],
            "resource_name": "Averment",
        }
    )


@router.get(SERVER)
def authorization_server(request: Request) -> Response:
    """How a token is got (RFC 8414)."""
    base = _base(request)
    return json_response(
        {
            "issuer": base,
            "authorization_endpoint": f"{base}/oauth/authorize",
            "token_endpoint": f"{base}/oauth/token",
            "registration_endpoint": f"{base}/oauth/register",
            "response_types_supported": ["code"],
            "grant_types_supported": ["authorization_code"],
            "token_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "scopes_supported": [SCOPE],
        }
    )


@router.post("/oauth/register")
async def register(request: Request) -> Response:
    """A client id for a client's name and addresses (RFC 7591); it carries them, so nothing is kept."""
    try:
        asked = json.loads(await _body(request))
        addresses = [_address(str(each)) for each in asked["redirect_uris"]][:8]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidRequest("A registration names its redirect_uris.") from error
    name = str(asked.get("client_name") or "A client")[:80]
    client = _sealed(request, {"name": name, "to": addresses})
    document = {"client_id": client, "client_name": name, "redirect_uris": addresses}
    more = {"token_endpoint_auth_method": "none", "grant_types": ["authorization_code"], "response_types": ["code"]}
    return json_response({**document, **more}, 201)


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
    """The page on which a user allows a client, with their token."""
    _ = (response_type, code_challenge_method)
    client = _client(request, client_id, redirect_uri)
    asked = {"client_id": client_id, "redirect_uri": redirect_uri, "code_challenge": code_challenge, "state": state}
    return _page(request, client, asked)


@router.post("/oauth/authorize")
async def allow(request: Request) -> Response:
    """The code for the client, where the token is a user's."""
    fields = _fields(await _body(request))
    client = _client(request, fields.get("client_id", ""), fields.get("redirect_uri", ""))
    workbench: Workbench = request.app.state.workbench
    token = fields.get("token", "").strip()
    user = await run_in_threadpool(workbench.users.holder_of, token) if token else None
    asked = {name: fields.get(name, "") for name in ("client_id", "redirect_uri", "code_challenge", "state")}
    if user is None or not asked["code_challenge"]:
        return _page(request, client, asked, status=401, wrong=True)
    code = _sealed(
        request,
        {
            "user": user.user_id,
            "group": user.group,
            "to": asked["redirect_uri"],
            "client": asked["client_id"],
            "challenge": asked["code_challenge"],
            "until": int(time.time()) + CODE_SECONDS,
            "once": secrets.token_urlsafe(12),
        },
    )
    query = urlencode({"code": code, **({"state": asked["state"]} if asked["state"] else {})})
    divider = "&" if urlsplit(asked["redirect_uri"]).query else "?"
    return RedirectResponse(f"{asked['redirect_uri']}{divider}{query}", status_code=303)


@router.post("/oauth/token")
async def token(request: Request) -> Response:
    """A token of the client's own, for a code and its verifier; a code that was used is refused."""
    fields = _fields(await _body(request))
    found = _opened(request, fields.get("code", ""))
    verifier = hashlib.sha256(fields.get("code_verifier", "").encode()).digest()
    challenge = base64.urlsafe_b64encode(verifier).rstrip(b"=").decode()
    fits = (
        fields.get("grant_type") == "authorization_code"
        and found is not None
        and found.get("until", 0) >= time.time()
        and found.get("to") == fields.get("redirect_uri")
        and found.get("client") == fields.get("client_id")
        and hmac.compare_digest(str(found.get("challenge")), challenge)
    )
    if not fits or found is None:
        return json_response({"error": "invalid_grant"}, 400)
    workbench: Workbench = request.app.state.workbench
    made = await run_in_threadpool(_exchanged, workbench, found)
    if made is None:
        return json_response({"error": "invalid_grant"}, 400)
    return json_response({"access_token": made, "token_type": "Bearer", "scope": SCOPE})


def _page(request: Request, client: dict[str, Any], asked: dict[str, str], status: int = 200, **more: Any) -> Response:
    parts = urlsplit(asked["redirect_uri"])
    page = show(request, "authorize.html", status=status, client=client["name"], host=parts.netloc, asked=asked, **more)
    # A browser holds the form to where its answer leads, too.
    to = f"form-action 'self' {parts.scheme}://{parts.netloc}"
    page.headers["Content-Security-Policy"] = POLICY.replace("form-action 'self'", to)
    return page


def _exchanged(workbench: Workbench, found: dict[str, Any]) -> str | None:
    once = f"{found['once']}:{secrets.token_urlsafe(8)}"
    if not workbench.users.claim(CODE, str(found["once"]), once):
        return None  # It was used: a claim is the first one's alone.
    return workbench.users.add(str(found["user"]), group=found["group"])


def _base(request: Request) -> str:
    return f"{request.url.scheme}://{request.headers['host']}"


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise InvalidRequest("That is too long.")
    return body


def _fields(body: bytes) -> dict[str, str]:
    return {name: values[-1] for name, values in parse_qs(body.decode("utf-8", "replace")).items()}


def _address(given: str) -> str:
    """An address that a code may be sent to: over TLS, or on the user's own machine.

    Raises:
        ValueError: it is none.
    """
    parts = urlsplit(given)
    local = parts.hostname in {"127.0.0.1", "localhost", "::1"}
    if not (parts.scheme == "https" or (parts.scheme == "http" and local)) or parts.fragment or not parts.hostname:
        raise ValueError("not an address for a code")
    return given


def _client(request: Request, client_id: str, redirect_uri: str) -> dict[str, Any]:
    """Who a client id stands for.

    Raises:
        InvalidRequest: it was not given here, or not for that address.
    """
    found = _opened(request, client_id)
    if found is None or redirect_uri not in found.get("to", ()):
        raise InvalidRequest("No client of that id may be answered there.")
    return found


def _sealed(request: Request, body: dict[str, Any]) -> str:
    text = base64.urlsafe_b64encode(json.dumps(body, sort_keys=True).encode()).rstrip(b"=").decode()
    return f"{text}.{_mac(request, text)}"


def _opened(request: Request, given: str) -> dict[str, Any] | None:
    text, _, mac = given.partition(".")
    if not text or not hmac.compare_digest(mac.encode(), _mac(request, text).encode()):
        return None
    found: dict[str, Any] = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    return found


def _mac(request: Request, text: str) -> str:
    key: bytes = request.app.state.oauth_key
    return hmac.new(key, f"averment oauth:{text}".encode(), hashlib.sha256).hexdigest()
