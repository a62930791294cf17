"""Which archived sources a question is searched in: the most likely of those it was given, pinned as they are now."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from averment.agents.researcher.questions import request_of
from averment.corpus.corpus import DEFAULT, Corpus
from averment.errors import AvermentError
from averment.records.base import iso_z
from averment.tools.page_read import PageReadOutput
from averment.tools.search_corpus import PinnedSource

if TYPE_CHECKING:
    from averment.corpus.hits import Hit
    from averment.runtime.run_context import RunContext
    from averment.runtime.run_json import SourceRead

MOST_SOURCES = 10
"""The researcher contract keeps at most ten search results with a sub-question."""
_HITS = 30
YEAR = re.compile(r"(?<![\d.,])(?:1[0-9]|20)\d{2}(?![\d,]|\.\d)")
"""A year as texts write it; no part of a larger number."""


@dataclass(frozen=True, slots=True)
class SourceSurvey:
    """What documents hold on some words: the best passages, and the sources they stand in."""

    hits: tuple[Hit, ...]
    pins: tuple[PinnedSource, ...]


VECTORS_AT_ONCE = 256
"""So many missing vectors are computed before planning; more are left to the background."""


def ranks_by_words(work: RunContext) -> bool:
    """Whether this research ranks by words alone: while many vectors are missing the order would depend on the moment.

    Decided once for a run and kept before the background begins, so that a resumed run goes on in the same way.
    """
    runs, corpus = work.services.store.runs, work.services.texts.corpus
    kept = runs.record(work.run_id, "ranking", "ranking")
    if kept is None:
        kept = {"by_words": corpus.pending_vectors() > VECTORS_AT_ONCE}
        runs.put(work.run_id, "ranking", "ranking", kept)
    by_words = bool(kept["by_words"])
    if by_words:
        corpus.start_vectors()
    elif corpus.pending_vectors():
        corpus.finish_vectors()
    return by_words


def visible(work: RunContext) -> frozenset[str]:
    """The ids of the documents that a research may see: of its corpora, of the sources it was given, of its pages.

    Without a corpus or a source of its own it sees the default corpus, unless it asks other providers alone.
    """
    request = request_of(work)
    names = request.corpora
    if not names and not request.corpus and "corpus" in request.providers:
        names = (DEFAULT,)
    seen = set(work.services.texts.corpus.members.of(names)) if names else set[str]()
    seen.update(one["document_id"] for one in work.state.reading.get("read", ()) if "document_id" in one)
    for call, observation in work.state.answered.values():
        if call.tool_name == "page.read":
            seen.update(page.document_id for page in PageReadOutput.model_validate(observation.data).pages)
    return frozenset(seen)


def survey(
    corpus: Corpus, words: str, within: frozenset[str], *, most: int = MOST_SOURCES, by_words: bool = False
) -> SourceSurvey:
    """The best passages of these documents for some words, and their sources as they are archived now."""
    try:
        hits = tuple(corpus.search_hops(words, _HITS, within=within, by_words=by_words))
    except AvermentError:
        return SourceSurvey((), ())  # Nothing to search for: the words are all signs.
    return SourceSurvey(
        hits, pin(corpus, dict.fromkeys(hit.document_id for hit in _timely_first(words, hits)), most=most)
    )


def _timely_first(words: str, hits: Sequence[Hit]) -> list[Hit]:
    """The hits in their order, but of words that name years those last that name other years only.

    Few sources are read for a question; what is said of other years must not take the place of the year asked about.
    """
    asked = set(YEAR.findall(words))

    def is_of_another(hit: Hit) -> bool:
        named = set(YEAR.findall(f"{hit.title} {hit.text}"))
        return bool(asked and named) and not asked & named

    return sorted(hits, key=is_of_another)


def pin(corpus: Corpus, document_ids: Iterable[str], *, most: int = MOST_SOURCES) -> tuple[PinnedSource, ...]:
    """The documents of these ids as pinned sources, in their order."""
    pins: list[PinnedSource] = []
    for document_id in document_ids:
        if len(pins) >= most:
            break
        document = corpus.document(document_id)
        pins.append(
            PinnedSource(
                document_id=document.document_id,
                snapshot_sha256=document.snapshot_sha256,
                url=document.url,
                title=document.title,
                domain=document.domain,
                group=document.copies_of or document.document_id,
                accessed_at=iso_z(document.accessed_at),
                published_at=document.published_at,
                kind=document.kind,
            )
        )
    return tuple(pins)


def read_sources(corpus: Corpus, places: Collection[str], fetcher: Any) -> list[SourceRead]:
    """Read files, folders and pages into the corpus; what each became, with its digest or why it was refused."""
    told: list[SourceRead] = []
    for added in corpus.add_sources(places, fetcher=fetcher, into=""):
        one: SourceRead = {"url": added.url, "outcome": added.outcome}
        if added.document is not None:
            one["document_id"] = added.document.document_id
            one["snapshot_sha256"] = added.document.snapshot_sha256
        if added.error is not None:
            one["code"], one["reason"] = added.error.code, added.error.message
        told.append(one)
    return told
