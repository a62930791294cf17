"""A search provider: a person's own list of addresses, in the file that ``EXAMPLE_BOOKMARKS`` names.

Each line of it is an address, a title and some words, with tabs between them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from averment.corpus.providers.protocol import ANY, Found, Narrowed, SearchProvider, SearchService
from averment.corpus.web.fetch import Fetcher
from averment.errors import InvalidSettings

VARIABLE = "EXAMPLE_BOOKMARKS"


@dataclass(frozen=True)
class Bookmarks:
    """The list, searched by words."""

    path: Path
    name: str = "bookmarks"

    def search(self, query: str, k: int, narrowed: Narrowed = ANY) -> list[Found]:
        """The addresses whose title or words share most words with the query."""
        wanted = {word.strip("?.,").casefold() for word in query.split()}
        ranked: list[tuple[int, int, Found]] = []
        for place, line in enumerate(self.path.read_text(encoding="utf-8").splitlines()):
            url, title, words = [*line.split("\t"), "", ""][:3]
            shared = len(wanted & set(f"{title} {words}".casefold().split()))
            found = Found(url=url, title=title, snippet=words, provider=self.name)
            if shared and narrowed.keeps(found):
                ranked.append((-shared, place, found))
        return [found for _, _, found in sorted(ranked, key=lambda each: each[:2])[:k]]


def open_bookmarks(fetcher: Fetcher, environment: Mapping[str, str]) -> SearchProvider:
    """The list that the environment names."""
    del fetcher  # It asks nobody.
    if not environment.get(VARIABLE):
        raise InvalidSettings("The provider bookmarks needs a file.", hint=f"Set {VARIABLE} in the environment.")
    return Bookmarks(Path(environment[VARIABLE]))


BOOKMARKS = SearchService(name="bookmarks", open=open_bookmarks)
