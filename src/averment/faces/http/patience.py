"""How long the server waits for a request's head: a connection that sends it drop by drop is closed.

Uvicorn bounds the time between requests and nothing within a head, so that half-sent heads would stay open for ever.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

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
