"""Which provider a setting means, with the key it needs from the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal
from urllib.parse import urlsplit

from averment.corpus.corpus import Corpus
from averment.corpus.providers.protocol import SearchProvider
from averment.corpus.web.cache import PageCache
from averment.corpus.web.fetch import Fetcher
from averment.errors import InvalidSettings
from averment.settings import Settings

ProviderName = Literal["corpus", "wikipedia", "searxng", "brave", "tavily", "duckduckgo"]

_KEYS = {"brave": "BRAVE_API_KEY", "tavily": "TAVILY_API_KEY"}


def open_fetcher(settings: Settings) -> Fetcher:
    """The fetcher of a home, with its cache; it reaches public pages only."""
    return Fetcher(cache=PageCache(settings.home / "cache" / "pages"))


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
    """
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
            from averment.corpus.providers.searxng import SearXng

            if not settings.searxng_url:
                raise InvalidSettings("The provider searxng needs the setting searxng_url.")
            # A fetcher of its own: no page and no redirect can borrow the permission that the instance has.
            return SearXng(Fetcher(allowed=_permitted(settings.searxng_url)), settings.searxng_url)
        case "brave":
            from averment.corpus.providers.brave import Brave

            return Brave(fetcher, _key(name, known))
        case "tavily":
            from averment.corpus.providers.tavily import Tavily

            return Tavily(fetcher, _key(name, known))


def _key(name: str, environment: Mapping[str, str]) -> str:
    key = environment.get(_KEYS[name], "").strip()
    if not key or not key.isascii() or not key.isprintable():
        raise InvalidSettings(f"The provider {name} needs a key.", hint=f"Set {_KEYS[name]} in the environment.")
    return key


def _permitted(url: str) -> frozenset[str]:
    try:
        parts = urlsplit(url)
        port = parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError as error:
        raise InvalidSettings("The setting searxng_url is no address.") from error
    return frozenset({f"{(parts.hostname or '').lower()}:{port}"})
