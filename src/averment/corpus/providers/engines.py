"""Web engines: SearXNG, Brave, Tavily, Serper, Exa and Google's custom search; all but the first need a key."""

from __future__ import annotations

from averment.corpus.providers.answers import rows_at
from averment.corpus.providers.protocol import ANY, Found, Narrowed
from averment.corpus.providers.service import Service, on_site
from averment.corpus.web.fetch import Fetcher


class SearXng(Service):
    """Finds pages through a metasearch engine, usually one's own; its JSON format must be switched on there."""

    name = "searxng"

    def __init__(self, fetcher: Fetcher, base: str) -> None:
        super().__init__(fetcher, base=base)

    def search(self, query: str, k: int, narrowed: Narrowed = ANY) -> list[Found]:
        """Up to k pages."""
        asked = {"q": on_site(query[:400], narrowed), "format": "json", "safesearch": 1, "language": narrowed.language}
        rows = rows_at(self.json(self.get("/search", asked)), "results")
        told = ((row.get("url"), row.get("title"), row.get("content"), row.get("publishedDate")) for row in rows)
        return self.collect(told, k, narrowed)


class Brave(Service):
    """Finds pages in Brave's index; its free plan takes one question a second."""

    name, home, interval = "brave", "https://api.search.brave.com", 1.05

    def search(self, query: str, k: int, narrowed: Narrowed = ANY) -> list[Found]:
        """Up to k pages."""
        span = None
        if narrowed.since or narrowed.until:
            span = f"{narrowed.since or '1990-01-01'}to{narrowed.until or '2100-01-01'}"
        asked = {
            "q": on_site(query[:400], narrowed),
            "count": min(k, 20),
            "safesearch": "moderate",
            "search_lang": narrowed.language,
            "freshness": span,
        }
        answer = self.get("/res/v1/web/search", asked, {"X-Subscription-Token": self._key})
        rows = rows_at(self.json(answer), "web", "results")
        told = ((row.get("url"), row.get("title"), row.get("description"), row.get("page_age")) for row in rows)
        return self.collect(told, k, narrowed)


class Tavily(Service):
    """Finds pages through Tavily; only its list of pages is used, never its own answer."""

    name, home = "tavily", "https://api.tavily.com"

    def search(self, query: str, k: int, narrowed: Narrowed = ANY) -> list[Found]:
        """Up to k pages."""
        asked = {
            "query": query[:400],
            "max_results": min(k, 20),
            "include_answer": False,
            "include_domains": [narrowed.site] if narrowed.site else None,
            "start_date": narrowed.since,
            "end_date": narrowed.until,
        }
        answer = self.post("/search", asked, {"Authorization": f"Bearer {self._key}"})
        rows = rows_at(self.json(answer), "results")
        told = ((row.get("url"), row.get("title"), row.get("content"), row.get("published_date")) for row in rows)
        return self.collect(told, k, narrowed)


class Serper(Service):
    """Finds pages through Serper, which asks Google."""

    name, home = "serper", "https://google.serper.dev"

    def search(self, query: str, k: int, narrowed: Narrowed = ANY) -> list[Found]:
        """Up to k pages."""
        asked = {"q": on_site(query[:400], narrowed), "num": min(k, 20), "hl": narrowed.language}
        answer = self.post("/search", asked, {"X-API-KEY": self._key})
        rows = rows_at(self.json(answer), "organic")
        told = ((row.get("link"), row.get("title"), row.get("snippet"), row.get("date")) for row in rows)
        return self.collect(told, k, narrowed)


class Exa(Service):
    """Finds pages by meaning through Exa."""

    name, home, interval = "exa", "https://api.exa.ai", 0.2

    def search(self, query: str, k: int, narrowed: Narrowed = ANY) -> list[Found]:
        """Up to k pages."""
        asked = {
            "query": query[:400],
            "numResults": min(k, 20),
            "includeDomains": [narrowed.site] if narrowed.site else None,
            "startPublishedDate": f"{narrowed.since}T00:00:00.000Z" if narrowed.since else None,
            "endPublishedDate": f"{narrowed.until}T23:59:59.999Z" if narrowed.until else None,
        }
        answer = self.post("/search", asked, {"x-api-key": self._key})
        rows = rows_at(self.json(answer), "results")
        told = ((row.get("url"), row.get("title"), row.get("text"), row.get("publishedDate")) for row in rows)
        return self.collect(told, k, narrowed)


class Google(Service):
    """Finds pages through a custom search engine of Google's; beside the key it needs that engine's id."""

    name, home = "google", "https://customsearch.googleapis.com"

    def __init__(self, fetcher: Fetcher, key: str, engine: str, base: str = "") -> None:
        super().__init__(fetcher, key, base)
        self._engine = engine

    def search(self, query: str, k: int, narrowed: Narrowed = ANY) -> list[Found]:
        """Up to k pages."""
        span = None
        if narrowed.since or narrowed.until:
            days = (narrowed.since or "1990-01-01", narrowed.until or "2100-01-01")
            span = f"date:r:{days[0].replace('-', '')}:{days[1].replace('-', '')}"
        asked = {
            "q": query[:400],
            "cx": self._engine,
            "num": min(k, 10),
            "siteSearch": narrowed.site,
            "lr": f"lang_{narrowed.language}" if narrowed.language else None,
            "sort": span,
        }
        # The key goes into a header: an address may end in a log.
        answer = self.get("/customsearch/v1", asked, {"X-Goog-Api-Key": self._key})
        rows = rows_at(self.json(answer), "items")
        told = ((row.get("link"), row.get("title"), row.get("snippet"), None) for row in rows)
        return self.collect(told, k, narrowed)
