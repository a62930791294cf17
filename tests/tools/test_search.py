"""Searching and reading sources: repeatable over the archive, honest about what is not reachable."""

import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from averment.corpus.corpus import Corpus
from averment.errors import InvalidArguments, VerificationFailed
from averment.records.base import iso_z
from averment.settings import Settings
from averment.store.db.database import Database
from averment.tools.registry import standard_registry
from averment.tools.tool import ToolContext

REGISTRY = standard_registry()
QUESTION = "When was Lindholm Harbour deepened?"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    folder.mkdir()
    (folder / "one.md").write_text("# Ports\n\nLindholm Harbour was deepened in 1961. It rained.")
    (folder / "two.md").write_text("# Bread\n\nRye bread is made of rye flour, water and salt.")
    return folder


@pytest.fixture
def corpus(home: Settings, library: Path) -> Iterator[Corpus]:
    database = Database.open(home)
    opened = Corpus(database)
    list(opened.add_sources([str(library)]))
    yield opened
    opened.close()
    database.close()


@pytest.fixture
def reading(context: ToolContext, corpus: Corpus) -> ToolContext:
    return replace(context, corpus=lambda: corpus)


def call(context: ToolContext, name: str, **arguments: Any) -> Any:
    return REGISTRY.get(name).run(REGISTRY.validate(name, arguments), context)


def pins(corpus: Corpus) -> list[dict[str, Any]]:
    return [
        {
            "document_id": one.document_id,
            "snapshot_sha256": one.snapshot_sha256,
            "url": one.url,
            "title": one.title,
            "domain": one.domain,
            "group": one.document_id,
            "accessed_at": iso_z(one.accessed_at),
        }
        for one in corpus.documents()
    ]


def test_a_passage_stands_at_its_place_in_the_archived_text(reading: ToolContext, corpus: Corpus) -> None:
    sources = pins(corpus)
    found = call(reading, "search.corpus", query=QUESTION, sources=sources).passages
    assert found
    assert "1961" in found[0].text
    for one in found:
        assert corpus.quote(sources[one.source]["snapshot_sha256"], one.start, one.end) == one.text


def test_a_search_gives_the_same_when_the_corpus_has_changed(
    reading: ToolContext, corpus: Corpus, library: Path
) -> None:
    sources = pins(corpus)
    before = call(reading, "search.corpus", query=QUESTION, sources=sources)
    (library / "one.md").write_text("# Ports\n\nLindholm Harbour was never deepened.")
    (library / "three.md").write_text("# More\n\nLindholm Harbour was deepened in 1999.")
    list(corpus.add_sources([str(library)]))
    corpus.remove(sources[1]["document_id"])
    assert call(reading, "search.corpus", query=QUESTION, sources=sources) == before


def test_an_altered_archive_is_not_quoted_from(reading: ToolContext, corpus: Corpus, home: Settings) -> None:
    with sqlite3.connect(home.home / "db" / "averment.db") as connection:
        connection.execute("UPDATE corpus_archive SET body = zeroblob(20)")
    connection.close()
    with pytest.raises(VerificationFailed):
        call(reading, "search.corpus", query=QUESTION, sources=pins(corpus))


def test_without_a_corpus_a_search_is_refused(context: ToolContext) -> None:
    with pytest.raises(InvalidArguments):
        call(context, "search.corpus", query=QUESTION, sources=[])


def test_an_unknown_provider_is_refused_before_anything_runs() -> None:
    with pytest.raises(InvalidArguments):
        REGISTRY.validate("search.web", {"query": QUESTION, "provider": "altavista"})


def test_a_provider_that_is_not_set_up_is_told(reading: ToolContext) -> None:
    output = call(reading, "search.web", query=QUESTION, provider="searxng")
    assert output.pages == ()
    assert str(output.unreachable).startswith("INVALID_SETTINGS")


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1/", "http://169.254.169.254/", "file:///etc/passwd", "etc/passwd"]
)
def test_nothing_inside_can_be_read_as_a_page(reading: ToolContext, address: str) -> None:
    output = call(reading, "page.read", addresses=[address])
    assert output.pages == ()
    assert [one.code for one in output.unreachable] == ["ADDRESS_REFUSED"]


def test_what_asks_the_outside_world_says_that_it_cannot_be_repeated() -> None:
    assert REGISTRY.get("search.corpus").annotations.idempotent
    assert not REGISTRY.get("search.web").annotations.idempotent
    assert not REGISTRY.get("page.read").annotations.idempotent
