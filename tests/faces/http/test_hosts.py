from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from averment.errors import HostRefused, OriginRefused
from averment.faces.http.hosts import check_host, check_origin, is_local, url_host


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8765", "127.0.0.1", "127.0.0.1:80", "127.8.9.1", "[::1]", "[::1]:8765"]
)
def test_a_loopback_host_is_answered(host: str) -> None:
    assert check_host([host], "127.0.0.1") == host


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "localhost.evil.test",
        "127.0.0.1.evil.test",
        "127.0.0.1@evil.test",
        "evil.test#127.0.0.1",
        "10.0.0.1",
        "0.0.0.0",
        "2130706433",
        "0x7f.1",
        "localhost:http",
        "[::1",
        "",
        "localhost/",
        "localhost.",
    ],
)
def test_a_foreign_host_is_refused(host: str) -> None:
    with pytest.raises(HostRefused):
        check_host([host], "127.0.0.1")


@pytest.mark.parametrize("hosts", [[], ["localhost", "localhost"], ["localhost", "evil.test"]])
def test_a_request_has_exactly_one_host(hosts: list[str]) -> None:
    with pytest.raises(HostRefused):
        check_host(hosts, "127.0.0.1")


def test_the_configured_name_is_answered_and_no_other() -> None:
    assert check_host(["bench.example:8765"], "Bench.example") == "bench.example:8765"
    with pytest.raises(HostRefused):
        check_host(["other.example"], "bench.example")


@pytest.mark.parametrize("configured", ["0.0.0.0", "::", "[::]"])
def test_a_server_on_every_address_answers_to_numbers_but_not_to_names(configured: str) -> None:
    assert check_host(["192.168.1.7:8765"], configured) == "192.168.1.7:8765"
    with pytest.raises(HostRefused):
        check_host(["evil.test"], configured)


@given(st.text(max_size=40))
def test_any_text_as_host_is_answered_or_refused(host: str) -> None:
    try:
        assert check_host([host], "127.0.0.1") == host
    except HostRefused:
        return
    assert host.lower().startswith(("localhost", "127.", "["))


@pytest.mark.parametrize(
    "origin",
    ["http://evil.test", "http://localhost:3000", "null", "", "https://127.0.0.1", "file://", "http://[", "localhost"],
)
def test_a_foreign_origin_is_refused(origin: str) -> None:
    with pytest.raises(OriginRefused):
        check_origin([origin], "localhost:8765")


def test_the_own_origin_and_none_at_all_are_let_in() -> None:
    check_origin([], "localhost:8765")
    check_origin(["http://localhost:8765"], "localhost:8765")
    check_origin(["https://LOCALHOST:8765"], "localhost:8765")


def test_one_foreign_origin_among_several_is_refused() -> None:
    with pytest.raises(OriginRefused):
        check_origin(["http://localhost:8765", "http://evil.test"], "localhost:8765")


@pytest.mark.parametrize(
    ("host", "shown", "local"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("localhost", "localhost", True),
        ("::1", "[::1]", True),
        ("0.0.0.0", "127.0.0.1", False),
        ("::", "127.0.0.1", False),
        ("bench.example", "bench.example", False),
    ],
)
def test_a_url_names_a_host_that_this_machine_can_open(host: str, shown: str, local: bool) -> None:
    assert (url_host(host), is_local(host)) == (shown, local)


def test_a_further_name_is_answered_to_and_no_other() -> None:
    assert check_host(["desk.example:443"], "0.0.0.0", ("Desk.example",)) == "desk.example:443"
    with pytest.raises(HostRefused):
        check_host(["evil.desk.example"], "0.0.0.0", ("desk.example",))
