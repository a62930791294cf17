"""Which source carries which fact, to be looked up from either side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from uuid import UUID

from pydantic import Field

from averment.records.base import Record, UtcDatetime, utc_now
from averment.records.research.sources import Url


class CitationLink(Record):
    """One fact and one source that carries it."""

    fact_id: UUID
    source_url: Url
    source_title: str
    access_timestamp: UtcDatetime = Field(default_factory=utc_now)


class CitationIndex:
    """All citation links, found by fact or by source in one dictionary look-up.

    A pair of fact and source is kept once, the first time it is added.
    """

    def __init__(self, links: Iterable[CitationLink] = ()) -> None:
        self._links: dict[tuple[UUID, str], CitationLink] = {}
        self._by_fact: dict[UUID, tuple[CitationLink, ...]] = {}
        self._by_source: dict[str, tuple[CitationLink, ...]] = {}
        for link in links:
            self.add(link)

    @property
    def citations_by_fact(self) -> Mapping[UUID, tuple[CitationLink, ...]]:
        """Each fact's links, in the order they were added; read-only."""
        return MappingProxyType(self._by_fact)

    @property
    def citations_by_source(self) -> Mapping[str, tuple[CitationLink, ...]]:
        """Each source's links, in the order they were added; read-only."""
        return MappingProxyType(self._by_source)

    def add(self, link: CitationLink) -> None:
        """Keeps a link, unless its pair of fact and source is there already."""
        pair = (link.fact_id, link.source_url)
        if pair in self._links:
            return
        self._links[pair] = link
        self._by_fact[link.fact_id] = (*self._by_fact.get(link.fact_id, ()), link)
        self._by_source[link.source_url] = (*self._by_source.get(link.source_url, ()), link)

    def sources_of(self, fact_ids: Iterable[UUID]) -> frozenset[str]:
        """The distinct sources that carry any of these facts."""
        return frozenset(link.source_url for fact_id in fact_ids for link in self._by_fact.get(fact_id, ()))

    def __iter__(self) -> Iterator[CitationLink]:
        return iter(self._links.values())

    def __len__(self) -> int:
        return len(self._links)
