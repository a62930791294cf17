"""A SearXNG instance, usually one's own; its JSON format must be switched on there."""

from __future__ import annotations

from urllib.parse import urlencode

from averment.corpus.providers.answers import collect, read_json, rows_at
from averment.corpus.providers.protocol import Found
from averment.corpus.web.fetch import Fetcher


class SearXng:
    """Finds pages through a metasearch engine."""

    name = "searxng"

    def __init__(self, fetcher: Fetcher, base: str) -> None:
        self._fetcher = fetcher
        self._base = base.rstrip("/")

    def search(self, query: str, k: int) -> list[Found]:
        """Up to k pages."""
        asked = urlencode({"q": query[:400], "format": "json", "safesearch": 1})
        answer = self._fetcher.call(f"{self._base}/search?{asked}", headers={"Accept": "application/json"})
        rows = rows_at(read_json(answer, self.name), "results")
        return collect(
            self.name,
            ((row.get("url"), row.get("title"), row.get("content"), row.get("publishedDate")) for row in rows),
            k,
        )
