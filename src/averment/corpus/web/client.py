"""One exchange with one checked address: a request, a bounded answer, no redirect followed and nothing retried."""

from __future__ import annotations

import ssl
import time
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

import httpcore2

from averment.corpus.web.addresses import WebAddress
from averment.corpus.web.connection import PinnedBackend, Resolve, pin
from averment.errors import FileTooLarge, SourceUnreachable, SourceUnreadable

USER_AGENT = "Averment/0.1 (research; reads robots.txt)"


@dataclass(frozen=True, kw_only=True, slots=True)
class WebLimits:
    """The bounds on one fetch, redirects and robots.txt included."""

    seconds: float = 20.0
    page_bytes: int = 10_000_000
    redirects: int = 5


@dataclass(frozen=True, kw_only=True, slots=True)
class HttpResponse:
    """What a server answered: the status, its headers in lower case, and the decoded body."""

    status: int
    headers: Mapping[str, str]
    content: bytes


def exchange(
    address: WebAddress,
    *,
    allowed: frozenset[str],
    look_up: Resolve,
    deadline: float,
    limit: int,
    method: str = "GET",
    headers: Mapping[str, str] | None = None,
    body: bytes | None = None,
    proxy: str | None = None,
) -> HttpResponse:
    """The answer of a server, not larger than ``limit`` bytes before and after decompression.

    Through a ``proxy`` the name is resolved by it and not here; what an address says of itself is checked all the same.

    Raises:
        AddressRefused: the host resolves to something that is not public.
        FileTooLarge: the answer is over the limit.
        SourceUnreachable: there was no whole answer before the deadline.
        SourceUnreadable: its compression is broken or unknown.
    """
    sent = {
        "Host": address.text.split("/")[2],
        "User-Agent": USER_AGENT,
        "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.5",
        "Accept-Encoding": "gzip, identity",
        **(headers or {}),
    }
    where = httpcore2.URL(
        scheme=address.scheme.encode(), host=address.host.encode(), port=address.port, target=address.target.encode()
    )
    try:
        if proxy is None:
            backend = PinnedBackend(pin(address, allowed, look_up), deadline)
            pool = httpcore2.ConnectionPool(ssl_context=_tls(), network_backend=backend, http2=False, retries=0)
        else:
            between = urlsplit(proxy)
            backend = PinnedBackend(look_up(between.hostname or "", between.port or 80)[0], deadline)
            pool = httpcore2.HTTPProxy(proxy, ssl_context=_tls(), network_backend=backend, http2=False, retries=0)
        with (
            pool,
            pool.stream(
                method, where, headers=[(k.encode(), v.encode()) for k, v in sent.items()], content=body
            ) as got,
        ):
            told = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in got.headers}
            declared = told.get("content-length", "")
            if declared.isdigit() and int(declared) > limit:
                raise FileTooLarge(f"{address.text} has more than {limit:,} bytes.")
            content = _bounded(got.iter_stream(), told.get("content-encoding", ""), address, limit, deadline)
            return HttpResponse(status=got.status, headers=told, content=content)
    except (httpcore2.TimeoutException, TimeoutError) as error:
        raise SourceUnreachable(f"{address.text} did not respond in time.") from error
    except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError, ssl.SSLError, OSError) as error:
        raise SourceUnreachable(f"{address.text} cannot be read: {error or type(error).__name__}.") from error


def _bounded(chunks: Iterable[bytes], encoding: str, address: WebAddress, limit: int, deadline: float) -> bytes:
    encoding = encoding.strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip", "deflate"):
        raise SourceUnreadable(f"{address.text} uses a compression that was not requested.")
    inflate = zlib.decompressobj(wbits=47) if encoding not in ("", "identity") else None
    parts: list[bytes] = []
    total = 0
    for chunk in chunks:
        if time.monotonic() > deadline:
            raise SourceUnreachable(f"{address.text} did not finish sending in time.")
        if inflate is not None:
            try:
                # One byte more than may come: a bomb is known by it and never unpacked.
                chunk = inflate.decompress(chunk, limit - total + 1)
            except zlib.error as error:
                raise SourceUnreadable(f"The compressed content of {address.text} is corrupt.") from error
        total += len(chunk)
        if total > limit or (inflate is not None and inflate.unconsumed_tail):
            raise FileTooLarge(f"{address.text} has more than {limit:,} bytes.")
        parts.append(chunk)
    return b"".join(parts)


@lru_cache(maxsize=1)
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()
