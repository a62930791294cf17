"""What the providers have in common: a fetcher, an address, a pace, and answers in JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar
from urllib.parse import urlencode

import orjson

from averment.corpus.providers.answers import collect, read_json
from averment.corpus.providers.protocol import Found, Narrowed
from averment.corpus.web.client import Answer
from averment.corpus.web.fetch import Fetcher

Row = tuple[object, object, object, object]
"""Address, title, snippet and date as a service gives them."""


class Service:
    """A search service that is spoken to over HTTP."""

    name: ClassVar[str]
    home: ClassVar[str]
    interval: ClassVar[float] = 0.0
    """So many seconds lie between two requests."""

    def __init__(self, fetcher: Fetcher, key: str = "", base: str = "") -> None:
        self._fetcher = fetcher
        self._key = key
        self._base = (base or self.home).rstrip("/")

    def get(self, path: str, asked: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Answer:
        """The answer to a question in the address; parts that are None are left out."""
        query = urlencode({name: value for name, value in asked.items() if value is not None})
        return self._fetcher.call(
            f"{self._base}{path}?{query}",
            headers={"Accept": "application/json", **(headers or {})},
            interval=self.interval,
        )

    def post(self, path: str, asked: Mapping[str, Any], headers: Mapping[str, str]) -> Answer:
        """The answer to a question in the body; parts that are None are left out."""
        body = orjson.dumps({name: value for name, value in asked.items() if value is not None})
        sent = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Accept": "application/json"}
        return self._fetcher.call(
            f"{self._base}{path}", method="POST", headers={**sent, **headers}, body=body, interval=self.interval
        )

    def json(self, answer: Answer) -> Any:
        """The JSON of an answer."""
        return read_json(answer, self.name)

    def collect(self, rows: Iterable[Row], k: int, narrowed: Narrowed) -> list[Found]:
        """Up to k results that are wanted."""
        return [one for one in collect(self.name, rows, 100) if narrowed.keeps(one)][:k]


def on_site(query: str, narrowed: Narrowed) -> str:
    """A query with the site it is kept to, in the words that web engines share."""
    return f"{query} site:{narrowed.site}" if narrowed.site else query
