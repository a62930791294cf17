"""Brave's search service; it needs a key."""

from __future__ import annotations

from urllib.parse import urlencode

from averment.corpus.providers.answers import collect, read_json, rows_at
from averment.corpus.providers.protocol import Found
from averment.corpus.web.fetch import Fetcher


class Brave:
    """Finds pages in Brave's index."""

    name = "brave"

    def __init__(self, fetcher: Fetcher, key: str, base: str = "https://api.search.brave.com") -> None:
        self._fetcher = fetcher
        self._key = key
        self._base = base.rstrip("/")

    def search(self, query: str, k: int) -> list[Found]:
        """Up to k pages."""
        asked = urlencode({"q": query[:400], "count": min(k, 20), "safesearch": "moderate"})
        answer = self._fetcher.call(
            f"{self._base}/res/v1/web/search?{asked}",
            headers={"Accept": "application/json", "X-Subscription-Token": self._key},
        )
        rows = rows_at(read_json(answer, self.name), "web", "results")
        return collect(
            self.name,
            ((row.get("url"), row.get("title"), row.get("description"), row.get("page_age")) for row in rows),
            k,
        )
