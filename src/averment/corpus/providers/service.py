"""What the providers have in common: a fetcher, an address, a pace, and answers in JSON."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar
from urllib.parse import urlencode

import orjson

from averment.corpus.providers.answers import collect, read_json, rows_at
from averment.corpus.providers.protocol import ANY, Found, Narrowed
from averment.corpus.web.client import HttpResponse
from averment.corpus.web.fetch import Fetcher

Row = tuple[object, object, object, object]
"""Address, title, snippet and date as a service gives them."""


class Service(ABC):
    """A search service that is spoken to over HTTP; each says how it is asked and what its rows are."""

    name: ClassVar[str]
    home: ClassVar[str]
    interval: ClassVar[float] = 0.0
    """So many seconds lie between two requests."""

    def __init__(self, fetcher: Fetcher, key: str = "", base: str = "") -> None:
        self._fetcher = fetcher
        self._key = key
        self._base = (base or self.home).rstrip("/")

    @abstractmethod
    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """What the service names for a query; k is how many are wanted."""

    def search(self, query: str, k: int, narrowed: Narrowed = ANY) -> list[Found]:
        """Up to k results that are wanted."""
        return [one for one in collect(self.name, self.rows(query, k, narrowed), 100) if narrowed.keeps(one)][:k]

    def get(self, path: str, asked: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> HttpResponse:
        """The answer to a question in the address; parts that are None are left out."""
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        return self._fetcher.call(
            f"{self._base}{path}?{query}",
            headers={"Accept": "application/json", **(headers or {})},
            interval=self.interval,
        )

    def post(self, path: str, asked: Mapping[str, Any], headers: Mapping[str, str]) -> HttpResponse:
        """The answer to a question in the body; parts that are None are left out."""
        body = orjson.dumps({name: value for name, value in asked.items() if value is not None})
        sent = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Accept": "application/json"}
        return self._fetcher.call(
            f"{self._base}{path}", method="POST", headers={**sent, **headers}, body=body, interval=self.interval
        )

    def json(self, answer: HttpResponse) -> Any:
        """The JSON of an answer."""
        return read_json(answer, self.name)

    def told(self, answer: HttpResponse, place: str, fields: str) -> Iterable[Row]:
        """The rows at a place (``web.results``) of an answer, from the fields that hold them; the date may lack."""
        url, title, snippet, date = [*fields.split(), ""][:4]
        rows = rows_at(self.json(answer), *place.split("."))
        return ((row.get(url), row.get(title), row.get(snippet), row.get(date) if date else None) for row in rows)


def on_site(query: str, narrowed: Narrowed) -> str:
    """A query with the site it is kept to, in the words that web engines share."""
    return f"{query} site:{narrowed.site}" if narrowed.site else query


def span_of(narrowed: Narrowed, first: str = "1990-01-01", last: str = "2100-01-01") -> tuple[str, str] | None:
    """The days that results are kept to, an open end put at one that shuts nothing out; None for any day."""
    return (narrowed.since or first, narrowed.until or last) if narrowed.since or narrowed.until else None
