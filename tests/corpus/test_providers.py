from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from averment.corpus.corpus import Corpus
from averment.corpus.ingest import DocumentDraft
from averment.corpus.providers.choose import choose_provider, open_fetcher
from averment.corpus.providers.duckduckgo import DuckDuckGo
from averment.corpus.providers.engines import Brave, SearXng, Tavily
from averment.corpus.providers.local import LocalCorpus
from averment.corpus.providers.wikipedia import Wikipedia
from averment.corpus.web.fetch import Fetcher
from averment.errors import AddressRefused, InvalidSettings, SourceUnreachable
from averment.settings import Settings

HOSTILE_ROWS = [
    {"url": "javascript:alert(1)", "title": "bad scheme"},
    {"url": None, "title": "no address"},
    "no object",
    {"url": "https://example.org/a", "title": "same again"},
]


def served(site: Any, path: str, document: object) -> None:
    site.serve(path, json.dumps(document).encode(), Content_Type="application/json")


def test_wikipedia_gives_articles_with_their_addresses(site: Any, fetcher: Fetcher) -> None:
    rows = [
        {
            "title": "Wind power",
            "snippet": 'grew by <span class="searchmatch">wind</span> &amp; sun',
            "timestamp": "2024-05-06T07:08:09Z",
        },
        {"title": "Turbine", "snippet": "a machine"},
    ]
    served(site, "/w/api.php", {"query": {"search": rows}})
    found = Wikipedia(fetcher, site.url("")).search("wind power", 5)
    assert [one.url for one in found] == [site.url("/wiki/Wind_power"), site.url("/wiki/Turbine")]
    assert (found[0].snippet, found[0].published_at) == ("grew by wind & sun", "2024-05-06")
    assert "srsearch=wind+power" in site.asked[-1]


def test_searxng_gives_its_results_and_leaves_out_what_is_no_web_page(site: Any, fetcher: Fetcher) -> None:
    rows = [
        {"url": "https://example.org/a", "title": "A", "content": "text", "publishedDate": "2023-01-02"},
        *HOSTILE_ROWS,
    ]
    served(site, "/search", {"results": rows})
    found = SearXng(fetcher, site.url("")).search("q", 5)
    assert [(one.url, one.title, one.published_at) for one in found] == [("https://example.org/a", "A", "2023-01-02")]


def test_brave_sends_its_key_in_a_header_and_reads_its_results(site: Any, fetcher: Fetcher) -> None:
    served(
        site,
        "/res/v1/web/search",
        {"web": {"results": [{"url": "https://example.org/a", "title": "A", "description": "d"}]}},
    )
    assert [one.title for one in Brave(fetcher, "k3y", site.url("")).search("q", 3)] == ["A"]
    assert site.headers[-1]["x-subscription-token"] == "k3y"
    assert "k3y" not in site.asked[-1]


def test_tavily_posts_its_query_and_reads_its_results(site: Any, fetcher: Fetcher) -> None:
    served(
        site,
        "/search",
        {"answer": "ignored", "results": [{"url": "https://example.org/a", "title": "A", "content": "c"}]},
    )
    assert [one.snippet for one in Tavily(fetcher, "k3y", site.url("")).search("a question", 3)] == ["c"]
    assert json.loads(site.bodies[-1])["query"] == "a question"
    assert site.headers[-1]["authorization"] == "Bearer k3y"


def test_duckduckgo_gives_the_pages_behind_its_redirects_and_no_advertisement(site: Any, fetcher: Fetcher) -> None:
    page = """<html><body>
    <div class="result results_links web-result"><a class="result__a"
    href="//duckduckgo.com/l/?uddg=https%3A%2F%2Fexample.org%2Fa%3Fx%3D1&rut=1">First <b>page</b></a>
    <a class="result__snippet">Some <b>words</b>.</a></div>
    <div class="result result--ad"><a class="result__a" href="https://ads.example/">Ad</a></div>
    <div class="result"><a class="result__a" href="https://example.org/b">Second</a></div></body></html>"""
    site.serve("/html/", page.encode(), Content_Type="text/html")
    found = DuckDuckGo(fetcher, site.url("")).search("q", 5)
    assert [(one.url, one.title) for one in found] == [
        ("https://example.org/a?x=1", "First page"),
        ("https://example.org/b", "Second"),
    ]


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1, 2]", b'{"results": 5}', b'{"results": [[]]}', b"\xff\xfe"])
def test_an_answer_of_another_shape_gives_nothing_or_is_told(site: Any, fetcher: Fetcher, body: bytes) -> None:
    for path in ("/search", "/w/api.php", "/res/v1/web/search", "/html/"):
        site.serve(path, body)
    base = site.url("")
    for provider in (
        SearXng(fetcher, base),
        Wikipedia(fetcher, base),
        Brave(fetcher, "k", base),
        DuckDuckGo(fetcher, base),
    ):
        try:
            assert provider.search("q", 3) == []
        except SourceUnreachable as error:
            assert error.retryable


def test_a_service_that_turns_us_away_is_unreachable(site: Any, fetcher: Fetcher) -> None:
    site.serve("/search", b"{}", status=429)
    with pytest.raises(SourceUnreachable) as caught:
        SearXng(fetcher, site.url("")).search("q", 3)
    assert caught.value.details["status"] == 429


def test_the_local_corpus_gives_each_document_once(local: Corpus, draft: Callable[..., DocumentDraft]) -> None:
    long = "\n\n".join(f"Wind power paragraph {number}. " * 30 for number in range(10))
    list(local.add([draft("Wind", long, published_at="2024-01-01"), draft("Sun", "Solar power and wind power.")]))
    found = LocalCorpus(local).search("wind power", 5)
    assert sorted(one.title for one in found) == ["Sun", "Wind"]
    assert {one.provider for one in found} == {"corpus"}
    assert "2024-01-01" in {one.published_at for one in found}


def test_providers_are_chosen_by_name_and_ask_for_what_they_need(local: Corpus, home: Settings) -> None:
    fetcher = open_fetcher(home)
    for name in ("corpus", "wikipedia", "duckduckgo", "arxiv", "openalex", "crossref", "pubmed", "github"):
        assert choose_provider(name, settings=home, corpus=local, fetcher=fetcher, environment={}).name == name
    for name in ("searxng", "brave", "tavily", "serper", "exa", "google"):
        with pytest.raises(InvalidSettings):
            choose_provider(name, settings=home, corpus=local, fetcher=fetcher, environment={})
    names = ("BRAVE_API_KEY", "TAVILY_API_KEY", "SERPER_API_KEY", "EXA_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CSE_ID")
    keys = dict.fromkeys(names, "a")
    mine = home.model_copy(update={"searxng_url": "http://127.0.0.1:8080"})
    for name in ("searxng", "brave", "tavily", "serper", "exa", "google"):
        assert choose_provider(name, settings=mine, corpus=local, fetcher=fetcher, environment=keys).name == name


def test_only_the_searxng_instance_that_was_set_may_lie_inside_and_no_page_borrows_that(
    site: Any, local: Corpus, home: Settings
) -> None:
    served(site, "/search", {"results": [{"url": "https://example.org/a", "title": "A"}]})
    mine = home.model_copy(update={"searxng_url": site.url("")})
    fetcher = open_fetcher(mine)
    provider = choose_provider("searxng", settings=mine, corpus=local, fetcher=fetcher, environment={})
    assert [one.title for one in provider.search("q", 1)] == ["A"]
    with pytest.raises(AddressRefused):
        fetcher.fetch(site.url("/search"))
    with pytest.raises(AddressRefused):
        SearXng(fetcher, site.url("")).search("q", 1)
