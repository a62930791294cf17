"""What every search provider promises, what it finds, and how what it finds may be narrowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from averment.corpus.web.fetch import Fetcher


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """One source that a search names; the snippet is what the provider shows of it, and is data like any text."""

    url: str
    title: str
    snippet: str
    provider: str
    published_at: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Narrowed:
    """What sources are wanted: of these days (``2024-01-31``), of this site, in this language (``en``)."""

    since: str | None = None
    until: str | None = None
    site: str | None = None
    language: str | None = None

    def keeps(self, found: Found) -> bool:
        """Whether a source may be among the results; one without a date is kept, since nobody knows it is outside."""
        host = (urlsplit(found.url).hostname or "").lower()
        if self.site is not None and host != self.site and not host.endswith(f".{self.site}"):
            return False
        day = found.published_at
        if day is None:
            return True
        early = self.since is not None and day < self.since[: len(day)]
        return not early and not (self.until is not None and day > self.until)


ANY = Narrowed()
"""Every source."""


@dataclass(frozen=True, kw_only=True)
class SearchService:
    """A search service that a plugin adds: its name in settings, and what opens it.

    ``open`` gets the fetcher, which follows Averment's rules for pages, and the environment, which holds any key.
    """

    name: str
    open: Callable[[Fetcher, Mapping[str, str]], SearchProvider]


class SearchProvider(Protocol):
    """A place to search: the same query on the same state gives the same list."""

    @property
    def name(self) -> str:
        """What the provider is called in settings, events and reports."""
        ...

    def search(self, query: str, k: int, narrowed: Narrowed = ANY) -> list[Found]:
        """Up to k sources for a query, the best first, no address twice.

        Raises:
            SourceUnreachable: the provider did not answer; the caller goes on with what it has.
        """
        ...
