"""A client of MCP over HTTP that has no token finds out how to get one, and gets its own."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest

if TYPE_CHECKING:
    from conftest import Service

BACK = "http://127.0.0.1:9/back"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()


@pytest.fixture
def stranger(service: Service) -> Any:
    with httpx2.Client(base_url=service.url, timeout=60) as client:
        yield client


def registered(stranger: httpx2.Client) -> str:
    made = stranger.post("/oauth/register", json={"client_name": "Test client", "redirect_uris": [BACK]})
    assert made.status_code == 201, made.text
    return str(made.json()["client_id"])


def allowed(stranger: httpx2.Client, client_id: str, token: str, **other: str) -> httpx2.Response:
    asked = {"client_id": client_id, "redirect_uri": BACK, "code_challenge": CHALLENGE, "state": "s1"}
    return stranger.post("/oauth/authorize", data={**asked, "token": token, **other})


def exchanged(stranger: httpx2.Client, client_id: str, code: str, **other: str) -> httpx2.Response:
    asked = {"grant_type": "authorization_code", "client_id": client_id, "redirect_uri": BACK, "code": code}
    return stranger.post("/oauth/token", data={**asked, "code_verifier": VERIFIER, **other})


def test_a_refusal_of_mcp_names_the_metadata_and_they_lead_on(service: Service, stranger: httpx2.Client) -> None:
    refused = stranger.post("/mcp", json={})
    assert refused.status_code == 401
    found = re.search(r'resource_metadata="([^"]+)"', refused.headers["www-authenticate"])
    assert found is not None
    resource = stranger.get(found.group(1)).json()
    assert resource["resource"] == f"{service.url}/mcp"
    [issuer] = resource["authorization_servers"]
    server = stranger.get(f"{issuer}/.well-known/oauth-authorization-server").json()
    assert server["issuer"] == issuer
    assert server["code_challenge_methods_supported"] == ["S256"]


def test_a_user_allows_a_client_which_gets_a_token_of_its_own(service: Service, stranger: httpx2.Client) -> None:
    token = service.workbench.home.users.add("ida")
    client_id = registered(stranger)
    asked = {"client_id": client_id, "redirect_uri": BACK, "code_challenge": CHALLENGE, "response_type": "code"}
    page = stranger.get("/oauth/authorize", params=asked, headers={"Accept": "text/html"})
    assert page.status_code == 200
    assert "Test client" in page.text
    sent = allowed(stranger, client_id, token)
    assert sent.status_code == 303, sent.text
    query = parse_qs(urlsplit(sent.headers["location"]).query)
    assert query["state"] == ["s1"]
    given = exchanged(stranger, client_id, query["code"][0])
    assert given.status_code == 200, given.text
    own = given.json()["access_token"]
    assert own != token
    service.workbench.home.services.store.tasks.list(user_id="ida")
    headers = {"Authorization": f"Bearer {own}"}
    assert stranger.post("/v1/tasks", json={"title": "of ida"}, headers=headers).status_code == 201
    mine = stranger.get("/v1/tasks", headers={"Authorization": f"Bearer {token}"}).json()["data"]
    assert [task["title"] for task in mine] == ["of ida"]
    assert exchanged(stranger, client_id, query["code"][0]).status_code == 400  # A code is good once.
    service.workbench.home.users.revoke("ida")
    assert stranger.get("/v1/tasks", headers=headers).status_code == 401


@pytest.mark.parametrize(
    "change", [{"code_verifier": "w" * 64}, {"redirect_uri": "http://127.0.0.1:9/other"}, {"code": "x.y"}]
)
def test_what_does_not_fit_gets_no_token(service: Service, stranger: httpx2.Client, change: dict[str, str]) -> None:
    token = service.workbench.home.users.add("jon")
    client_id = registered(stranger)
    code = parse_qs(urlsplit(allowed(stranger, client_id, token).headers["location"]).query)["code"][0]
    assert exchanged(stranger, client_id, **{"code": code, **change}).status_code == 400
    service.workbench.home.users.revoke("jon")


def test_neither_a_wrong_token_nor_a_foreign_address_gets_a_code(service: Service, stranger: httpx2.Client) -> None:
    token = service.workbench.home.users.add("kim")
    client_id = registered(stranger)
    assert allowed(stranger, client_id, "no such token").status_code == 401
    assert allowed(stranger, client_id, token, redirect_uri="https://evil.example/x").status_code >= 400
    for bad in ("http://evil.example/back", "javascript:alert(1)", "https://a.example/x#f"):
        assert stranger.post("/oauth/register", json={"redirect_uris": [bad]}).status_code >= 400
    service.workbench.home.users.revoke("kim")
