"""What comes from outside meets the faces as they are served: a command, an HTTP server with its pages, and MCP.

Nothing here knows what lies behind them. A home is opened by ``Workbench``, a command is the command line's ``main``,
and the server is the application that ``averment serve`` runs, on a port of loopback.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from averment import Workbench
from averment.settings import Settings
from lazily import lazily

sys.path.insert(0, str(Path(__file__).parent))  # For ``speaking`` and ``shown_text``.

uvicorn = lazily("uvicorn")
http_app = lazily("averment.faces.http.app")
cli = lazily("averment.faces.cli")
mcp_client = lazily("mcp.client.client")
mcp_http = lazily("mcp.client.streamable_http")

TOKEN = "the-token-of-the-promises"
ENDED = frozenset({"completed", "partial_success", "failed", "cancelled", "abstained", "clarification_needed"})
KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL")


@dataclass(frozen=True)
class Done:
    """A command that has ended."""

    code: int
    out: str
    told: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document that it printed."""
        return json.loads(self.out)

    @property
    def error(self) -> str | None:
        """The code of its error, if it printed one."""
        return self.document.get("error", {}).get("code") if self.out.startswith("{") else None


def command(home: Path, *words: object) -> Done:
    """Run ``averment`` with these words in this process, as the installed command does."""
    out, told, code, before = io.StringIO(), io.StringIO(), 0, sys.argv
    sys.argv = ["averment", "--home", str(home), *map(str, words)]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(told):
            cli.main()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.argv = before
    return Done(code, out.getvalue(), told.getvalue())


@dataclass
class Served:
    """A running server: its address, its home, a client that carries the token, and one that came in by the page."""

    url: str
    workbench: Workbench
    client: httpx2.Client
    page: httpx2.Client
    token: str = TOKEN

    @property
    def home(self) -> Path:
        """Where its home is."""
        return self.workbench.settings.home

    def uploads(self) -> list[Path]:
        """Every uploaded file that lies there."""
        folder = self.home / "uploads"
        return sorted(path for path in folder.rglob("*") if path.is_file()) if folder.exists() else []

    def titles(self) -> list[str]:
        """The titles of its tasks."""
        return [task["title"] for task in self.client.get("/v1/tasks").json()["data"]]

    def ask(self, *files: tuple[str, bytes], **fields: Any) -> httpx2.Response:
        """Start an analysis."""
        parts = [("files", one) for one in files]
        return self.client.post("/v1/analyses", data=fields, files=parts)

    def run_of(self, begun: httpx2.Response) -> dict[str, Any]:
        """The run that a request began, when it has ended."""
        assert begun.status_code == 202, begun.text
        return self.ended(begun.json()["id"])

    def ended(self, run_id: str) -> dict[str, Any]:
        """A run when it has ended."""
        with self.client.stream("GET", f"/v1/runs/{run_id}/events") as events:  # It closes when the run has ended.
            for _ in events.iter_lines():
                pass
        run = self.client.get(f"/v1/runs/{run_id}").json()
        assert run["status"] in ENDED, run["status"]
        return run

    def form_token(self) -> str:
        """What the forms of the page's session carry."""
        found = re.search(r'name="form_token" value="([0-9a-f]{64})"', self.page.get("/home").text)
        assert found is not None
        return found.group(1)

    def say_on_the_page(self, message: str, *files: tuple[str, bytes]) -> str:
        """Send the page's form without scripts, and give the thread that it led to, as HTML."""
        parts = [("files", one) for one in files]
        answer = self.page.post("/chat", data={"form_token": self.form_token(), "message": message}, files=parts)
        assert answer.status_code == 303, answer.text
        return self.page.get(answer.headers["location"]).text

    def call(self, tool: str, **arguments: Any) -> Any:
        """Call a tool over MCP; the user says no to whatever is asked."""
        return self.calls((tool, arguments))[0]

    def calls(self, *wanted: tuple[str, dict[str, Any]]) -> list[Any]:
        """Call several tools in one MCP session."""

        async def decline(_context: Any, _params: Any) -> Any:
            from mcp_types import ElicitResult

            return ElicitResult(action="decline")

        async def play() -> list[Any]:
            headers = {"Authorization": f"Bearer {self.token}"}
            async with httpx2.AsyncClient(headers=headers, timeout=120) as http:
                transport = mcp_http.streamable_http_client(f"{self.url}/mcp", http_client=http)
                async with mcp_client.Client(transport, elicitation_callback=decline) as client:
                    return [await client.call_tool(tool, arguments) for tool, arguments in wanted]

        return asyncio.run(play())

    def upload(self, name: str, content: bytes) -> str:
        """Upload a file and give the reference that the assistant and MCP take."""
        answer = self.client.post("/v1/uploads", files=[("files", (name, content))])
        return str(answer.json()["files"][0])


def call_tools(workbench: Workbench, *wanted: tuple[str, dict[str, Any]]) -> list[Any]:
    """Call tools of a home over MCP, as the program that started the server on its own machine."""

    async def play() -> list[Any]:
        async with mcp_client.Client(workbench.home.mcp_server()) as client:
            return [await client.call_tool(tool, arguments) for tool, arguments in wanted]

    return asyncio.run(play())


@contextlib.contextmanager
def serve(home: Path, **settings: Any) -> Iterator[Served]:
    """Serve a home on loopback until the context ends."""
    with Workbench(settings=Settings(home=home, **settings)) as workbench:
        app = http_app.create_app(workbench, token=TOKEN)
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(app, http="h11", ws="none", log_level="critical", timeout_graceful_shutdown=2)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread.start()
        with (
            httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120) as client,
            httpx2.Client(base_url=url, headers={"Accept": "text/html"}, timeout=120) as page,
        ):
            assert page.get("/", params={"token": TOKEN}).status_code == 303
            yield Served(url, workbench, client, page)
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The module's server, without a model."""
    with serve(tmp_path_factory.mktemp("served") / "home", model_provider="none") as running:
        yield running


@pytest.fixture(scope="module")
def run_averment(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Done]:
    """The command line over one home of the module."""
    home = tmp_path_factory.mktemp("command") / "home"
    return lambda *words: command(home, *words)


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """A home of the module, without a model."""
    home = tmp_path_factory.mktemp("bench") / "home"
    with Workbench(settings=Settings(home=home, model_provider="none")) as opened:
        yield opened


@pytest.fixture(scope="module")
def tools(workbench: Workbench) -> Callable[..., list[Any]]:
    """Calls the tools of the module's home over MCP."""
    return lambda *wanted: call_tools(workbench, *wanted)


@pytest.fixture(scope="module")
def open_served() -> Any:
    """How a home is served; for homes with settings of their own."""
    return serve


@pytest.fixture(scope="module")
def model_at() -> Iterator[Callable[[str], None]]:
    """Let homes that are opened from now on find a model at this address, and no other one."""
    with pytest.MonkeyPatch.context() as patch:

        def point(url: str) -> None:
            for name in KEYS:
                patch.delenv(name, raising=False)
            patch.setenv("OPENAI_API_KEY", "sk-test")
            patch.setenv("OPENAI_BASE_URL", url)

        yield point


@pytest.fixture(autouse=True)
def _no_model_of_the_machine(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """A key in the developer's environment is no model of a test."""
    if "model_at" not in request.fixturenames:
        for name in KEYS:
            if name in os.environ:
                monkeypatch.delenv(name)
