from __future__ import annotations

import gzip
import ipaddress
import json
import zlib
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.corpus.web.addresses import check_address, is_public
from averment.corpus.web.cache import PageCache
from averment.corpus.web.client import WebLimits
from averment.corpus.web.fetch import Fetcher, parse_robots
from averment.errors import (
    AddressRefused,
    AvermentError,
    FileTooLarge,
    RobotsRefused,
    SourceNotFound,
    SourceUnreachable,
    SourceUnreadable,
)

ATTACKS = [
    row
    for row in map(
        json.loads,
        (Path(__file__).parents[1] / "hostile" / "data" / "api_attacks" / "cases.jsonl")
        .read_text("utf-8")
        .splitlines(),
    )
    if row["kind"] == "ssrf_urls"
]
INSIDE = [
    "http://2130706433/",
    "http://017700000001/",
    "http://0x7f.1/",
    "http://127.0.0.1./",
    "http://[::]/",
    "http://[::1]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
    "http://[fc00::1]/",
    "http://[ff02::1]/",
    "http://224.0.0.1/",
    "http://printer/",
    "http://db.internal/",
    "https://user@example.org/",
    "http://example.org:22/",
    "http://exa mple.org/",
    "http://example.org\r\nHost: x/",
    "http://-bad-.org/",
    "http://%31%32%37.0.0.1/",
    "data:text/html,x",
    "",
]


def unreached(_: str, __: int) -> list[str]:
    raise AssertionError("nothing may be looked up")


def inside(host: str, _: int) -> list[str]:
    """Every name leads inside, after a public address where it rebinds."""
    return ["93.184.216.34", "127.0.0.1"] if "rebind" in host else ["127.0.0.1"]


@pytest.mark.parametrize("row", ATTACKS, ids=[row["id"] for row in ATTACKS])
def test_an_address_that_leads_inside_is_refused_before_anything_is_dialled(row: dict[str, str]) -> None:
    with pytest.raises(AddressRefused):
        Fetcher(look_up=inside).fetch(row["url"])


@pytest.mark.parametrize("url", INSIDE)
def test_other_ways_to_write_an_inner_address_are_refused_without_a_look_up(url: str) -> None:
    with pytest.raises(AddressRefused):
        Fetcher(look_up=unreached).fetch(url)


@given(st.integers(0, 2**32 - 1))
def test_an_inner_ipv4_address_stays_inner_in_every_ipv6_coat(number: int) -> None:
    plain = ipaddress.IPv4Address(number)
    coats = (f"::ffff:{plain}", f"64:ff9b::{plain}", str(ipaddress.IPv6Address((0x2002 << 112) | (number << 80))))
    for coat in coats:
        assert not is_public(ipaddress.ip_address(coat)) or is_public(plain)


def test_a_public_address_is_written_out_from_its_parts() -> None:
    found = check_address("HTTPS://Bücher.Example:443/a b".replace(" ", "%20") + "?q=é#part")
    assert found.text == "https://xn--bcher-kva.example/a%20b?q=%C3%A9"


def test_a_name_is_looked_up_once_for_each_exchange_and_that_answer_is_dialled(site: Any) -> None:
    site.serve("/", b"page")
    asked: list[str] = []

    def look_up(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"]

    origin = site.origin.replace("127.0.0.1", "rebind.example")
    page = Fetcher(look_up=look_up, allowed=frozenset({origin})).fetch(f"http://{origin}/")
    assert page.content == b"page"
    assert site.asked == ["/robots.txt", "/"]
    assert asked == ["rebind.example"] * 2
    assert {headers["host"] for headers in site.headers} == {origin}


def test_a_page_is_fetched_with_its_type_and_its_final_address(site: Any, fetcher: Fetcher) -> None:
    site.redirect("/old", "/new?x=1")
    site.serve("/new", "<p>Grüße</p>".encode("latin-1"), Content_Type="text/html; charset=ISO-8859-1")
    page = fetcher.fetch(site.url("/old"))
    assert (page.url, page.media_type, page.charset) == (site.url("/new?x=1"), "text/html", "ISO-8859-1")
    assert page.content == "<p>Grüße</p>".encode("latin-1")
    assert all("Averment" in headers["user-agent"] for headers in site.headers)


def test_a_redirect_inside_is_refused(site: Any, fetcher: Fetcher) -> None:
    for number, target in enumerate(
        ("http://127.0.0.1:1/", "http://169.254.169.254/latest/", "file:///etc/passwd", "//[::1]/")
    ):
        with pytest.raises(AddressRefused):
            fetcher.fetch(site.redirect(f"/go{number}", target))


def test_a_redirect_loop_ends(site: Any, fetcher: Fetcher) -> None:
    site.redirect("/a", "/b")
    with pytest.raises(SourceUnreachable):
        fetcher.fetch(site.redirect("/b", "/a"))
    assert len(site.asked) == 1 + 1 + fetcher.limits.redirects


@pytest.mark.parametrize(
    ("status", "error"),
    [(404, SourceNotFound), (410, SourceNotFound), (500, SourceUnreachable), (403, SourceUnreachable)],
)
def test_an_error_status_is_told(site: Any, fetcher: Fetcher, status: int, error: type[AvermentError]) -> None:
    with pytest.raises(error):
        fetcher.fetch(site.serve("/x", b"no", status=status))


def test_a_hundred_megabytes_are_refused_by_their_length_and_by_counting(site: Any, fetcher: Fetcher) -> None:
    def declared(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Length", "100000000")
        request.end_headers()

    def endless(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        while not site.released.is_set():
            request.wfile.write(b"10000\r\n" + b"x" * 65_536 + b"\r\n")

    site.routes |= {"/declared": declared, "/endless": endless}
    for path in ("/declared", "/endless"):
        with pytest.raises(FileTooLarge):
            fetcher.fetch(site.url(path))


def test_a_compressed_page_is_read_and_a_bomb_is_not_unpacked(site: Any, fetcher: Fetcher) -> None:
    page = site.serve("/page", gzip.compress(b"<p>small</p>"), Content_Encoding="gzip")
    assert fetcher.fetch(page).content == b"<p>small</p>"
    bomb = site.serve("/bomb", zlib.compress(b"\0" * 50_000_000), Content_Encoding="deflate")
    with pytest.raises(FileTooLarge):
        fetcher.fetch(bomb)
    for path, encoding in (("/broken", "gzip"), ("/odd", "br")):
        with pytest.raises(SourceUnreadable):
            fetcher.fetch(site.serve(path, b"not compressed", Content_Encoding=encoding))


def test_a_server_that_drips_or_says_nothing_is_left(site: Any) -> None:
    def drip(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while not site.released.wait(0.05):
            request.wfile.write(b"x")

    def silent(request: BaseHTTPRequestHandler) -> None:
        site.released.wait()

    def drip_headers(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while not site.released.wait(0.05):
            request.wfile.write(b"X-More: y\r\n")

    site.routes |= {"/drip": drip, "/silent": silent, "/headers": drip_headers}
    fetcher = Fetcher(allowed=frozenset({site.origin}), limits=WebLimits(seconds=0.7))
    for path in ("/drip", "/silent", "/headers"):
        with pytest.raises(SourceUnreachable):
            fetcher.fetch(site.url(path))


def test_a_port_where_nobody_listens_is_unreachable(site: Any) -> None:
    site.close()
    with pytest.raises(SourceUnreachable):
        Fetcher(allowed=frozenset({site.origin})).fetch(site.url("/"))


def test_robots_are_asked_once_and_obeyed(site: Any, fetcher: Fetcher) -> None:
    site.serve("/robots.txt", b"User-agent: *\nDisallow: /private\nAllow: /private/open\n")
    for path in ("/a", "/b", "/private/open"):
        assert fetcher.fetch(site.serve(path, b"fine")).content == b"fine"
    with pytest.raises(RobotsRefused):
        fetcher.fetch(site.serve("/private/x", b"closed"))
    with pytest.raises(RobotsRefused):
        fetcher.fetch(site.redirect("/way", "/private/x"))
    assert site.asked.count("/robots.txt") == 1
    assert "/private/x" not in site.asked


def test_a_site_whose_robots_cannot_be_known_is_not_read(site: Any, fetcher: Fetcher) -> None:
    site.serve("/robots.txt", b"", status=503)
    with pytest.raises(RobotsRefused):
        fetcher.fetch(site.serve("/a", b"x"))


@pytest.mark.parametrize(
    ("text", "target", "allowed"),
    [
        ("", "/x", True),
        ("User-agent: *\nDisallow: /", "/x", False),
        ("User-agent: *\nDisallow:", "/x", True),
        ("User-agent: averment\nDisallow: /\n\nUser-agent: *\nDisallow:", "/x", False),
        ("User-agent: *\nDisallow: /\n\nUser-agent: averment\nDisallow: /y", "/x", True),
        ("User-agent: other\nUser-agent: *\nDisallow: /x", "/x1", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf", False),
        ("User-agent: *\nDisallow: /*.pdf$", "/a/b.pdf?x", True),
        ("User-agent: *\nDisallow: /a*b*c", "/a1b2c3", False),
        ("User-agent: *\nDisallow: /x\nAllow: /x", "/x", True),
        ("User-agent: *\nDisallow: /" + "*a" * 5_000, "/" + "a" * 3_000, True),
    ],
)
def test_robots_are_read_by_their_rules(text: str, target: str, allowed: bool) -> None:
    assert parse_robots(text).allow(target) is allowed


def test_a_fresh_page_comes_from_the_cache_and_a_damaged_one_does_not(site: Any, tmp_path: Path) -> None:
    def fetch(fresh: timedelta) -> Any:
        cache = PageCache(tmp_path / "pages", fresh)
        return Fetcher(cache=cache, allowed=frozenset({site.origin})).fetch(site.url("/x"))

    site.serve("/x", b"first", Content_Type="text/plain")
    assert not fetch(timedelta(hours=1)).cached
    site.serve("/x", b"second", Content_Type="text/plain")
    again = fetch(timedelta(hours=1))
    assert (again.cached, again.content, again.media_type) == (True, b"first", "text/plain")
    assert fetch(timedelta(0)).content == b"second"
    for path in (tmp_path / "pages").iterdir():
        path.write_bytes(path.read_bytes()[:-1])
    assert not fetch(timedelta(hours=1)).cached


def test_a_cache_that_cannot_be_written_does_not_stop_a_fetch(site: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    fetcher = Fetcher(cache=PageCache(tmp_path / "file"), allowed=frozenset({site.origin}))
    assert fetcher.fetch(site.serve("/x", b"page")).content == b"page"
