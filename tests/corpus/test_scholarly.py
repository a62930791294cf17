"""Papers, programs and further engines, each from an answer as its service gives it; what is wanted; the pace."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from averment.corpus.providers.choose import open_fetcher
from averment.corpus.providers.engines import Brave, Exa, Google, SearXng, Serper, Tavily
from averment.corpus.providers.protocol import Found, Narrowed
from averment.corpus.providers.scholarly import Arxiv, Crossref, GitHub, OpenAlex, PubMed
from averment.corpus.web.client import WebLimits
from averment.corpus.web.fetch import Fetcher, ServicePace, wait_after
from averment.errors import AddressRefused, SourceUnreachable
from averment.settings import Settings

FEED = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom"><title>arXiv Query</title>
<entry><id>http://arxiv.org/abs/2101.00001v1</id><published>2021-01-02T03:04:05Z</published>
<title>Mooring
  lines</title><summary>Lines hold &amp; stretch.</summary></entry>
<entry><id>http://arxiv.org/abs/1901.00002v1</id><published>2019-01-02T03:04:05Z</published>
<title>Old lines</title><summary>Older.</summary></entry></feed>"""


def served(site: Any, path: str, document: object) -> None:
    site.serve(path, json.dumps(document).encode(), Content_Type="application/json")


def test_arxiv_reads_its_feed_and_keeps_to_the_days_wanted(site: Any, fetcher: Fetcher) -> None:
    site.serve("/api/query", FEED.encode(), Content_Type="application/atom+xml")
    found = Arxiv(fetcher, base=site.url("")).search("mooring lines", 5, Narrowed(since="2020-01-01"))
    assert [(one.url, one.title, one.published_at) for one in found] == [
        ("https://arxiv.org/abs/2101.00001v1", "Mooring lines", "2021-01-02")
    ]
    assert "all%3Amooring+AND+all%3Alines" in site.asked[-1]
    assert "submittedDate%3A%5B202001010000+TO+210001012359%5D" in site.asked[-1]


def test_arxiv_refuses_a_feed_that_is_none(site: Any, fetcher: Fetcher) -> None:
    site.serve("/api/query", b"<html>busy")
    with pytest.raises(SourceUnreachable):
        Arxiv(fetcher, base=site.url("")).search("mooring", 5)


def test_openalex_gives_works_at_the_page_they_are_read_at(site: Any, fetcher: Fetcher) -> None:
    rows = [
        {
            "id": "https://openalex.org/W1",
            "title": "Moorings",
            "publication_date": "2022-05-06",
            "primary_location": {"landing_page_url": "https://journal.example.org/1"},
        },
        {"id": "https://openalex.org/W2", "doi": "https://doi.org/10.1/x", "title": "More", "primary_location": None},
    ]
    served(site, "/works", {"results": rows})
    found = OpenAlex(fetcher, base=site.url("")).search("moorings", 5, Narrowed(since="2022-01-01", language="en"))
    assert [one.url for one in found] == ["https://journal.example.org/1", "https://doi.org/10.1/x"]
    assert "from_publication_date%3A2022-01-01%2Clanguage%3Aen" in site.asked[-1]


def test_crossref_reads_dates_as_far_as_they_go(site: Any, fetcher: Fetcher) -> None:
    items = [
        {"URL": "https://doi.org/10.1/a", "title": ["A"], "issued": {"date-parts": [[2020, 3]]}},
        {"URL": "https://doi.org/10.1/b", "title": [], "issued": {"date-parts": [[None]]}},
    ]
    served(site, "/works", {"message": {"items": items}})
    found = Crossref(fetcher, base=site.url("")).search("moorings", 5)
    assert [(one.url, one.published_at) for one in found] == [
        ("https://doi.org/10.1/a", "2020-03"),
        ("https://doi.org/10.1/b", None),
    ]


def test_pubmed_asks_for_ids_and_then_for_what_they_are(site: Any, fetcher: Fetcher) -> None:
    served(site, "/entrez/eutils/esearch.fcgi", {"esearchresult": {"idlist": ["12", "x;y", "13"]}})
    told = {"uids": ["12", "13"], "12": {"title": "A", "source": "J", "sortpubdate": "2021/02/03 00:00"}, "13": 5}
    served(site, "/entrez/eutils/esummary.fcgi", {"result": told})
    found = PubMed(fetcher, base=site.url("")).search("moorings", 5)
    assert [(one.url, one.title) for one in found] == [("https://pubmed.ncbi.nlm.nih.gov/12/", "A")]
    assert "id=12%2C13" in site.asked[-1]


def test_github_gives_repositories_and_its_token_stays_in_a_header(site: Any, fetcher: Fetcher) -> None:
    rows = [
        {"full_name": "harbour/lines", "description": "d", "pushed_at": "2024-01-02T00:00:00Z"},
        {"full_name": "../../etc", "description": ""},
    ]
    served(site, "/search/repositories", {"items": rows})
    found = GitHub(fetcher, "t0ken", site.url("")).search("mooring lines", 5)
    assert [one.url for one in found] == ["https://github.com/harbour/lines"]
    assert site.headers[-1]["authorization"] == "Bearer t0ken"
    assert "t0ken" not in site.asked[-1]


def test_serper_exa_and_google_read_their_results_and_send_what_is_wanted(site: Any, fetcher: Fetcher) -> None:
    wanted = Narrowed(site="example.org", since="2024-01-01", language="de")
    served(site, "/search", {"organic": [{"link": "https://example.org/a", "title": "A", "snippet": "s"}]})
    assert [one.title for one in Serper(fetcher, "k3y", site.url("")).search("q", 3, wanted)] == ["A"]
    assert json.loads(site.bodies[-1]) == {"q": "q site:example.org", "num": 3, "hl": "de"}
    served(site, "/search", {"results": [{"url": "https://www.example.org/b", "title": "B"}]})
    assert [one.title for one in Exa(fetcher, "k3y", site.url("")).search("q", 3, wanted)] == ["B"]
    assert json.loads(site.bodies[-1])["includeDomains"] == ["example.org"]
    served(site, "/customsearch/v1", {"items": [{"link": "https://example.org/c", "title": "C", "snippet": "s"}]})
    assert [one.title for one in Google(fetcher, "k3y", "engine", site.url("")).search("q", 3, wanted)] == ["C"]
    assert "siteSearch=example.org" in site.asked[-1]
    assert "k3y" not in site.asked[-1]


def test_what_is_of_another_site_or_another_time_is_left_out_whatever_the_service_says() -> None:
    wanted = Narrowed(site="example.org", since="2024-01-01", until="2024-12-31")

    def found(url: str, day: str | None) -> Found:
        return Found(url=url, title="t", snippet="", provider="p", published_at=day)

    assert wanted.keeps(found("https://docs.example.org/a", "2024-06-01"))
    assert wanted.keeps(found("https://example.org/a", None))
    assert wanted.keeps(found("https://example.org/a", "2024"))
    assert not wanted.keeps(found("https://notexample.org/a", "2024-06-01"))
    assert not wanted.keeps(found("https://example.org/a", "2023-12-31"))
    assert not wanted.keeps(found("https://example.org/a", "2025-01-01"))


def test_brave_tavily_and_searxng_send_what_is_wanted(site: Any, fetcher: Fetcher) -> None:
    wanted = Narrowed(site="example.org", since="2024-01-01", language="de")
    served(site, "/res/v1/web/search", {"web": {"results": []}})
    Brave(fetcher, "k", site.url("")).search("q", 3, wanted)
    assert "freshness=2024-01-01to2100-01-01" in site.asked[-1]
    served(site, "/search", {"results": []})
    Tavily(fetcher, "k", site.url("")).search("q", 3, wanted)
    assert json.loads(site.bodies[-1])["start_date"] == "2024-01-01"
    SearXng(fetcher, site.url("")).search("q", 3, wanted)
    assert "language=de" in site.asked[-1]


def _busy_first(site: Any, path: str, times: int, status: int, retry_after: str | None) -> None:
    """A service that turns the first requests away."""
    left = [times]

    def route(handler: Any) -> None:
        body = b'{"results": [{"url": "https://example.org/a", "title": "A"}]}'
        busy = left[0] > 0
        left[0] -= 1
        handler.send_response(status if busy else 200)
        if busy and retry_after is not None:
            handler.send_header("Retry-After", retry_after)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    site.routes[path] = route


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_service_is_asked_again_when_it_says_so(site: Any, fetcher: Fetcher, status: int) -> None:
    _busy_first(site, "/search", 1, status, "0")
    assert [one.title for one in SearXng(fetcher, site.url("")).search("q", 3)] == ["A"]
    assert len(site.asked) == 2


def test_a_service_that_wants_longer_than_there_is_time_is_not_waited_for(site: Any) -> None:
    _busy_first(site, "/search", 1, 429, "3600")
    host = site.url("").removeprefix("http://")
    with pytest.raises(SourceUnreachable):
        SearXng(Fetcher(allowed=frozenset({host}), limits=WebLimits(seconds=5)), site.url("")).search("q", 3)
    assert len(site.asked) == 1


def test_how_long_a_server_wants_to_be_left_alone_is_read_in_both_forms() -> None:
    assert wait_after({"retry-after": "7"}, 0) == 7
    assert wait_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0) == 0
    assert wait_after({}, 1) > wait_after({}, 0) > 0
    assert wait_after({"retry-after": "soon"}, 0) > 0


def test_two_requests_to_one_service_keep_their_distance() -> None:
    pace = ServicePace()
    began = time.monotonic()
    assert pace.take_turn("one", 0.2, began + 10)
    assert pace.take_turn("two", 0.2, began + 10)
    assert pace.take_turn("one", 0.2, began + 10)
    assert time.monotonic() - began >= 0.2
    assert not pace.take_turn("one", 60.0, began)


def test_a_host_of_ones_own_network_is_read_only_where_a_person_permitted_it(site: Any, home: Settings) -> None:
    site.serve("/page", b"<p>Inside.</p>", Content_Type="text/html")
    host = site.url("").removeprefix("http://")
    with pytest.raises(AddressRefused):
        open_fetcher(home).fetch(site.url("/page"))
    mine = home.model_copy(update={"web_hosts": (host,)})
    assert b"Inside" in open_fetcher(mine).fetch(site.url("/page")).content


def test_pages_go_through_the_proxy_that_was_set_and_inner_addresses_are_refused_all_the_same(
    site: Any, home: Settings
) -> None:
    def route(handler: Any) -> None:
        handler.send_response(200)
        handler.send_header("Content-Type", "text/plain")
        handler.send_header("Content-Length", "7")
        handler.end_headers()
        handler.wfile.write(b"proxied")

    for path in ("http://example.org:80/page", "http://example.org:80/robots.txt"):
        site.routes[path] = route
    mine = home.model_copy(update={"web_proxy": site.url("")})
    assert open_fetcher(mine).fetch("http://example.org/page").content == b"proxied"
    assert site.asked[-1] == "http://example.org:80/page"
    with pytest.raises(AddressRefused):
        open_fetcher(mine).fetch("http://169.254.169.254/latest")
