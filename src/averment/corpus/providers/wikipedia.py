"""Wikipedia's own search; no key is needed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote

from averment.corpus.providers.answers import rows_at
from averment.corpus.providers.protocol import Narrowed
from averment.corpus.providers.service import Row, Service
from averment.corpus.web.fetch import Fetcher


class Wikipedia(Service):
    """Finds articles of one Wikipedia, that of the language that is wanted."""

    name, home = "wikipedia", "https://en.wikipedia.org"

    def __init__(self, fetcher: Fetcher, base: str = "") -> None:
        super().__init__(fetcher, base=base)
        self._is_home = not base

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Articles."""
        language = narrowed.language or "en"
        if self._is_home and re.fullmatch(r"[a-z]{2,3}", language):
            self._base = f"https://{language}.wikipedia.org"
        asked = {"action": "query", "list": "search", "srsearch": query[:300], "srlimit": min(k, 50), "format": "json"}
        rows = rows_at(self.json(self.get("/w/api.php", asked)), "query", "search")
        for row in rows:
            if title := row.get("title"):
                page = f"{self._base}/wiki/{quote(str(title).replace(' ', '_'))}"
                yield page, title, row.get("snippet"), row.get("timestamp")
