"""``search.corpus``: the passages of archived sources that fit a question, with their place in the archived text.

The sources are pinned by the digest of their archived text, so that the call gives the same passages whenever it is
repeated, and an archived text that was altered is noticed.
"""

from __future__ import annotations

from pydantic import Field

from averment.records.base import Sha256
from averment.tools.tool import Args, Output, ToolContext, tool

MOST_SOURCES = 50
MOST_PASSAGES = 100


class PinnedSource(Args):
    """An archived source as it was when it was chosen."""

    document_id: str = Field(min_length=1)
    snapshot_sha256: Sha256
    url: str = Field(min_length=1)
    title: str
    domain: str
    group: str = Field(description="Copies of one text share it.")
    accessed_at: str = Field(description="When it was archived.")
    published_at: str | None = Field(default=None, description="When it was published, as far as it says so.")
    kind: str = Field(default="text", description="How its text is marked up, as its reader said.")


class SearchCorpusArgs(Args):
    """A question, and the archived sources to look into, the most likely first."""

    query: str = Field(min_length=1, max_length=1000, description="The question in plain words.")
    sources: tuple[PinnedSource, ...] = Field(max_length=MOST_SOURCES, description="Archived sources by digest.")
    k: int = Field(default=12, ge=1, le=MOST_PASSAGES, description="How many passages at most.")


class FoundPassage(Output):
    """A passage: the place of its source among those given, its offsets in the archived text, and its words."""

    source: int
    start: int
    end: int
    text: str
    coverage: float = Field(description="The share of the question's words, weighed by rarity, that it holds.")


class SearchCorpusOutput(Output):
    """The passages, the best first."""

    passages: tuple[FoundPassage, ...]


def search_corpus(args: SearchCorpusArgs, context: ToolContext) -> SearchCorpusOutput:
    """Rank the passages of the pinned texts, read from the archive and checked against their digests."""
    from averment.corpus.pinned import search_pinned

    pins = [(source.snapshot_sha256, source.title) for source in args.sources]
    hits = search_pinned(context.archive(), args.query, pins, args.k)
    return SearchCorpusOutput(
        passages=tuple(
            FoundPassage(source=hit.place, start=hit.start, end=hit.end, text=hit.text, coverage=hit.coverage)
            for hit in hits
        )
    )


SEARCH_CORPUS = tool(
    "search.corpus",
    search_corpus,
    "Find the passages of archived sources that fit a question, with their offsets in the archived text.",
    cost_seconds=0.5,
)
