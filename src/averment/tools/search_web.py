"""``search.web``: addresses that a search provider names for a question; a provider that fails is told, not fatal."""

from __future__ import annotations

from pydantic import Field

from averment.errors import AvermentError
from averment.records.research.run import DAY, LANGUAGE, SITE
from averment.settings import WebProvider
from averment.tools.tool import Args, Output, ToolContext, tool

_TITLE, _SNIPPET = 300, 1000


class SearchWebArgs(Args):
    """A question and whom to ask."""

    query: str = Field(min_length=1, max_length=500, description="The question in plain words.")
    provider: WebProvider = Field(description="Which provider to ask.")
    k: int = Field(default=5, ge=1, le=20, description="How many addresses at most.")
    since: str | None = Field(default=None, pattern=DAY, description="Only sources of this day or later.")
    until: str | None = Field(default=None, pattern=DAY, description="Only sources of this day or earlier.")
    site: str | None = Field(default=None, pattern=SITE, description="Only sources of this host and those below it.")
    language: str | None = Field(default=None, pattern=LANGUAGE, description="Only sources in this language.")


class FoundPage(Output):
    """An address a provider names, and what it shows of it."""

    url: str
    title: str
    snippet: str


class SearchWebOutput(Output):
    """The addresses, the best first, or why there are none."""

    provider: str
    pages: tuple[FoundPage, ...]
    unreachable: str | None = Field(default=None, description="Why the provider did not answer.")


def search_web(args: SearchWebArgs, context: ToolContext) -> SearchWebOutput:
    """Ask the provider; when it cannot be reached or is not set up, the answer says so."""
    from averment.corpus.providers.choose import choose_provider, open_fetcher
    from averment.corpus.providers.protocol import Narrowed

    try:
        provider = choose_provider(
            args.provider,
            settings=context.settings,
            corpus=context.archive(),
            fetcher=open_fetcher(context.settings),
        )
        narrowed = Narrowed(since=args.since, until=args.until, site=args.site, language=args.language)
        found = provider.search(args.query, args.k, narrowed)
    except AvermentError as error:
        return SearchWebOutput(provider=args.provider, pages=(), unreachable=f"{error.code}: {error.message}")
    pages = tuple(
        FoundPage(url=one.url, title=one.title[:_TITLE], snippet=one.snippet[:_SNIPPET]) for one in found[: args.k]
    )
    return SearchWebOutput(provider=args.provider, pages=pages)


SEARCH_WEB = tool(
    "search.web",
    search_web,
    "Ask a search provider for addresses; leaves this machine, so it runs only where it was asked for.",
    idempotent=False,
    cost_seconds=3.0,
)
