"""The application on loopback with a server for the conformance suite, which cannot send a token."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lazily import lazily

sys.path.insert(0, str(Path(__file__).parent))


from averment.settings import Settings
from averment.workbench import Workbench

uvicorn = lazily("uvicorn")
mcp_everything = lazily("mcp_everything")  # It lies beside this file.
http_app = lazily("averment.faces.http.app")

TOKEN = "the-token-of-the-tests"


class Everything(Workbench):
    """A workbench whose server has, beside its own tools, what the suite asks for by name."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        ships = self.home.mcp_server
        self.home.mcp_server = lambda *, remote=False: mcp_everything.add_everything(ships(remote=remote))


def with_token(app: Any) -> Any:
    """The application for a client that has the token and cannot say so."""

    async def served(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {TOKEN}".encode())]}
        await app(scope, receive, send)

    return served


@pytest.fixture(scope="module")
def everything_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the application with everything is."""
    yield from _served(Everything, tmp_path_factory.mktemp("mcp") / "home")


@pytest.fixture(scope="module")
def real_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the application is as it ships, with nothing added."""
    yield from _served(Workbench, tmp_path_factory.mktemp("real") / "home")


def _served(kind: type[Workbench], home: Path) -> Iterator[str]:
    with kind(settings=Settings(home=home)) as workbench:
        app = with_token(http_app.create_app(workbench, token=TOKEN))
        listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(app, http="h11", ws="none", log_level="critical", lifespan="on")
        config.timeout_graceful_shutdown = 2
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
        server.should_exit = True
        thread.join()
