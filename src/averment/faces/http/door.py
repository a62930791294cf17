"""The door every request passes: host, origin, token, size; and the headers and errors every answer leaves with.

It is the outermost layer of ours, so it is also where a failure without a name becomes an answer that shows nothing.
"""

from __future__ import annotations

import hmac
import logging
from collections.abc import Callable, Collection

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from averment.errors import AvermentError, PolicyError, TokenRequired
from averment.faces.http.body import LimitedBody
from averment.faces.http.failures import error_response, unexpected_response
from averment.faces.http.hosts import check_host, check_origin
from averment.faces.http.limits import Limits
from averment.faces.http.pace import AddressPace
from averment.workbench.for_user import PAGE_USER

USER = "averment_user"
"""Under which name a request's state says whose it is; None: the owner's."""
FOR_USERS = frozenset({"v1", "mcp"})
"""Where a user's own token opens: what is for programs, and there only what is theirs."""
OAUTH_PATHS = frozenset(
    {
        "/.well-known/oauth-protected-resource",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/oauth-authorization-server",
        "/oauth/register",
        "/oauth/authorize",
        "/oauth/token",
    }
)
OPEN_PATHS = frozenset({"/health"})
SAFE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_log = logging.getLogger("averment.http")


class Door:
    """Lets a request in or refuses it, and sees every answer out."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: str,
        host: str,
        limits: Limits,
        names: Collection[str] = (),
        users: Callable[[str], str | None] | None = None,
    ) -> None:
        self._app = app
        self._token = token.encode()
        self._host = host
        self._names = names
        self._limits = limits
        self._asking = AddressPace(limits.requests_in_ten_seconds, 10.0)
        self._guessing = AddressPace(limits.guesses_a_minute, 60.0)
        self._users = users

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, or the application's own start and stop; there are no web sockets here."""
        if scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await self._app(scope, receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(scope=scope)
        body = LimitedBody(receive, headers, self._limits)
        answer = _Answer(send, body)
        try:
            await self._admit(scope, headers)
            body.check_declared()
            await self._app(scope, body.receive, answer.send)
        except ClientDisconnect:
            return
        except AvermentError as error:
            if answer.started:
                raise
            response = error_response(error)
            if isinstance(error, TokenRequired):
                response.headers["WWW-Authenticate"] = _challenge(scope, headers)
            await response(scope, body.receive, answer.send)
        except Exception:
            if answer.started:
                raise
            _log.exception("%s %r failed", scope["method"], scope["path"])
            await unexpected_response()(scope, body.receive, answer.send)

    async def _admit(self, scope: Scope, headers: Headers) -> None:
        """Let in whoever has the server's token, or a user's own; the routes are told who it is."""
        host = check_host(headers.getlist("host"), self._host, self._names)
        check_origin(headers.getlist("origin"), host)
        scope.setdefault("state", {})[USER] = None
        if scope["path"] in OPEN_PATHS:
            return
        client = str((scope.get("client") or ("",))[0])
        if scope["path"] in OAUTH_PATHS:
            # Whoever asks how to get a token has none; a token that is tried there is looked at there.
            self._asking.count(client)
            return
        given = self._given(scope, headers)
        if given is not None and hmac.compare_digest(given, self._token):
            self._asking.count(client)
            scope["state"][USER] = scope.get(PAGE_USER)
            return
        user = None
        if given is not None and self._users is not None:
            user = await run_in_threadpool(self._users, given.decode("utf-8", "replace"))
        if user is None:
            self._guessing.count(client)
            raise TokenRequired("The request does not carry this server's token.")
        self._asking.count(client)
        if scope["path"].split("/")[1] not in FOR_USERS:
            raise PolicyError(
                "Only the owner of this home can open its pages.", hint="Use the API, MCP or the chat endpoint."
            )
        scope["state"][USER] = user

    def _given(self, scope: Scope, headers: Headers) -> bytes | None:
        """The token as it was sent: in its header, or in the address of a request that only looks."""
        authorization = headers.getlist("authorization")
        if authorization:
            kind, _, credential = authorization[0].partition(" ")
            right_kind = len(authorization) == 1 and kind.lower() == "bearer"
            return credential.strip().encode("latin-1") if right_kind else None
        if scope["method"] != "GET":
            return None
        tokens = QueryParams(scope["query_string"]).getlist("token")
        return tokens[0].encode("utf-8", "replace") if len(tokens) == 1 else None


def _challenge(scope: Scope, headers: Headers) -> str:
    """How to come in; an MCP client is told where it finds out how to get a token."""
    if scope["path"] != "/mcp":
        return "Bearer"
    base = f"{scope.get('scheme', 'http')}://{headers.get('host', '')}"
    return f'Bearer resource_metadata="{base}/.well-known/oauth-protected-resource/mcp"'


class _Answer:
    """Stands in for a request's ``send``: adds the safe headers, and is rid of a body that nobody reads."""

    def __init__(self, send: Send, body: LimitedBody) -> None:
        self._send = send
        self._body = body
        self.started = False

    async def send(self, message: Message) -> None:
        """Pass a message on; the first one carries the headers."""
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(scope=message)
            for name, value in SAFE_HEADERS.items():
                headers.setdefault(name, value)
            if not await self._body.drain():
                headers["Connection"] = "close"
        await self._send(message)
