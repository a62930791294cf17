"""The door every request passes: host, origin, token, size; and the headers and errors every answer leaves with.

It is the outermost layer of ours, so it is also where a failure without a name becomes an answer that shows nothing.
"""

from __future__ import annotations

import hmac
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Collection

import anyio
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from averment.errors import AvermentError, PolicyError, RequestTooLarge, RequestTooSlow, TokenRequired, TooManyRequests
from averment.faces.http.failures import error_response, unexpected_response
from averment.faces.http.hosts import check_host, check_origin
from averment.faces.http.limits import Limits
from averment.workbench.for_user import PAGE_USER

DRAIN_BYTES = 8_000_000
DRAIN_SECONDS = 2.0


class LimitedBody:
    """Stands in for a request's ``receive``; a body that is too large or too slow is refused while it arrives."""

    def __init__(self, receive: Receive, headers: Headers, limits: Limits) -> None:
        self._receive = receive
        self._limits = limits
        self._declared = headers.get("content-length", "")
        self._silent = "expect" in headers  # It waits to be told to go on.
        self._ends_at = anyio.current_time() + limits.total_seconds
        self._count = 0
        self._complete = self._declared in {"", "0"} and "transfer-encoding" not in headers

    def check_declared(self) -> None:
        """Refuse a body by the length it declares, before any of it is read.

        Raises:
            RequestTooLarge: it would be over the limit.
        """
        # By its digits first: a number of thousands of digits is not worth reading.
        digits = self._declared.lstrip("0")
        if digits.isdecimal() and (len(digits) > 15 or int(digits) > self._limits.max_body_bytes):
            raise self._too_large()

    async def receive(self) -> Message:
        """The next message of the request.

        Raises:
            RequestTooLarge: more has arrived than one request may hold.
            RequestTooSlow: nothing arrived for too long, or the whole takes too long.
        """
        if self._complete:
            return await self._receive()
        try:
            with anyio.fail_after(min(self._limits.idle_seconds, self._ends_at - anyio.current_time())):
                message = await self._next()
        except TimeoutError as error:
            self._silent = True
            raise RequestTooSlow("The request body did not arrive in time.") from error
        if self._count > self._limits.max_body_bytes:
            raise self._too_large()
        return message

    async def drain(self) -> bool:
        """Throw away what is still coming, but not for long; whether that was all of it.

        A connection closed on unread bytes is reset, and the answer with it; so a client that was refused half-way is
        given a little time to finish. From one that has fallen silent, or waits to be told to go on, nothing will come.
        """
        if not self._complete and not self._silent:
            stop = self._count + DRAIN_BYTES
            with anyio.move_on_after(DRAIN_SECONDS):
                while not self._complete and self._count < stop:
                    await self._next()
        return self._complete

    async def _next(self) -> Message:
        message = await self._receive()
        self._count += len(message.get("body", b""))
        self._complete = message["type"] != "http.request" or not message.get("more_body", False)
        return message

    def _too_large(self) -> RequestTooLarge:
        return RequestTooLarge(f"The request is larger than {self._limits.max_body_bytes:,} bytes.")


REMEMBERED = 4_096
"""Addresses that are counted; of more than these the one that was silent longest is forgotten."""


class AddressPace:
    """Counts what each address does in stretches of time."""

    def __init__(self, most: int, seconds: float, *, now: Callable[[], float] = time.monotonic) -> None:
        self._most, self._seconds, self._now = most, seconds, now
        self._counts: OrderedDict[str, tuple[float, int]] = OrderedDict()
        self._lock = threading.Lock()

    def count(self, client: str) -> None:
        """Count one more.

        Raises:
            TooManyRequests: that was one too many in this stretch.
        """
        now = self._now()
        with self._lock:
            began, number = self._counts.pop(client, (now, 0))
            if now - began >= self._seconds:
                began, number = now, 0
            self._counts[client] = (began, number + 1)
            while len(self._counts) > REMEMBERED:
                self._counts.popitem(last=False)
        if number >= self._most:
            wait = max(1, round(began + self._seconds - now))
            raise TooManyRequests(
                f"More than {self._most:,} requests came from one address in {self._seconds:.0f} seconds.",
                details={"retry_after_seconds": wait},
            )


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
