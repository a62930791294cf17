"""A page by its address: every hop checked, robots.txt asked first, bounded in time and size, and cached.

The deadline covers all of it: look-ups, robots.txt, redirects and the page itself.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from urllib.parse import urljoin

from averment.corpus.web.addresses import WebAddress, check_address
from averment.corpus.web.cache import PageCache
from averment.corpus.web.client import HttpResponse, WebLimits, exchange
from averment.corpus.web.connection import Resolve, resolve
from averment.corpus.web.pace import PACE, patient
from averment.corpus.web.robots import Rules, parse_robots
from averment.errors import FileTooLarge, RobotsRefused, SourceNotFound, SourceUnreachable
from averment.records.base import utc_now

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({404, 410})
_ROBOTS_BYTES = 500_000
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Page:
    """What was fetched: where it finally came from, what the server says it is, and its bytes."""

    url: str
    requested: str
    media_type: str | None
    charset: str | None
    content: bytes
    fetched_at: datetime
    cached: bool = False


class Fetcher:
    """Fetches pages of the public web.

    ``allowed`` names origins as ``host:port`` that are spoken to although they are not public, such as a search engine
    of one's own; nothing else inside can be reached, not even by a redirect from there.
    """

    def __init__(
        self,
        *,
        cache: PageCache | None = None,
        limits: WebLimits | None = None,
        allowed: frozenset[str] = frozenset(),
        look_up: Resolve = resolve,
        proxy: str | None = None,
    ) -> None:
        """``proxy`` is the address of an HTTP proxy that all but the ``allowed`` origins are reached through."""
        self.limits = limits or WebLimits()
        self._proxy = proxy
        self._cache = cache
        self._allowed = allowed
        self._look_up = look_up
        self._robots: dict[str, Rules] = {}

    def fetch(self, url: str) -> Page:
        """The page at an address, from the cache while it is fresh.

        Raises:
            AddressRefused: the address or one it redirects to may not be spoken to.
            RobotsRefused: the site asks not to read it.
            SourceNotFound: there is no such page.
            FileTooLarge: it is over the limit.
            SourceUnreachable: there was no whole answer in time, or too many redirects.
        """
        address = check_address(url, self._allowed)
        kept = self._cache.get(address.text) if self._cache is not None else None
        if kept is not None:
            facts, content = kept
            return Page(
                url=facts["url"],
                requested=url,
                media_type=facts["media_type"],
                charset=facts["charset"],
                content=content,
                fetched_at=datetime.fromisoformat(facts["fetched_at"]),
                cached=True,
            )
        deadline = time.monotonic() + self.limits.seconds
        final, answer = self._follow(address, deadline)
        kind = answer.headers.get("content-type")
        charset = _CHARSET.search(kind) if kind else None
        page = Page(
            url=final.text,
            requested=url,
            media_type=kind.partition(";")[0].strip().lower() if kind else None,
            charset=charset[1] if charset else None,
            content=answer.content,
            fetched_at=utc_now(),
        )
        if self._cache is not None:
            facts = {"url": page.url, "media_type": page.media_type, "charset": page.charset}
            self._cache.put(address.text, facts, page.content, page.fetched_at)
        return page

    def call(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        interval: float = 0.0,
    ) -> HttpResponse:
        """One exchange with a service, such as a search engine's: no robots.txt, no redirect, no cache.

        ``interval`` is how many seconds lie between two requests to it. A service that is busy is asked again, when it
        says so or a little later, as long as there is time.

        Raises:
            SourceUnreachable: the service answered with an error, or not in time.
        """
        address = check_address(url, self._allowed)
        deadline = time.monotonic() + self.limits.seconds

        def ask() -> HttpResponse:
            if not PACE.take_turn(address.origin, interval, deadline):
                raise SourceUnreachable(f"The rate limit of {address.host} does not allow another request in time.")
            return self._exchange(address, deadline, method, headers, body)

        answer = patient(ask, deadline)
        if answer.status != 200:
            raise SourceUnreachable(
                f"The service at {address.host} returned status {answer.status}.",
                details={"status": answer.status},
            )
        return answer

    def _follow(self, address: WebAddress, deadline: float) -> tuple[WebAddress, HttpResponse]:
        for _ in range(self.limits.redirects + 1):
            self._ask_robots(address, deadline)
            answer = patient(partial(self._exchange, address, deadline), deadline)
            if answer.status in _REDIRECTS and answer.headers.get("location"):
                address = check_address(urljoin(address.text, answer.headers["location"]), self._allowed)
                continue
            if answer.status in _GONE:
                raise SourceNotFound(f"There is no page {address.text}.", hint="Check the address.")
            if answer.status != 200:
                raise SourceUnreachable(
                    f"{address.text} returned status {answer.status}.", details={"status": answer.status}
                )
            return address, answer
        raise SourceUnreachable(f"{address.text} redirects more than {self.limits.redirects} times.")

    def _ask_robots(self, address: WebAddress, deadline: float) -> None:
        key = f"{address.scheme}://{address.origin}"
        if key not in self._robots:
            self._robots[key] = self._read_robots(address, deadline)
        if not self._robots[key].allow(address.target):
            raise RobotsRefused(f"{address.text} is closed to automated access by the site's robots.txt.")

    def _read_robots(self, address: WebAddress, deadline: float) -> Rules:
        where = WebAddress(address.scheme, address.host, address.port, "/robots.txt")
        try:
            answer = self._exchange(where, deadline, limit=_ROBOTS_BYTES)
        except FileTooLarge:
            return Rules()
        if answer.status == 200:
            return parse_robots(answer.content.decode("utf-8", "replace"))
        if answer.status >= 500:
            # RFC 9309: a site whose rules cannot be known for now is not read.
            return Rules(((False, "/"),))
        return Rules()

    def _exchange(
        self,
        address: WebAddress,
        deadline: float,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes | None = None,
        limit: int | None = None,
    ) -> HttpResponse:
        return exchange(
            address,
            allowed=self._allowed,
            look_up=self._look_up,
            deadline=deadline,
            limit=self.limits.page_bytes if limit is None else limit,
            method=method,
            headers=headers,
            body=body,
            proxy=None if address.origin in self._allowed else self._proxy,
        )
