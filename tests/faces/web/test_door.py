"""Who gets in: the token once, then a session; and nobody by a form of another page."""

from __future__ import annotations

import re
from typing import Any

import httpx2
import pytest

from averment.faces.web.shell.session import PageSessions
from lazily import lazily

pages = lazily("averment.faces.web.shell.pages")

PAGES = (
    "/",
    "/home",
    "/runs",
    "/drill",
    "/nothing/here",
    "/chat",
    "/tasks",
    "/recipes",
    "/sources",
    "/ledger",
    "/settings",
)


def stranger(site: Any) -> httpx2.Client:
    return httpx2.Client(base_url=site.url, headers={"Accept": "text/html"}, timeout=30)


@pytest.mark.parametrize("path", PAGES)
def test_a_page_without_a_session_is_the_login(site: Any, path: str) -> None:
    with stranger(site) as client:
        answer = client.get(path)
    assert answer.status_code == 401
    assert 'action="/login"' in answer.text
    assert "form_token" not in answer.text


def test_the_link_that_the_server_prints_begins_a_session(site: Any) -> None:
    with stranger(site) as client:
        answer = client.get("/runs", params={"token": site.token})
        assert (answer.status_code, answer.headers["location"]) == (303, "/runs")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie and "samesite=strict" in cookie
        assert client.get("/runs").status_code == 200


def test_a_wrong_token_begins_nothing(site: Any) -> None:
    with stranger(site) as client:
        answer = client.post("/login", data={"token": "wrong", "next": "/home"})
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers
        assert client.get("/home").status_code == 401


def test_the_token_in_the_form_begins_a_session(site: Any) -> None:
    with stranger(site) as client:
        answer = client.post("/login", data={"token": site.token, "next": "https://evil.test/"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/home")
        assert client.get("/home").status_code == 200


def test_a_made_up_cookie_is_no_session(site: Any) -> None:
    name = PageSessions(site.token).cookie_name
    for value in ("x", "x.y", "x." + "0" * 64, PageSessions("another token").begin()):
        with stranger(site) as client:
            assert client.get("/home", headers={"Cookie": f"{name}={value}"}).status_code == 401


def test_every_form_without_its_token_is_refused(site: Any) -> None:
    from averment.faces.web.shell.mount import PARTS

    paths = [
        re.sub(r"\{[^}]*\}", "1", route.path)
        for part in PARTS
        for route in part.router.routes
        if "POST" in route.methods
        and route.path not in {"/login", "/oauth/authorize"}  # They ask for a user's token.
        and not route.path.startswith("/drill")  # They belong to a session, and have their own test.
    ]
    assert len(paths) >= 20
    for path in paths:
        for token in ("", "0" * 64):
            body: dict[str, Any] = {"data": {"form_token": token, "question": "q", "message": "m", "title": "t"}}
            if path in {"/data", "/sources"}:
                body["files"] = [("files", ("a.csv", b"a\n1\n"))]
            answer = site.client.post(path, **body)
            assert (path, answer.status_code) == (path, 403)
            assert "ORIGIN_REFUSED" in answer.text
    assert site.workbench.runs.list() == []
    uploads = site.workbench.settings.home / "uploads"
    assert not uploads.exists() or list(uploads.iterdir()) == []


def test_signing_out_ends_the_session(site: Any) -> None:
    with stranger(site) as client:
        client.get("/", params={"token": site.token})
        found = re.search(r'name="form_token" value="([0-9a-f]+)"', client.get("/home").text)
        assert found is not None
        assert client.post("/logout", data={"form_token": found.group(1)}).status_code == 303
        assert client.get("/home").status_code == 401


def test_the_first_address_is_still_json_for_programs(site: Any) -> None:
    answer = site.client.get("/", headers={"Accept": "application/json", "Authorization": f"Bearer {site.token}"})
    assert answer.json()["name"] == "averment"


@pytest.mark.parametrize(
    "given", ["https://evil.test", "//evil.test", "/\\evil.test", "", "javascript:alert(1)", "/a\r\nSet-Cookie: x=y"]
)
def test_no_form_leads_to_another_server(given: str) -> None:
    assert pages.own_path(given) == "/home"
