"""Tavily's search service; it needs a key."""

from __future__ import annotations

import orjson

from averment.corpus.providers.answers import collect, read_json, rows_at
from averment.corpus.providers.protocol import Found
from averment.corpus.web.fetch import Fetcher


class Tavily:
    """Finds pages through Tavily; only its list of pages is used, never its own answer."""

    name = "tavily"

    def __init__(self, fetcher: Fetcher, key: str, base: str = "https://api.tavily.com") -> None:
        self._fetcher = fetcher
        self._key = key
        self._base = base.rstrip("/")

    def search(self, query: str, k: int) -> list[Found]:
        """Up to k pages."""
        body = orjson.dumps({"query": query[:400], "max_results": min(k, 20), "include_answer": False})
        answer = self._fetcher.call(
            f"{self._base}/search",
            method="POST",
            headers={
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                "Accept": "application/json",
                "Authorization": f"Bearer {self._key}",
            },
            body=body,
        )
        rows = rows_at(read_json(answer, self.name), "results")
        return collect(
            self.name,
            ((row.get("url"), row.get("title"), row.get("content"), row.get("published_date")) for row in rows),
            k,
        )
