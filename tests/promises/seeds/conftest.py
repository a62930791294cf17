"""A home of its own for each file, which a real process and a real server work in, and what a person can open there."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from averment.settings import Settings
from averment.workbench import Workbench
from lazily import lazily

uvicorn = lazily("uvicorn")
http_app = lazily("averment.faces.http.app")

sys.path.insert(0, str(Path(__file__).parent))  # For ``home_rows``.

TOKEN = "the-token-of-the-seeds"


class Averment:
    """The installed command over one home."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "averment", "--home", str(self.home), *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=180, check=False)

    def json(self, *arguments: str) -> dict[str, Any]:
        return json.loads(self(*arguments, "--json").stdout)


@pytest.fixture(scope="module")
def averment(tmp_path_factory: pytest.TempPathFactory) -> Averment:
    return Averment(tmp_path_factory.mktemp("seeds") / "home")


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    with Workbench(settings=Settings(home=tmp_path_factory.mktemp("seeds") / "home")) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(workbench: Workbench) -> Iterator[httpx2.Client]:
    """A client of a server over the workbench's home."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(http_app.create_app(workbench, token=TOKEN), http="h11", ws="none", log_level="critical")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    with httpx2.Client(base_url=url, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=120) as opened:
        yield opened
    server.should_exit = True
    thread.join()
