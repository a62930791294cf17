"""What was read and what it says: search results, the facts taken from them, and where facts conflict."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from pydantic import AfterValidator, Field, field_validator

from averment.records.base import Record, Share, UtcDatetime, not_blank, utc_now

CREDIBILITY_MAP: Mapping[str, float] = MappingProxyType(
    {
        "bloomberg.com": 0.95,
        "wsj.com": 0.95,
        "reuters.com": 0.93,
        "wikipedia.org": 0.85,
        "forbes.com": 0.80,
    }
)
"""The researcher contract's heuristic of how reliable a domain is; a caller may pass a table of its own."""

LOCAL_DOMAIN = "local"
"""The domain of a file on this machine."""


def _url(text: str) -> str:
    parts = urlsplit(text)
    if any(character.isspace() or not character.isprintable() for character in text):
        raise ValueError("a URL must not contain spaces or control characters")
    if not parts.scheme:
        raise ValueError("a URL must begin with its scheme, like https://")
    if parts.scheme == "file":
        if not parts.path:
            raise ValueError("a file URL must name a path")
    elif not parts.hostname:
        raise ValueError("a URL must name a host")
    return text


Url = Annotated[str, AfterValidator(_url)]
"""The address of a source; a file of a local corpus has a ``file:`` address."""


def domain_of(url: str) -> str:
    """The host of a URL in lower case without ``www.``, or ``local`` for a file."""
    host = (urlsplit(url).hostname or "").lower().rstrip(".")
    return host.removeprefix("www.") or LOCAL_DOMAIN


def credibility_of(domain: str, table: Mapping[str, float] = CREDIBILITY_MAP) -> float | None:
    """The score of a domain or of the nearest domain above it, None when the table knows neither."""
    labels = domain.lower().rstrip(".").split(".")
    for start in range(len(labels)):
        score = table.get(".".join(labels[start:]))
        if score is not None:
            return score
    return None


class SearchResult(Record):
    """One source as it was read for one sub-question."""

    id: UUID = Field(default_factory=uuid4)
    sub_question_id: UUID
    url: Url
    title: str = Field(min_length=1, max_length=200)
    content: str = Field(max_length=10_000)
    domain: str = Field(min_length=1)
    access_timestamp: UtcDatetime = Field(default_factory=utc_now)
    credibility_score: Share | None = None
    extracted_facts: tuple[UUID, ...] = ()


class Fact(Record):
    """One claim, taken from one search result."""

    id: UUID = Field(default_factory=uuid4)
    text: Annotated[str, Field(min_length=10, max_length=500), not_blank("the claim is empty")]
    source_url: Url
    source_id: UUID
    confidence: Share
    section: str | None = None
    extraction_timestamp: UtcDatetime = Field(default_factory=utc_now)
    verified: bool = False
    discrepancy_id: UUID | None = None


class Discrepancy(Record):
    """Facts that cannot all be true, and how that was settled."""

    id: UUID = Field(default_factory=uuid4)
    fact_ids: tuple[UUID, ...] = Field(min_length=2)
    topic: str = Field(min_length=1)
    resolution: str | None = None
    resolution_confidence: Share | None = None
    created_at: UtcDatetime = Field(default_factory=utc_now)

    @field_validator("fact_ids")
    @classmethod
    def _facts_differ(cls, fact_ids: tuple[UUID, ...]) -> tuple[UUID, ...]:
        if len(set(fact_ids)) != len(fact_ids):
            raise ValueError("a fact cannot conflict with itself")
        return fact_ids
