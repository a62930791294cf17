"""What every search provider promises, and what it finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """One source that a search names; the snippet is what the provider shows of it, and is data like any text."""

    url: str
    title: str
    snippet: str
    provider: str
    published_at: str | None = None


class SearchProvider(Protocol):
    """A place to search: the same query on the same state gives the same list."""

    @property
    def name(self) -> str:
        """What the provider is called in settings, events and reports."""
        ...

    def search(self, query: str, k: int) -> list[Found]:
        """Up to k sources for a query, the best first, no address twice.

        Raises:
            SourceUnreachable: the provider did not answer; the caller goes on with what it has.
        """
        ...
