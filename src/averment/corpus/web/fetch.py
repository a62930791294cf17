"""A page by its address: every hop checked, robots.txt asked first, bounded in time and size, and cached.

The deadline covers all of it: look-ups, robots.txt, redirects and the page itself.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from urllib.parse import urljoin

from averment.corpus.web.addresses import WebAddress, check_address
from averment.corpus.web.cache import PageCache
from averment.corpus.web.client import HttpResponse, WebLimits, exchange
from averment.corpus.web.connection import Resolve, resolve
from averment.errors import FileTooLarge, RobotsRefused, SourceNotFound, SourceUnreachable
from averment.records.base import utc_now

_OURS = "averment"
_MOST_LINES = 5_000
_MOST_WILDCARDS = 20


@dataclass(frozen=True, slots=True)
class Rules:
    """The paths one group of robots.txt names; no rules allow everything."""

    rules: tuple[tuple[bool, str], ...] = ()

    def allow(self, target: str) -> bool:
        """Whether a path with its query may be read."""
        best = (0, True)
        for allowed, pattern in self.rules:
            if _matches(pattern, target):
                best = max(best, (len(pattern), allowed))
        return best[1]


def parse_robots(text: str) -> Rules:
    """The rules for us: those of the groups that name us, else those for everyone."""
    ours: list[tuple[bool, str]] = []
    everyone: list[tuple[bool, str]] = []
    named = False
    agents: list[str] = []
    open_group = False
    for line in text.splitlines()[:_MOST_LINES]:
        field, _, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if field == "user-agent":
            agents = [*agents, value.lower()] if open_group else [value.lower()]
            open_group = True
            named = named or any(_OURS in agent for agent in agents)
        elif field in ("allow", "disallow"):
            open_group = False
            if value:
                rule = (field == "allow", value)
                if any(_OURS in agent for agent in agents):
                    ours.append(rule)
                if "*" in agents:
                    everyone.append(rule)
    return Rules(tuple(ours if named else everyone))


def _matches(pattern: str, target: str) -> bool:
    anchored = pattern.endswith("$")
    parts = re.split(r"\*+", pattern.removesuffix("$"))
    if len(parts) > _MOST_WILDCARDS:
        return False
    # Literal parts found one after the other: no pattern can make this slow.
    if not target.startswith(parts[0]):
        return False
    place = len(parts[0])
    for part in parts[1:-1] if anchored else parts[1:]:
        found = target.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    if not anchored:
        return True
    last = parts[-1] if len(parts) > 1 else ""
    return target.endswith(last) and len(target) - len(last) >= place if len(parts) > 1 else place == len(target)


AGAIN = frozenset({429, 502, 503, 504})
"""Answers after which the same question may be asked again."""
TRIES = 3
_FIRST_WAIT = 0.5


class ServicePace:
    """Turns at services, each with its own interval."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._next: dict[str, float] = {}

    def take_turn(self, service: str, interval: float, deadline: float) -> bool:
        """Wait for the next turn at a service; False where it would come after the deadline."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next.get(service, 0.0))
            if turn > deadline:
                return False
            self._next[service] = turn + interval
        time.sleep(max(0.0, turn - now))
        return True


def wait_after(headers: Mapping[str, str], tried: int) -> float:
    """How many seconds to wait before asking again: what the server says (Retry-After), else ever longer."""
    said = headers.get("retry-after", "").strip()
    if said.isdigit():
        return float(said)
    if said:
        try:
            moment = parsedate_to_datetime(said)
        except ValueError:
            return _FIRST_WAIT * 2**tried
        moment = moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
        return max(0.0, (moment - datetime.now(UTC)).total_seconds())
    return _FIRST_WAIT * 2**tried


def patient(ask: Callable[[], HttpResponse], deadline: float) -> HttpResponse:
    """The answer to a question, asked again while the server is busy, when it wants, and as long as there is time."""
    answer = ask()
    for tried in range(TRIES - 1):
        seconds = wait_after(answer.headers, tried)
        if answer.status not in AGAIN or time.monotonic() + seconds >= deadline:
            break
        time.sleep(seconds)
        answer = ask()
    return answer


PACE = ServicePace()
"""The pace of this process."""


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
