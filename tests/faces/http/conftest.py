"""A real server on loopback for each test module that asks for one, with a workbench and a home of its own."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2
import pytest

from averment.faces.http.limits import Limits
from averment.settings import Settings
from averment.workbench import Workbench
from lazily import lazily

uvicorn = lazily("uvicorn")
http_app = lazily("averment.faces.http.app")

TOKEN = "the-token-of-the-tests"
SALES = Path(__file__).parents[3] / "examples" / "sales.csv"


@dataclass(frozen=True)
class Event:
    """One event as a client reads it."""

    id: str
    event: str
    data: dict[str, Any] = field(default_factory=dict)


@dataclass
class Service:
    """A running server: where it is, what it serves, and a client that has its token."""

    url: str
    workbench: Workbench
    client: httpx2.Client
    token: str = TOKEN

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    @property
    def uploads(self) -> Path:
        return self.workbench.settings.home / "uploads"

    def left_behind(self) -> list[Path]:
        return sorted(self.uploads.rglob("*")) if self.uploads.exists() else []

    def ask(self, intent: str, *files: tuple[str, bytes], **fields: Any) -> httpx2.Response:
        parts = [("files", (name, content)) for name, content in files]
        return self.client.post("/v1/analyses", data={"intent": intent, **fields}, files=parts)

    def events(self, run_id: str, **options: Any) -> Iterator[Event]:
        with self.client.stream("GET", f"/v1/runs/{run_id}/events", timeout=60, **options) as response:
            assert response.status_code == 200
            assert response.headers["content-type"].startswith("text/event-stream")
            block: dict[str, str] = {}
            for line in response.iter_lines():
                name, _, value = line.partition(": ")
                if line and name:
                    block[name] = value
                elif block.get("data"):
                    yield Event(block["id"], block["event"], json.loads(block["data"]))
                    block = {}


def code_of(response: httpx2.Response) -> str:
    """The code of an error; every error has the one shape."""
    document = response.json()
    assert set(document) == {"error"}
    assert {"code", "message", "hint", "retryable"} <= set(document["error"])
    return str(document["error"]["code"])


@pytest.fixture(scope="module")
def new_state() -> Callable[[], str | None]:
    """The database URL of the next server: none, but in modules that take ``new_state_on_each`` in its place."""
    return lambda: None


@pytest.fixture(scope="module")
def start(
    tmp_path_factory: pytest.TempPathFactory, new_state: Callable[[], str | None]
) -> Iterator[Callable[..., Service]]:
    """A function that starts a server; all of them are stopped after the module."""
    stops: list[Callable[[], None]] = []

    def begin(limits: Limits | None = None, kind: type[Workbench] = Workbench) -> Service:
        workbench = kind(settings=Settings(home=tmp_path_factory.mktemp("http") / "home", database_url=new_state()))
        app = http_app.create_app(workbench, token=TOKEN, limits=limits or Limits())
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(app, http="h11", ws="none", log_level="critical", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        client = httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=60)
        thread.start()

        def stop() -> None:
            client.close()
            server.should_exit = True
            thread.join()
            workbench.close()

        stops.append(stop)
        return Service(url, workbench, client)

    yield begin
    for stop in stops:
        stop()


@pytest.fixture(scope="module")
def service(start: Callable[..., Service]) -> Service:
    """The module's server; tests try far more wrong tokens than a client may."""
    return start(Limits(guesses_a_minute=1_000_000))


@pytest.fixture
def code() -> Callable[[httpx2.Response], str]:
    """Reads the code of an error."""
    return code_of


@pytest.fixture(scope="session")
def sales() -> bytes:
    """The example table."""
    return SALES.read_bytes()


@pytest.fixture(scope="session")
def sales_path() -> str:
    """Where the example table is."""
    return str(SALES)
