"""OAuth for MCP over HTTP: metadata by which a client finds out how to get a token, its registration, and the token.

A user allows the client on a page of this server with their own token; the client exchanges the code, with its PKCE
verifier, for a token of its own that ``averment users revoke`` ends with the user's others.
"""

from __future__ import annotations

import json
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from averment.errors import InvalidRequest
from averment.faces.http.failures import json_response
from averment.workbench import Workbench
from averment.workbench.oauth_codes import OAuthCodes

router = APIRouter(include_in_schema=False)

RESOURCE = "/.well-known/oauth-protected-resource"
SERVER = "/.well-known/oauth-authorization-server"
SCOPE = "averment"
MOST_BYTES = 16_000


@router.get(RESOURCE)
@router.get(f"{RESOURCE}/mcp")
def protected_resource(request: Request) -> Response:
    """Describe how the MCP endpoint is protected and who issues its tokens (RFC 9728)."""
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
    """Describe how to get a token (RFC 8414)."""
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
    """Register a client by its name and addresses (RFC 7591)."""
    try:
        asked = json.loads(await _body(request))
        addresses = [str(each) for each in asked["redirect_uris"]]
    except (ValueError, KeyError, TypeError) as error:
        raise InvalidRequest("A registration must list its redirect_uris.") from error
    name = str(asked.get("client_name") or "A client")[:80]
    document = {"client_id": _codes(request).register(name, addresses), "client_name": name}
    more = {"token_endpoint_auth_method": "none", "grant_types": ["authorization_code"], "response_types": ["code"]}
    return json_response({**document, "redirect_uris": addresses, **more}, 201)


@router.post("/oauth/token")
async def token(request: Request) -> Response:
    """Exchange a code and its verifier for a token; a used code is refused."""
    given = parse_qs((await _body(request)).decode("utf-8", "replace"))
    fields = {name: values[-1] for name, values in given.items()}
    workbench: Workbench = request.app.state.workbench

    def exchanged() -> str | None:
        return _codes(request).exchange(
            workbench.home.users,
            fields.get("code", ""),
            client_id=fields.get("client_id", ""),
            redirect_uri=fields.get("redirect_uri", ""),
            verifier=fields.get("code_verifier", ""),
        )

    made = await run_in_threadpool(exchanged) if fields.get("grant_type") == "authorization_code" else None
    if made is None:
        return json_response({"error": "invalid_grant"}, 400)
    return json_response({"access_token": made, "token_type": "Bearer", "scope": SCOPE})


def _codes(request: Request) -> OAuthCodes:
    codes: OAuthCodes = request.app.state.oauth_codes
    return codes


def _base(request: Request) -> str:
    return f"{request.url.scheme}://{request.headers['host']}"


async def _body(request: Request) -> bytes:
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BYTES:
            raise InvalidRequest("The registration is too long.")
    return body
