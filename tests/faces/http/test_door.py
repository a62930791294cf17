"""Who is let in: token, host, origin, size; and what every answer carries."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest

from averment import __version__
from averment.errors import InvalidSettings
from averment.faces.http.limits import Limits
from averment.workbench import Workbench
from lazily import lazily

http_app = lazily("averment.faces.http.app")

Code = Callable[[httpx2.Response], str]
PROTECTED = [
    ("GET", "/"),
    ("GET", "/openapi.json"),
    ("GET", "/v1/runs"),
    ("GET", "/v1/runs/abcd"),
    ("GET", "/v1/runs/abcd/events"),
    ("GET", "/v1/runs/abcd/report"),
    ("GET", "/v1/runs/abcd/artifacts/x.csv"),
    ("GET", "/v1/tools"),
    ("POST", "/v1/analyses"),
    ("POST", "/v1/runs/abcd/cancel"),
    ("POST", "/v1/runs/abcd/resume"),
    ("POST", "/v1/runs/abcd/verify"),
    ("GET", "/nothing/here"),
    ("OPTIONS", "/v1/runs"),
    ("GET", "/health/"),
    ("GET", "//health"),
]


def raw(service: Any, request: bytes) -> bytes:
    """Whatever comes back for these bytes, until the server closes."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := connection.recv(65_536):
            answer += piece
    return answer


def test_health_needs_no_token(service: Any) -> None:
    response = httpx2.get(f"{service.url}/health")
    assert (response.status_code, response.json()) == (200, {"status": "ok", "version": __version__})


@pytest.mark.parametrize("token", ["", "wrong", "\ud800".encode("utf-8", "surrogatepass")])
def test_a_wrong_token_in_a_link_is_refused(service: Any, code: Code, token: Any) -> None:
    assert code(httpx2.get(f"{service.url}/v1/runs", params={"token": token})) == "TOKEN_REQUIRED"


def test_an_unknown_route_and_a_wrong_method_have_the_one_shape(service: Any, code: Code) -> None:
    assert code(service.client.get("/v1/nothing")) == "ROUTE_NOT_FOUND"
    assert code(service.client.get("/docs")) == "ROUTE_NOT_FOUND"
    for method in ("DELETE", "OPTIONS", "TRACE", "PATCH"):
        response = service.client.request(method, "/v1/runs")
        assert (response.status_code, code(response)) == (405, "METHOD_NOT_ALLOWED")
        assert "GET" in response.headers["allow"]
    assert service.client.head("/v1/runs").status_code == 405


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=501", "limit=x", "offset=-1", "offset=99999999999999999999", "status=nonsense"]
)
def test_a_query_outside_its_contract_is_an_invalid_request(service: Any, code: Code, query: str) -> None:
    response = service.client.get(f"/v1/runs?{query}")
    assert (response.status_code, code(response)) == (422, "INVALID_REQUEST")


@pytest.mark.parametrize("act", ["cancel", "resume", "verify"])
def test_an_act_on_an_unknown_run_is_not_found(service: Any, code: Code, act: str) -> None:
    assert code(service.client.post(f"/v1/runs/00000000-0000-0000-0000-000000000000/{act}")) == "RUN_NOT_FOUND"


def test_a_failure_without_a_name_shows_nothing(tmp_path: Path, code: Code, caplog: pytest.LogCaptureFixture) -> None:
    def broken(**_: Any) -> Any:
        raise RuntimeError(f"the secret is in {tmp_path}")

    workbench = Workbench(home=tmp_path)
    workbench.runs.list = broken
    transport = httpx2.ASGITransport(http_app.create_app(workbench, token="t"))

    async def get() -> httpx2.Response:
        async with httpx2.AsyncClient(transport=transport, base_url="http://localhost") as client:
            return await client.get("/v1/runs?token=t")

    response = anyio.run(get)
    assert (response.status_code, code(response)) == (500, "INTERNAL")
    assert "secret" not in response.text and str(tmp_path) not in response.text
    assert response.headers["x-content-type-options"] == "nosniff"
    assert "secret" in caplog.text


def test_a_workbench_that_is_busy_does_not_hold_up_the_server(start: Any) -> None:
    asked, go = threading.Event(), threading.Event()

    def busy(**_: Any) -> Any:
        asked.set()
        assert go.wait(60)
        return []

    class Busy(Workbench):
        def __init__(self, *given: Any, **more: Any) -> None:
            super().__init__(*given, **more)
            self.runs.list = busy

        def show(self, run_id: str) -> Any:
            return busy() or super().show(run_id)

    service = start(kind=Busy)
    with ThreadPoolExecutor(3) as pool:
        for path in ("/v1/runs", "/v1/runs/abcd", "/v1/runs/abcd/events"):
            asked.clear()
            waiting = pool.submit(httpx2.get, f"{service.url}{path}?token={service.token}", timeout=60)
            assert asked.wait(60)
            assert httpx2.get(f"{service.url}/health").status_code == 200
            assert not waiting.done()
        go.set()


def test_an_application_without_a_token_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(InvalidSettings):
        http_app.create_app(Workbench(home=tmp_path), token="")


def test_a_body_that_stops_arriving_is_cut(start: Any, code: Code) -> None:
    service = start(Limits(idle_seconds=0.05))
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection:
        connection.sendall(
            b"POST /v1/analyses HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
            + service.token.encode()
            + b"\r\n"
            b"Content-Type: multipart/form-data; boundary=x\r\nContent-Length: 1000\r\n\r\n--x\r\n"
        )
        answer = connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 408")
    assert service.left_behind() == []


def test_an_upload_without_end_is_cut_at_its_limit(start: Any) -> None:
    service = start(Limits(max_files=1, max_file_bytes=100_000))
    head = (
        b"POST /v1/analyses HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + service.token.encode() + b"\r\n"
        b"Content-Type: multipart/form-data; boundary=x\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    part = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
    piece = b"a,b\n" * 4_000
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as connection:
        connection.sendall(head + b"%x\r\n%s\r\n" % (len(part), part))
        with pytest.raises((BrokenPipeError, ConnectionResetError)):
            for _ in range(10_000):
                connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
    assert service.left_behind() == []


def test_a_request_without_a_host_or_with_two_is_refused(service: Any) -> None:
    assert raw(service, b"GET /health HTTP/1.0\r\n\r\n").startswith(b"HTTP/1.1 421")
    assert raw(service, b"GET /health HTTP/1.1\r\nHost: localhost\r\nHost: evil.test\r\n\r\n").startswith(b"HTTP/1.1 4")


def test_a_web_socket_is_not_opened(service: Any) -> None:
    answer = raw(
        service,
        b"GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    )
    assert answer.startswith(b"HTTP/1.1 401")


@pytest.mark.seed("A-022", "A-037", "A-038", "A-039", "A-040")
def test_tools_are_told_with_their_schemas(service: Any) -> None:
    tools = service.client.get("/v1/tools").json()["tools"]
    assert [tool["name"] for tool in tools] == sorted(tool["name"] for tool in tools)
    takes = {tool["name"]: tool["input_schema"]["properties"] for tool in tools}
    assert {"sql.run", "df.transform", "plot.render", "profiler.analyze", "python.run"} <= takes.keys()
    assert all(takes.values())
    sql = takes["sql.run"]
    limits = {
        name: (sql[name]["minimum"], sql[name]["maximum"], sql[name]["default"]) for name in sql if name[0] in "tr"
    }
    assert limits == {"timeout": (1, 180, 30), "row_limit": (1, 200_000, 200_000)}
    assert {"query", "params"} <= sql.keys()
    assert {"operation", "columns", "aggregation"} <= takes["df.transform"].keys()
    assert {"type", "x_col", "y_col", "title"} <= takes["plot.render"].keys()


def test_the_first_page_names_routes_that_are_there(service: Any) -> None:
    links = service.client.get("/").json()["links"]
    # The MCP door speaks only to those who name a session or a protocol version; it is there all the same.
    assert all(service.client.get(link).status_code in {200, 400, 405} for link in links.values())
