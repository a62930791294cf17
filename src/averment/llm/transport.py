"""The HTTP client of model calls: no redirects, no compression, and a bounded body.

A model's answer is small. An endpoint that sends megabytes, or a few bytes that unpack to megabytes, is broken or
hostile, and is cut off before it fills the memory. Importing this module imports the HTTP package.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

MAX_BODY_BYTES = 4_000_000


class AnswerTooLarge(Exception):
    """The endpoint sent more than any answer needs."""


class _BoundedStream(httpx2.AsyncByteStream):
    """Passes a body on until it is over its limit."""

    def __init__(self, inner: httpx2.AsyncByteStream, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        seen = 0
        async for chunk in self._inner:
            seen += len(chunk)
            if seen > self._limit:
                raise AnswerTooLarge
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


async def _bound(response: httpx2.Response) -> None:
    # A compressed body could unpack to far more than its bytes on the wire; it was not asked for, so it is refused.
    if response.headers.get("content-encoding", "identity").strip().lower() not in {"", "identity"}:
        raise AnswerTooLarge
    stream = response.stream
    if isinstance(stream, httpx2.AsyncByteStream):
        response.stream = _BoundedStream(stream, MAX_BODY_BYTES)


def open_client() -> httpx2.AsyncClient:
    """A fresh client; proxies of the environment are honoured.

    It has no timeout of its own: the one wall clock of a call is kept by its caller, and covers what per-read timeouts
    miss, such as a server that sends one byte a second.
    """
    return httpx2.AsyncClient(
        timeout=None,
        follow_redirects=False,
        headers={"Accept-Encoding": "identity"},
        # A hook and not a transport of our own: with one of those, the client would ignore the proxy variables.
        event_hooks={"response": [_bound]},
    )
