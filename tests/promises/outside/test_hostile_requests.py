"""A request is let in by its token, for this host and from this page, within its size, or it is refused by a code."""

from __future__ import annotations

import contextlib
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

ATTACKS = Path(__file__).parents[2] / "hostile" / "data" / "api_attacks" / "cases.jsonl"
NAMES = [
    case["name"]
    for case in map(json.loads, ATTACKS.read_text(encoding="utf-8").splitlines())
    if case["kind"] == "path_names"
]
CSV = b"region,amount\nnorth,1\nsouth,2\n"
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
OPEN = {
    "/health",
    "/login",
    "/oauth/register",
    "/oauth/authorize",
    "/oauth/token",
}
"""What is open without a token: that the server lives, and the ways to get one."""


def code_of(answer: httpx2.Response) -> str:
    """The code of an error, which has the one shape."""
    document = answer.json()
    assert set(document) == {"error"}
    assert {"code", "message", "hint", "retryable"} <= set(document["error"])
    assert document["error"]["hint"]
    return str(document["error"]["code"])


def raw(served: Any, request: bytes) -> bytes:
    """Whatever comes back for these bytes, until the server closes."""
    port = int(served.url.rsplit(":", 1)[1])
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        answer = b""
        with contextlib.suppress(OSError):  # A server may hang up before it has heard everything.
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
        with contextlib.suppress(OSError):
            while piece := connection.recv(65_536):
                answer += piece
    return answer


def routes(served: Any) -> Iterator[tuple[str, str]]:
    """Every documented route, with ids that are nobody's."""
    for path, methods in served.client.get("/openapi.json").json()["paths"].items():
        for method in methods:
            yield method.upper(), re.sub(r"\{[^}]*\}", "00000000-0000-0000-0000-000000000000", path)


def test_nothing_is_served_or_done_without_the_token(served: Any) -> None:
    known = [*routes(served), ("GET", "/openapi.json"), ("POST", "/mcp"), ("GET", "/nothing/here"), ("GET", "//health")]
    assert len(known) > 50
    asked = [one for one in known if one[1] not in OPEN]
    with httpx2.Client(base_url=served.url, timeout=60) as stranger:
        # More wrong tokens than a client may try are a refusal too.
        answers = [(one, stranger.request(*one)) for one in asked]
    assert [one for one, answer in answers if code_of(answer) not in {"TOKEN_REQUIRED", "TOO_MANY_REQUESTS"}] == []
    assert [one for one, answer in answers if answer.status_code not in {401, 429}] == []
    assert answers[0][1].headers["www-authenticate"].startswith("Bearer")
    assert served.client.get("/v1/runs").status_code == 200


@pytest.fixture(scope="module")
def guarded(open_served: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A second server, whose patience with guesses the other tests have not used up."""
    with open_served(tmp_path_factory.mktemp("guarded") / "home", model_provider="none") as running:
        yield running


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic YTpi"},
        {"Authorization": ""},
        [("Authorization", "Bearer wrong"), ("Authorization", "Bearer wrong")],
    ],
)
def test_a_wrong_token_is_refused(guarded: Any, headers: Any) -> None:
    for path in ("/v1/runs", "/mcp"):
        answer = httpx2.get(f"{guarded.url}{path}", headers=headers)
        assert (answer.status_code, code_of(answer)) == (401, "TOKEN_REQUIRED")


def test_a_link_may_look_with_the_token_and_do_nothing(guarded: Any) -> None:
    assert httpx2.get(f"{guarded.url}/v1/runs", params={"token": guarded.token}).status_code == 200
    for path in ("/v1/runs/abcd/cancel", "/v1/analyses", "/mcp", "/v1/tasks"):
        assert code_of(httpx2.post(f"{guarded.url}{path}", params={"token": guarded.token})) == "TOKEN_REQUIRED"
    wrong = {"Authorization": "Bearer wrong"}
    answer = httpx2.get(f"{guarded.url}/v1/runs", params={"token": guarded.token}, headers=wrong)
    assert code_of(answer) == "TOKEN_REQUIRED"


def test_who_guesses_is_held_up_and_keeps_nobody_out(open_served: Any, tmp_path: Path) -> None:
    with open_served(tmp_path / "home", model_provider="none") as running:
        wrong = {"Authorization": "Bearer wrong"}
        with httpx2.Client(base_url=running.url, headers=wrong, timeout=60) as guesser:
            codes = [code_of(guesser.get("/v1/runs")) for _ in range(105)]
        assert (codes[0], codes[-1]) == ("TOKEN_REQUIRED", "TOO_MANY_REQUESTS")
        assert running.client.get("/v1/runs").status_code == 200


HOSTS = ("evil.test", "localhost.evil.test", "127.0.0.1.evil.test", "127.0.0.1@evil.test", "10.0.0.1", "2130706433", "")


@pytest.mark.parametrize("host", HOSTS)
def test_a_foreign_host_is_refused_even_with_the_token(guarded: Any, host: str) -> None:
    for path in ("/v1/runs", "/health", "/mcp"):
        answer = guarded.client.get(path, headers={"Host": host})
        assert (answer.status_code, code_of(answer)) == (421, "HOST_REFUSED")
    assert guarded.page.get("/home", headers={"Host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["http://evil.test", "null", "https://127.0.0.1.evil.test", "http://localhost:1"])
def test_a_page_of_another_origin_is_refused_even_with_the_token(guarded: Any, origin: str) -> None:
    for method, path in (("GET", "/v1/runs"), ("POST", "/v1/tasks"), ("POST", "/mcp"), ("OPTIONS", "/v1/runs")):
        answer = guarded.client.request(method, path, headers={"Origin": origin})
        assert (answer.status_code, code_of(answer)) == (403, "ORIGIN_REFUSED")
    assert guarded.page.get("/home", headers={"Origin": origin}).status_code == 403
    assert guarded.client.get("/v1/runs", headers={"Origin": guarded.url}).status_code == 200
    assert guarded.titles() == []


def test_a_form_of_another_page_does_nothing(guarded: Any) -> None:
    for token in ("", "0" * 64):
        for path in ("/tasks", "/chat"):
            answer = guarded.page.post(path, data={"form_token": token, "title": "t", "message": "remind me to hide"})
            assert (answer.status_code, "ORIGIN_REFUSED" in answer.text) == (403, True)
    with httpx2.Client(base_url=guarded.url, headers={"Accept": "text/html"}, timeout=60) as other:
        other.get("/", params={"token": guarded.token})
        answer = other.post("/tasks", data={"form_token": guarded.form_token(), "title": "t"})
        assert answer.status_code == 403
    assert guarded.titles() == []
    assert guarded.client.get("/v1/runs").json()["runs"] == []


def test_a_session_of_the_page_changes_nothing_through_the_api(guarded: Any) -> None:
    assert guarded.page.get("/v1/runs").status_code == 200
    assert guarded.page.post("/v1/tasks", json={"title": "t"}).status_code == 401
    for cookie in ("x", "x.y", "x." + "0" * 64):
        made_up = dict.fromkeys(guarded.page.cookies, cookie)
        assert made_up
        with httpx2.Client(base_url=guarded.url, cookies=made_up, headers={"Accept": "text/html"}) as stranger:
            assert stranger.get("/home").status_code == 401


def test_every_answer_carries_the_safe_headers(guarded: Any) -> None:
    for method, path in (("GET", "/health"), ("GET", "/v1/runs"), ("GET", "/v1/nothing"), ("DELETE", "/v1/runs")):
        headers = guarded.client.request(method, path).headers
        assert headers["content-security-policy"].startswith("default-src 'none'")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"
        assert not [name for name in headers if name.startswith("access-control-")]
    assert "script-src" in guarded.page.get("/home").headers["content-security-policy"]


def test_what_is_not_there_and_methods_that_are_not_offered_are_named(guarded: Any) -> None:
    assert code_of(guarded.client.get("/v1/nothing")) == "ROUTE_NOT_FOUND"
    for method in ("DELETE", "OPTIONS", "TRACE", "PATCH", "PUT"):
        answer = guarded.client.request(method, "/v1/runs")
        assert (answer.status_code, code_of(answer)) == (405, "METHOD_NOT_ALLOWED")
        assert "GET" in answer.headers["allow"]


@pytest.mark.parametrize("run_id", ["nothing", "..%2F..%2Fetc", "%00", "a'b", "%2e%2e", "x" * 64, "....%2f%2f"])
def test_no_id_leads_out_of_the_runs(guarded: Any, run_id: str) -> None:
    for part in ("", "/events", "/report", "/artifacts/x.csv", "/artifacts/..%2F..%2Fdb%2Faverment.db"):
        answer = guarded.client.get(f"/v1/runs/{run_id}{part}")
        assert (answer.status_code, code_of(answer) in {"RUN_NOT_FOUND", "ROUTE_NOT_FOUND"}) == (404, True)


def test_no_name_of_an_artifact_leads_out_of_its_run(guarded: Any) -> None:
    run = guarded.run_of(guarded.ask(("sales.csv", CSV), intent="total amount by region"))
    place = f"/v1/runs/{run['id']}/artifacts"
    assert guarded.client.get(f"{place}/result.csv").status_code == 200
    for name in (
        "..%2Freport.md",
        "%2e%2e%2f%2e%2e%2fdb%2faverment.db",
        "..%5c..%5cx",
        "%2Fetc%2Fpasswd",
        "result.csv%00",
    ):
        answer = guarded.client.get(f"{place}/{name}")
        assert 400 <= answer.status_code < 500, name
        assert "root:" not in answer.text


def test_a_hostile_file_name_writes_nothing_outside_and_is_refused_or_taken_as_a_name(guarded: Any) -> None:
    home = guarded.home
    outside = set(home.parent.iterdir())
    for name in NAMES:
        answer = guarded.client.post("/v1/uploads", files=[("files", (name, CSV))])
        assert answer.status_code in {200, 201, 202, 400, 413, 415, 422}, (name, answer.text)
        assert "Set-Cookie" not in answer.headers
    assert set(home.parent.iterdir()) == outside
    for path in guarded.uploads():
        assert path.resolve().is_relative_to((home / "uploads").resolve())
        assert path.read_bytes() == CSV


@pytest.mark.parametrize("source", ["/etc/passwd", "file:///etc/passwd", "upload:../../x.csv", "given:../x.csv"])
def test_a_path_of_a_client_is_never_opened(guarded: Any, source: str) -> None:
    for tool, more in (("analyze", {"question": "total amount"}), ("query", {"sql": "SELECT 1 AS n"})):
        refused = guarded.call(tool, sources=[source], **more)
        assert refused.is_error
        assert any(code in refused.content[0].text for code in ("INVALID_REQUEST", "SOURCE_NOT_FOUND"))
    answer = guarded.ask(("sales.csv", CSV), intent="total amount", sources=source)
    assert (answer.status_code, code_of(answer)) == (422, "INVALID_REQUEST")


@pytest.mark.parametrize(
    ("fields", "code", "status"),
    [
        ({"intent": ""}, "INTENT_EMPTY", 422),
        ({"intent": "x" * 2_001}, "INTENT_TOO_LONG", 422),
        ({"row_limit": "200001"}, "ROW_LIMIT_OUT_OF_RANGE", 422),
        ({"row_limit": "0"}, "ROW_LIMIT_OUT_OF_RANGE", 422),
        ({"row_limit": "9" * 5_000}, "ROW_LIMIT_OUT_OF_RANGE", 422),
        ({"row_limit": "-1"}, "ROW_LIMIT_OUT_OF_RANGE", 422),
        ({"row_limit": "many"}, "ROW_LIMIT_OUT_OF_RANGE", 422),
        ({"timeout_seconds": "181"}, "TIMEOUT_OUT_OF_RANGE", 422),
        ({"timeout_seconds": "1.5"}, "TIMEOUT_OUT_OF_RANGE", 422),
        ({"policy": "{"}, "INVALID_REQUEST", 422),
        ({"policy": "[1]"}, "INVALID_REQUEST", 422),
        ({"policy": '{"blocked_patterns": ["("]}'}, "INVALID_REQUEST", 422),
        ({"policy": "x" * 64_001}, "INVALID_REQUEST", 422),
        ({"intent": " \u200b "}, "INTENT_EMPTY", 422),
        ({"deliverables": ["tables", "gold"]}, "UNKNOWN_DELIVERABLE", 422),
        ({"policy": "["}, "INVALID_REQUEST", 422),
        ({"policy": "[" * 30_000}, "INVALID_REQUEST", 422),
        ({"policy": '{"unheard_of": 1}'}, "INVALID_REQUEST", 422),
        ({"unheard_of": "1"}, "INVALID_REQUEST", 422),
        ({"row_limit": ["1", "2"]}, "INVALID_REQUEST", 422),
    ],
)
def test_a_field_outside_its_contract_is_refused_and_nothing_is_kept(
    guarded: Any, fields: dict[str, Any], code: str, status: int
) -> None:
    before, runs = guarded.uploads(), guarded.client.get("/v1/runs").json()["runs"]
    answer = guarded.ask(("sales.csv", CSV), **{"intent": "total amount", **fields})
    assert (code_of(answer), answer.status_code) == (code, status)
    assert guarded.uploads() == before
    assert guarded.client.get("/v1/runs").json()["runs"] == runs


def test_too_many_or_too_large_is_refused_before_it_is_read(guarded: Any) -> None:
    before = guarded.uploads()
    eleven = [(f"t{n}.csv", CSV) for n in range(11)]
    assert code_of(guarded.ask(*eleven, intent="total amount")) == "MAX_FILES_EXCEEDED"
    large = b"region,amount\n" + b"north,1\n" * 6_700_000
    answer = guarded.ask(("large.csv", large), intent="total amount")
    assert (answer.status_code, code_of(answer)) == (413, "FILE_TOO_LARGE")
    head = f"POST /v1/analyses HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {guarded.token}\r\n".encode()
    for length in ("9" * 12, "9" * 19):
        answer = raw(guarded, head + b"Expect: 100-continue\r\nContent-Length: " + length.encode() + b"\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 413")
        assert json.loads(answer.split(b"\r\n\r\n", 1)[1])["error"]["code"] == "REQUEST_TOO_LARGE"
    assert guarded.uploads() == before


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"GET /v1/runs HTTP/1.1\r\n\r\n",
        b"GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n",
        b"GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 200_000 + b"\r\n\r\n",
        b"POST /v1/tasks HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
        b"\x00\x01\x02\r\n\r\n",
        b"GET http://evil.test/v1/runs HTTP/1.1\r\nHost: evil.test\r\n\r\n",
    ],
    ids=["no host", "two hosts", "long header", "two lengths", "no request", "another host"],
)
def test_a_malformed_request_gets_no_answer_of_the_house(guarded: Any, request_bytes: bytes) -> None:
    answer = raw(guarded, request_bytes)
    assert not answer.startswith(b"HTTP/1.1 2")
    assert b"Traceback" not in answer
    assert httpx2.get(f"{guarded.url}/health").status_code == 200


def test_a_deletion_over_mcp_waits_for_a_yes_that_cannot_be_forged(guarded: Any) -> None:
    made = guarded.call("add_task", title="milk")
    task = made.structured_content["data"]["id"]
    before = guarded.titles()
    assert "milk" in before
    for forged in ({}, {"confirmation": {"yes": True}}, {"confirm_token": "yes"}, {"confirm_token": "0" * 64}):
        assert guarded.call("delete_task", task_id=task, **forged).is_error
    assert guarded.titles() == before
