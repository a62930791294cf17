"""Wikipedia's own search; no key is needed."""

from __future__ import annotations

import re
from urllib.parse import quote

from averment.corpus.providers.answers import rows_at
from averment.corpus.providers.protocol import ANY, Found, Narrowed
from averment.corpus.providers.service import Service
from averment.corpus.web.fetch import Fetcher


class Wikipedia(Service):
    """Finds articles of one Wikipedia, that of the language that is wanted."""

    name, home = "wikipedia", "https://en.wikipedia.org"

    def __init__(self, fetcher: Fetcher, base: str = "") -> None:
        super().__init__(fetcher, base=base)
        self._is_home = not base

    def search(self, query: str, k: int, narrowed: Narrowed = ANY) -> list[Found]:
        """Up to k articles."""
        language = narrowed.language or "en"
        if self._is_home and re.fullmatch(r"[a-z]{2,3}", language):
            self._base = f"https://{language}.wikipedia.org"
        asked = {"action": "query", "list": "search", "srsearch": query[:300], "srlimit": min(k, 50), "format": "json"}
        rows = rows_at(self.json(self.get("/w/api.php", asked)), "query", "search")
        return self.collect(
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
            narrowed,
        )
