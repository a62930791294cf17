"""One request's body on its way in: counted, timed, and what is left of it thrown away."""

from __future__ import annotations

import anyio
from starlette.datastructures import Headers
from starlette.types import Message, Receive

from averment.errors import RequestTooLarge, RequestTooSlow
from averment.faces.http.limits import Limits

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
