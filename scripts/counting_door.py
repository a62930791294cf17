"""A door on the loopback address before a server, which counts the bytes that come out of it.

What a client fetches is then measured on the wire and not told by the client: every byte from the server to whoever
came in through the door. The server is a port of this machine or a Unix socket.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path
from types import TracebackType


class CountingDoor:
    """Passes connections on to a server and counts both directions; a context manager."""

    def __init__(self, server: int | Path) -> None:
        self._server = server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.received = 0
        self.sent = 0
        self._lock = threading.Lock()
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> CountingDoor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let nobody else in."""
        self._listener.close()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
                server = self._reach()
            except OSError:
                return
            threading.Thread(target=self._pump, args=(client, server, False), daemon=True).start()
            threading.Thread(target=self._pump, args=(server, client, True), daemon=True).start()

    def _reach(self) -> socket.socket:
        if isinstance(self._server, int):
            return socket.create_connection(("127.0.0.1", self._server))
        server = socket.socket(socket.AF_UNIX)
        server.connect(str(self._server))
        return server

    def _pump(self, source: socket.socket, target: socket.socket, outward: bool) -> None:
        with contextlib.suppress(OSError):
            while chunk := source.recv(65_536):
                target.sendall(chunk)
                with self._lock:
                    self.received += len(chunk) if outward else 0
                    self.sent += 0 if outward else len(chunk)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)
