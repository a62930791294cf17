"""Which provider a setting means, with the key it needs from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TypeAlias
from urllib.parse import urlsplit

from averment import plugins
from averment.corpus.corpus import Corpus
from averment.corpus.providers.protocol import SearchProvider, SearchService
from averment.corpus.web.cache import PageCache
from averment.corpus.web.client import WebLimits
from averment.corpus.web.fetch import Fetcher
from averment.errors import InvalidSettings
from averment.settings import WEB_PROVIDERS, SearchProviderName, Settings

ProviderName: TypeAlias = SearchProviderName

KEYS = {
    "brave": "BRAVE_API_KEY",
    "tavily": "TAVILY_API_KEY",
    "serper": "SERPER_API_KEY",
    "exa": "EXA_API_KEY",
    "google": "GOOGLE_API_KEY",
}
"""The environment variable of each key that is needed."""
ENGINE = "GOOGLE_CSE_ID"


def open_fetcher(settings: Settings) -> Fetcher:
    """The fetcher of a home, with its cache; it reaches public pages, and the hosts that a person permitted."""
    allowed = frozenset(origin for one in settings.web_hosts for origin in _origins(one))
    return Fetcher(cache=PageCache(settings.home / "cache" / "pages"), allowed=allowed, proxy=settings.web_proxy)


def open_downloads(settings: Settings, *, most_bytes: int) -> Fetcher:
    """A fetcher for files of up to so many bytes, from the same hosts; nothing it fetches is cached."""
    allowed = frozenset(origin for one in settings.web_hosts for origin in _origins(one))
    limits = WebLimits(seconds=120.0, page_bytes=most_bytes)
    return Fetcher(limits=limits, allowed=allowed, proxy=settings.web_proxy)


def choose_provider(
    name: ProviderName,
    *,
    settings: Settings,
    corpus: Corpus,
    fetcher: Fetcher,
    environment: Mapping[str, str] | None = None,
) -> SearchProvider:
    """The provider of that name.

    Raises:
        InvalidSettings: it needs a key or an address that is not set.
        PluginFailed: a plugin adds it, and cannot be loaded.
    """
    from averment.corpus.providers import engines, scholarly

    known = os.environ if environment is None else environment
    match name:
        case "corpus":
            from averment.corpus.providers.local import LocalCorpus

            return LocalCorpus(corpus)
        case "wikipedia":
            from averment.corpus.providers.wikipedia import Wikipedia

            return Wikipedia(fetcher)
        case "duckduckgo":
            from averment.corpus.providers.duckduckgo import DuckDuckGo

            return DuckDuckGo(fetcher)
        case "searxng":
            if not settings.searxng_url:
                raise InvalidSettings("The provider searxng needs the setting searxng_url.")
            # A fetcher of its own: no page and no redirect can borrow the permission that the instance has.
            return engines.SearXng(Fetcher(allowed=_permitted(settings.searxng_url)), settings.searxng_url)
        case "google":
            return engines.Google(fetcher, _key(name, KEYS[name], known), _key(name, ENGINE, known))
        case "brave" | "tavily" | "serper" | "exa":
            made = {"brave": engines.Brave, "tavily": engines.Tavily, "serper": engines.Serper, "exa": engines.Exa}
            return made[name](fetcher, _key(name, KEYS[name], known))
        case "github":
            return scholarly.GitHub(fetcher, known.get("GITHUB_TOKEN", "").strip())
        case "arxiv" | "openalex" | "crossref" | "pubmed":
            free = {
                "arxiv": scholarly.Arxiv,
                "openalex": scholarly.OpenAlex,
                "crossref": scholarly.Crossref,
                "pubmed": scholarly.PubMed,
            }
            return free[name](fetcher)
        case _:
            service = plugins.load("providers", name, SearchService, ("corpus", *WEB_PROVIDERS))
            return service.open(fetcher, known)


def _key(provider: str, name: str, environment: Mapping[str, str]) -> str:
    key = environment.get(name, "").strip()
    if not key or not key.isascii() or not key.isprintable():
        raise InvalidSettings(f"The provider {provider} needs a key.", hint=f"Set {name} in the environment.")
    return key


def _origins(host: str) -> tuple[str, ...]:
    """The origins that a person permits by a host, with its port or with those of the web."""
    name, _, port = host.strip().lower().rpartition(":")
    if name and port.isdigit():
        return (f"{name}:{port}",)
    return (f"{host.strip().lower()}:80", f"{host.strip().lower()}:443")


def _permitted(url: str) -> frozenset[str]:
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise InvalidSettings("The setting searxng_url is not a URL.") from error
    return frozenset({f"{(parts.hostname or '').lower()}:{port}"})
