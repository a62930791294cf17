"""``averment serve``: the application on a socket of this machine, until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import socket
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Generator
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from averment.errors import InvalidSettings
from averment.faces.http.app import create_app
from averment.faces.http.hosts import is_local, url_host
from averment.settings import Settings
from averment.workbench import Workbench

HEAD_SECONDS = 15.0
"""Time for the head of a request, from its first byte or from the connection's beginning."""


class PatientProtocol(H11Protocol):
    """HTTP/1.1 with an end to waiting for heads."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """A client has come; its first head is awaited."""
        super().connection_made(transport)
        self._await_head()

    def data_received(self, data: bytes) -> None:
        """Bytes have come: once a head is whole nothing is awaited, while one is not the clock goes on."""
        super().data_received(data)
        if self._is_served():
            self._stop_waiting()
        elif self._waiting is None:
            self._await_head()

    def on_response_complete(self) -> None:
        """An answer is out; what comes next is bounded by the time between requests until its first byte."""
        self._stop_waiting()
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client has gone."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _is_served(self) -> bool:
        cycle: Any = self.cycle
        return cycle is not None and not cycle.response_complete

    def _await_head(self) -> None:
        self._waiting = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _stop_waiting(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if not self._is_served() and not self.transport.is_closing():
            self.transport.close()


IDLE_SECONDS = 75
"""How long an idle connection stays open: longer than clients keep one, or both ends race and a request is lost."""
GRACE_SECONDS = 5
MOST_CONNECTIONS = 2_000
"""Connections and requests at one time; more are told to come back."""
SHORTEST_TOKEN = 24
TOKEN_FILE = "http_token"
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def serve(workbench: Workbench, *, browser: bool = False) -> int:
    """Serve the workbench until SIGINT or SIGTERM, and return the exit code; closing the workbench is the caller's.

    With ``browser`` the page is opened once the server listens.

    Raises:
        InvalidSettings: the address cannot be listened on.
    """
    with _listen(workbench.settings) as listener:
        recovered = workbench.home.recover()
        if recovered:
            _say(f"Interrupted runs that continue: {recovered}.")
        token = _token(workbench.settings)
        config = uvicorn.Config(
            create_app(workbench, token=token),
            http=PatientProtocol,
            limit_concurrency=MOST_CONNECTIONS,
            ws="none",
            log_level="warning",
            access_log=False,  # An access log would hold the token of every link.
            server_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
            timeout_keep_alive=IDLE_SECONDS,
        )
        host = workbench.settings.http_host
        url = f"http://{url_host(host)}:{listener.getsockname()[1]}/?token={token}"
        server = Server(config, url, reachable=not is_local(host), browser=browser)
        server.run(sockets=[listener])
    return 0 if server.started else 1


class Server(uvicorn.Server):
    """Uvicorn that says where it is once it listens, and that leaves the process alive after a signal.

    Uvicorn raises the signal again when it has stopped, which would end the process before the workbench is closed.
    """

    def __init__(self, config: uvicorn.Config, url: str, *, reachable: bool, browser: bool = False) -> None:
        super().__init__(config)
        self._browser = browser
        self._url = url
        self._reachable = reachable

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen, and say where."""
        await super().startup(sockets)
        if self._reachable:
            _say(
                "Other machines can reach this server. Anyone with the token can use it, and traffic is not encrypted."
            )
        _say("Averment is running. Open this address in a browser; Ctrl+C stops the server.")
        _say(self._url)
        if self._browser:
            webbrowser.open(self._url)

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Stop on a signal, and have it done with."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _token(settings: Settings) -> str:
    """The token in the file that is named, or the home's own, so that open pages and bookmarks outlive a restart."""
    path = settings.http_token_file
    if path is None:
        path = settings.keys / TOKEN_FILE
        if not path.exists():
            _keep_token(path)
    try:
        token = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidSettings(f"The token file cannot be read: {path}.") from error
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable() or " " in token:
        raise InvalidSettings(
            f"The token file must contain one line of at least {SHORTEST_TOKEN} plain characters.",
            hint="Create one with: head -c 32 /dev/urandom | base64 | tr -d '/+='",
        )
    return token


def _keep_token(path: Path) -> None:
    """Make the home's token, whole or not at all; where two servers start at once, the first one's stays."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle, draft = tempfile.mkstemp(dir=path.parent, prefix=".token-")
        with os.fdopen(handle, "w") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
        Path(draft).unlink()
    except OSError as error:
        raise InvalidSettings(
            f"The server's token cannot be saved in {path.parent}: {error.strerror}.",
            hint="Set AVERMENT_HTTP_TOKEN_FILE to a file that contains a token.",
        ) from error


def _listen(settings: Settings) -> socket.socket:
    host = settings.http_host.strip("[]")
    try:
        family = socket.getaddrinfo(host, settings.http_port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, settings.http_port), family=family)
    except OSError as error:
        raise InvalidSettings(
            f"Cannot listen on {settings.http_host} port {settings.http_port}: {error.strerror or error}.",
            hint="Choose another address with --host or --port; port 0 picks a free port.",
        ) from error


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
