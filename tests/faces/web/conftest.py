"""A real server with its pages on loopback, a client that came in by its token, and a Chromium."""

from __future__ import annotations

import os
import re
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from averment.settings import Settings
from averment.workbench import Workbench
from chromium import CHROMIUM, FLAGS
from lazily import lazily

uvicorn = lazily("uvicorn")
http_app = lazily("averment.faces.http.app")

TOKEN = "the-token-of-the-pages"
EXAMPLES = Path(__file__).parents[3] / "examples"
HARBOUR = sorted((EXAMPLES / "harbour").glob("*.md"))
LONG = 180_000
"""Milliseconds until something that is waited for is given up, on a machine that does much else."""
HARBOUR_QUESTION = "What did the dredging of the Port of Aldermouth cost?"


@dataclass
class Site:
    """A running server and a client with a session."""

    url: str
    workbench: Workbench
    client: httpx2.Client
    token: str = TOKEN

    @property
    def form_token(self) -> str:
        """What the forms of the client's session carry."""
        found = re.search(r'name="form_token" value="([0-9a-f]{64})"', self.client.get("/home").text)
        assert found is not None
        return found.group(1)

    def post(self, path: str, **fields: str) -> httpx2.Response:
        """Send a form of this session."""
        return self.client.post(path, data={"form_token": self.form_token, **fields})

    def send(self, path: str, files: list[tuple[str, bytes]], **fields: str) -> httpx2.Response:
        """Send a form with files of this session."""
        parts = [("files", file) for file in files]
        return self.client.post(path, data={"form_token": self.form_token, **fields}, files=parts)

    def ask(self, question: str, name: str, content: str) -> str:
        """Ask in a new thread as the form without scripts does, and give the id of the run that answers."""
        return self.run_in(self.send("/chat", [(name, content.encode())], message=question))

    def inquire(self, question: str = HARBOUR_QUESTION) -> str:
        """Ask what the texts about the harbour say, and give the id of the research."""
        return self.run_in(self.send("/chat", [(path.name, path.read_bytes()) for path in HARBOUR], message=question))

    def run_in(self, answer: httpx2.Response) -> str:
        """The last run whose card is in the thread that a form led to."""
        assert answer.status_code == 303, answer.text
        runs = re.findall(r'data-run="([^"]+)"', self.client.get(answer.headers["location"]).text)
        assert runs
        return runs[-1]


@pytest.fixture(scope="module")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Site]]:
    """A function that starts a server with a home of its own; all of them are stopped after the module."""
    stops: list[Callable[[], None]] = []

    def begin() -> Site:
        workbench = Workbench(settings=Settings(home=tmp_path_factory.mktemp("pages") / "home"))
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(
            http_app.create_app(workbench, token=TOKEN),
            http="h11",
            ws="none",
            log_level="critical",
            timeout_graceful_shutdown=2,
        )
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        client = httpx2.Client(base_url=url, headers={"Accept": "text/html"}, timeout=LONG / 1000)
        thread.start()
        assert client.get("/", params={"token": TOKEN}).status_code == 303

        def stop() -> None:
            client.close()
            server.should_exit = True
            thread.join()
            workbench.close()

        stops.append(stop)
        return Site(url, workbench, client)

    yield begin
    for stop in stops:
        stop()


@pytest.fixture(scope="module")
def site(serve: Callable[[], Site]) -> Site:
    """The module's server."""
    return serve()


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A Chromium; tests that need one are left out where there is none."""
    if CHROMIUM is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield opened
        opened.close()


DRAWN = """() => [...document.querySelectorAll("figure[data-spec]")].every((figure) => {
    const box = figure.getBoundingClientRect();
    return box.top > innerHeight || box.bottom < 0 || figure.querySelector("canvas, .plot svg");
  })
  && document.getAnimations().every((one) =>
    one.playState !== "running" || !isFinite(one.effect.getTiming().iterations))
  && document.fonts.status === "loaded" """


class Visit:
    """One browser window that came in by the printed link; it hears everything the page says."""

    def __init__(self, browser: Any, site: Any, **options: Any) -> None:
        self.context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        self.context.set_default_timeout(LONG)
        self.page = self.context.new_page()
        self.said: list[str] = []
        self.asked: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.said.append("dialog"), dialog.dismiss()))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(f"{site.url}/?token={site.token}")

    def rest(self) -> None:
        """Wait until the page is drawn: everything is there, and every chart in sight is one that answers."""
        self.page.wait_for_load_state("networkidle")
        self.page.wait_for_function(DRAWN)


@pytest.fixture(scope="session")
def open_visit() -> type[Visit]:
    """How a window is opened."""
    return Visit


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where screenshots are kept: beside the other output of the tests, or where AVERMENT_SCREENSHOTS says."""
    given = os.environ.get("AVERMENT_SCREENSHOTS")
    folder = Path(given) if given else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def hostile_texts() -> list[str]:
    """Markup that a careless page would run."""
    import json

    cases = Path(__file__).parents[2] / "hostile" / "data" / "api_attacks" / "cases.jsonl"
    lines = (json.loads(line) for line in cases.read_text(encoding="utf-8").splitlines())
    return [line["text"] for line in lines if line["kind"] == "xss_text"]
