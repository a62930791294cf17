"""Wikipedia's own search; no key is needed."""

from __future__ import annotations

from urllib.parse import quote, urlencode

from averment.corpus.providers.answers import collect, read_json, rows_at
from averment.corpus.providers.protocol import Found
from averment.corpus.web.fetch import Fetcher


class Wikipedia:
    """Finds articles of one Wikipedia."""

    name = "wikipedia"

    def __init__(self, fetcher: Fetcher, base: str = "https://en.wikipedia.org") -> None:
        self._fetcher = fetcher
        self._base = base.rstrip("/")

    def search(self, query: str, k: int) -> list[Found]:
        """Up to k articles."""
        asked = {"action": "query", "list": "search", "srsearch": query[:300], "srlimit": min(k, 50), "format": "json"}
        answer = self._fetcher.call(
            f"{self._base}/w/api.php?{urlencode(asked)}", headers={"Accept": "application/json"}
        )
        rows = rows_at(read_json(answer, self.name), "query", "search")
        return collect(
            self.name,
            (
                (
                    f"{self._base}/wiki/{quote(str(row.get('title', '')).replace(' ', '_'))}",
                    row.get("title"),
                    row.get("snippet"),
                    row.get("timestamp"),
                )
                for row in rows
                if row.get("title")
            ),
            k,
        )
