"""Web engines: SearXNG, Brave, Tavily, Serper, Exa and Google's custom search; all but the first need a key."""

from __future__ import annotations

from collections.abc import Iterable

from averment.corpus.providers.protocol import Narrowed
from averment.corpus.providers.service import Row, Service, on_site, span_of
from averment.corpus.web.fetch import Fetcher


class SearXng(Service):
    """Finds pages through a metasearch engine, usually one's own; its JSON format must be switched on there."""

    name = "searxng"

    def __init__(self, fetcher: Fetcher, base: str) -> None:
        super().__init__(fetcher, base=base)

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Pages."""
        asked = {"q": on_site(query[:400], narrowed), "format": "json", "safesearch": 1, "language": narrowed.language}
        return self.told(self.get("/search", asked), "results", "url title content publishedDate")


class Brave(Service):
    """Finds pages in Brave's index; its free plan takes one question a second."""

    name, home, interval = "brave", "https://api.search.brave.com", 1.05

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Pages."""
        span = span_of(narrowed)
        asked = {
            "q": on_site(query[:400], narrowed),
            "count": min(k, 20),
            "safesearch": "moderate",
            "search_lang": narrowed.language,
            "freshness": "to".join(span) if span else None,
        }
        answer = self.get("/res/v1/web/search", asked, {"X-Subscription-Token": self._key})
        return self.told(answer, "web.results", "url title description page_age")


class Tavily(Service):
    """Finds pages through Tavily; only its list of pages is used, never its own answer."""

    name, home = "tavily", "https://api.tavily.com"

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Pages."""
        asked = {
            "query": query[:400],
            "max_results": min(k, 20),
            "include_answer": False,
            "include_domains": [narrowed.site] if narrowed.site else None,
            "start_date": narrowed.since,
            "end_date": narrowed.until,
        }
        answer = self.post("/search", asked, {"Authorization": f"Bearer {self._key}"})
        return self.told(answer, "results", "url title content published_date")


class Serper(Service):
    """Finds pages through Serper, which asks Google."""

    name, home = "serper", "https://google.serper.dev"

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Pages."""
        asked = {"q": on_site(query[:400], narrowed), "num": min(k, 20), "hl": narrowed.language}
        return self.told(self.post("/search", asked, {"X-API-KEY": self._key}), "organic", "link title snippet date")


class Exa(Service):
    """Finds pages by meaning through Exa."""

    name, home, interval = "exa", "https://api.exa.ai", 0.2

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Pages."""
        asked = {
            "query": query[:400],
            "numResults": min(k, 20),
            "includeDomains": [narrowed.site] if narrowed.site else None,
            "startPublishedDate": f"{narrowed.since}T00:00:00.000Z" if narrowed.since else None,
            "endPublishedDate": f"{narrowed.until}T23:59:59.999Z" if narrowed.until else None,
        }
        answer = self.post("/search", asked, {"x-api-key": self._key})
        return self.told(answer, "results", "url title text publishedDate")


class Google(Service):
    """Finds pages through a custom search engine of Google's; beside the key it needs that engine's id."""

    name, home = "google", "https://customsearch.googleapis.com"

    def __init__(self, fetcher: Fetcher, key: str, engine: str, base: str = "") -> None:
        super().__init__(fetcher, key, base)
        self._engine = engine

    def rows(self, query: str, k: int, narrowed: Narrowed) -> Iterable[Row]:
        """Pages, undated."""
        span = span_of(narrowed)
        asked = {
            "q": query[:400],
            "cx": self._engine,
            "num": min(k, 10),
            "siteSearch": narrowed.site,
            "lr": f"lang_{narrowed.language}" if narrowed.language else None,
            "sort": f"date:r:{':'.join(span)}".replace("-", "") if span else None,
        }
        # The key goes into a header: an address may end in a log.
        answer = self.get("/customsearch/v1", asked, {"X-Goog-Api-Key": self._key})
        return self.told(answer, "items", "link title snippet")
